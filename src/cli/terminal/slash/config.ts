/** `/config`: shows and changes settings as `dacapo config` does. Those of the input line and rules apply at once. */
import * as Effect from "effect/Effect"
import { Settings } from "../../../services/Settings.ts"
import { UsageError } from "../../process/CliError.ts"
import * as ScreenStore from "../ScreenStore.ts"
import { requireLocal, type SlashContext } from "./SlashContext.ts"
import { subcommand } from "./subcommand.ts"

/** Settings that are read again when they are needed. */
const atOnce: ReadonlySet<string> = new Set(["editorMode", "mcpServers", "motion"])

/** Settings of the terminal itself: with `--attach` too they are those of this machine. */
const ofTerminal: ReadonlySet<string> = new Set(["bell", "editorMode", "motion", "notices", "terminalTitle", "theme"])

const actions: ReadonlySet<string> = new Set(["get", "list", "set"])

export const config = Effect.fnUntraced(function*(context: SlashContext, args: string) {
  const { conversation, cwd, isScreenReader, store } = context
  const typed = args.split(/\s+/).filter((word) => word !== "")
  const [action = "list", ...rest] = actions.has(typed[0] ?? "list") ? typed : [typed.length === 1 ? "get" : "set", ...typed]
  if (action !== "set") return yield* subcommand(context, ["config", action, ...rest])
  const setting = rest[0]?.split(".")[0] ?? ""
  if (!ofTerminal.has(setting)) yield* requireLocal(context, "settings")
  const isRule = setting === "permissions"
  if (isRule && store.screen().view.isWorking)
    return yield* new UsageError({ message: "Rules can't be changed while a task runs. Press Esc to interrupt." })
  const { load } = yield* Settings
  const before = yield* load(cwd)
  yield* subcommand(context, ["config", action, ...rest])
  const after = yield* load(cwd)
  if (setting === "editorMode") store.dispatch({ _tag: "EditorMode", vi: after.editorMode === "vi" })
  if (setting === "motion") store.set({ ...store.screen(), hasMotion: after.motion !== false && !isScreenReader })
  const isApplied = isRule && rest[0] !== "permissions.defaultMode" ? yield* conversation.changeRules(before.rules, after.rules)
    : atOnce.has(setting)
  if (!isApplied) yield* ScreenStore.note(store, "It takes effect when dacapo starts next.")
})
