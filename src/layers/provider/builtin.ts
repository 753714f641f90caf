/** Every provider that dacapo comes with. A provider on an OpenAI wire is a row of `routes/openAiCompatible.ts`. */
import * as Order from "effect/Order"
import type { Route } from "../../services/Route.ts"
import { anthropicRoutes } from "./routes/anthropic.ts"
import { clouds } from "./routes/clouds.ts"
import { local } from "./routes/local.ts"
import { openAiCompatible } from "./routes/openAiCompatible.ts"
import { scripted } from "./routes/scripted.ts"

/** In alphabetical order of their names. */
export const builtin: ReadonlyArray<Route> = [...anthropicRoutes, ...clouds, ...openAiCompatible, ...local, scripted]
  .toSorted(Order.mapInput(Order.String, ({ name }) => name))
