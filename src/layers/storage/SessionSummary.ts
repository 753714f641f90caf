/** The summary of a session for lists. */
import { optional } from "../../domain/Optional.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Summary } from "../../services/Storage.ts"

export const of = ({ createdAt, cwd, parent, settings, time, title }: Session): Omit<Summary, "archived" | "events" | "id"> => ({
  cwd,
  title,
  model: Model.title(settings.model),
  created: createdAt,
  updated: time,
  ...optional({ parent })
})
