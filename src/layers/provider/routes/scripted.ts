/** A file of turns instead of a model: `scripted/<file>`, relative to the current directory. */
import type { Route } from "../../../services/Route.ts"
import { script } from "../wires.ts"

export const scripted: Route = {
  name: "scripted",
  title: "A file of turns, for demonstrations and tests",
  wire: "script",
  keys: [],
  baseUrl: "",
  local: true,
  connect: script
}
