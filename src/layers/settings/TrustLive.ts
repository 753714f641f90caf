/** Trust in a file of the user's, `trust.jsonc` beside the settings: real folders that are trusted, and those that are not to be. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { join } from "node:path"
import * as Location from "../../domain/approval/Location.ts"
import { Environment } from "../../services/Environment.ts"
import { KeptFiles } from "../../services/JsonFiles.ts"
import { Trust, type Waiting } from "../../services/Trust.ts"
import * as JsonText from "./JsonText.ts"

const lists = { trusted: ["trusted"], refused: ["refused"] } as const

/** Places in a folder that run or steer programs, and what each would do. */
const places: ReadonlyArray<readonly [path: string, what: string]> = [
  [".mcp.json", "starts MCP servers"],
  [".dacapo/hooks.json", "runs hooks"],
  [".dacapo/hooks", "runs hooks"],
  [".claude/settings.json", "may run hooks"],
  [".claude/settings.local.json", "may run hooks"],
  [".dacapo/plugins", "loads plugins"],
  [".dacapo/commands", "adds commands"],
  [".claude/commands", "adds commands"],
  [".dacapo/agents", "adds agents"],
  [".claude/agents", "adds agents"],
  [".opencode/agents", "adds agents"],
  [".opencode/agent", "adds agents"],
  [".gemini/agents", "adds agents"]
]

/** What a settings file of the folder says beside rules that ask or deny, which hold in any case. */
const heldBack = (file: string): ReadonlyArray<string> => {
  const value = JsonText.parse(fs.readFileSync(file, "utf8"))
  if (Result.isFailure(value)) return ["no JSON"]
  const keys = (at: unknown) => typeof at === "object" && at !== null ? Object.keys(at) : []
  const permissions = JsonText.at(value.success, ["permissions"])
  return [
    ...keys(value.success).filter((key) => key !== "$schema" && key !== "permissions"),
    ...keys(permissions).filter((key) => key !== "ask" && key !== "deny").map((key) => `permissions.${key}`)
  ]
}

const waiting = (folder: string): ReadonlyArray<Waiting> => [
  ...["config.jsonc", "config.local.jsonc"].flatMap((name): ReadonlyArray<Waiting> => {
    const relative = `.dacapo/${name}`
    const keys = fs.existsSync(join(folder, relative)) ? heldBack(join(folder, relative)) : []
    return keys.length === 0 ? [] : [{ path: relative, what: `sets ${keys.join(", ")}` }]
  }),
  ...places.flatMap(([path, what]) => fs.existsSync(join(folder, path)) ? [{ path, what }] : [])
]

/** Where a folder really is: a link to a trusted folder is that folder, and a folder that took its name is not. */
const real = (folder: string): string => {
  try {
    return fs.realpathSync(folder)
  } catch {
    return folder
  }
}

export const layer: Layer.Layer<Trust, never, Environment | KeptFiles> = Layer.effect(Trust, Effect.gen(function*() {
  const { folders } = yield* Environment
  const files = yield* KeptFiles
  const file = files.at(join(folders.config, "trust.jsonc"), "Folders whose own settings, hooks, servers and plugins may act")
  const read = (value: unknown): ReadonlyArray<string> => Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
  const list = Effect.fnUntraced(function*(name: keyof typeof lists) {
    return read(JsonText.at(yield* (yield* file).value, lists[name]))
  })
  const put = Effect.fnUntraced(function*(name: keyof typeof lists, place: string, isIn: boolean) {
    yield* (yield* file).changeNow(lists[name], (before) => {
      const others = read(before).filter((one) => one !== place)
      return [undefined, isIn ? [...others, place] : before === undefined ? undefined : others]
    })
  })
  const holds = Effect.fn("Trust.holds")(function*(folder: string) {
    return Location.isInsideAny(yield* list("trusted"), real(folder))
  })
  return Trust.of({
    holds,
    answered: Effect.fn("Trust.answered")(function*(folder) {
      return (yield* holds(folder)) || (yield* list("refused")).includes(real(folder))
    }),
    change: Effect.fn("Trust.change")(function*(folder, isTrusted) {
      yield* put("trusted", real(folder), isTrusted)
      yield* put("refused", real(folder), !isTrusted)
    }),
    waiting: (folder) => Effect.sync(() => {
      try {
        return waiting(folder)
      } catch {
        return []
      }
    })
  })
}))
