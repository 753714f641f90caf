/** Every provider that efferent comes with. A new one is a file and a line here. */
import type { Route } from "../../services/Route.ts"
import { anthropic } from "./anthropic.ts"
import { openai } from "./openai.ts"
import { openaiCompatible } from "./openaiCompatible.ts"
import { scripted } from "./scripted.ts"

export const builtin: ReadonlyArray<Route> = [
  anthropic,
  openai,
  openaiCompatible,
  scripted
]
