/** `/copy`: the last response to the clipboard, by the platform's program, or else by the terminal (OSC 52). */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import * as Programs from "../../../layers/workspace/Programs.ts"
import { Environment } from "../../../services/Environment.ts"
import { Host } from "../../process/Host.ts"
import { plural } from "../../render/text/BlockLines.ts"
import { text as safeText } from "../../render/view/DisplayText.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

export const copy = Effect.fnUntraced(function*({ cwd, store }: SlashContext) {
  const environment = yield* Environment
  const { stdout } = (yield* Host).terminal
  const response = safeText(store.screen().view.lastResponse).trim()
  if (response === "") return yield* ScreenStore.note(store, "There is no response to copy yet.")
  const env = Programs.variables(environment, [cwd])
  let isCopied = false
  for (const command of clipboardCommands(environment)) isCopied ||= yield* Effect.promise(() => write(command, response, env))
  if (!isCopied) stdout.write(`\u001b]52;c;${Buffer.from(response).toString("base64")}\u0007`)
  yield* ScreenStore.note(
    store,
    isCopied ? `Copied the last response (${plural(response.split("\n").length, "line")}).`
      : "Sent the last response to the terminal's clipboard, if the terminal permits that."
  )
})

type ClipboardCommand = readonly [string, ...ReadonlyArray<string>]

/** Programs that take the clipboard's text from standard input. */
const clipboardCommands = ({ platform, variables }: Environment["Service"]): ReadonlyArray<ClipboardCommand> => [
  ...(platform === "darwin" ? [["pbcopy"] as const] : []),
  ...(variables["WAYLAND_DISPLAY"] ? [["wl-copy"] as const] : []),
  ...(variables["DISPLAY"] ? [["xclip", "-selection", "clipboard", "-in"] as const] : [])
]

const timeoutMs = 3_000

/** Whether the program took the text. It may stay in the background, so only its own end counts. */
const write = ([program, ...args]: ClipboardCommand, input: string, env: Record<string, string>): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ["pipe", "ignore", "ignore"], timeout: timeoutMs })
    child.on("error", () => resolve(false)).on("exit", (code) => resolve(code === 0))
    child.stdin.on("error", () => {}).end(input)
  })
