/** A session as lists show it. */
import * as Model from "../../domain/provider/Model.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Summary } from "../../services/Storage.ts"

export const of = ({ created, cwd, parent, settings, time, title }: Session): Omit<Summary, "archived" | "events" | "id"> => ({
  cwd,
  title,
  model: Model.title(settings.model),
  created,
  updated: time,
  ...(parent === undefined ? {} : { parent })
})
