/** `!command`: the user's own shell commands. What they printed accompanies the next message. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { Shell } from "../../services/Shell.ts"
import * as ScreenStore from "./ScreenStore.ts"

export interface UserShell {
  readonly run: (command: string) => Effect.Effect<void>
  /** Ends the running command. */
  readonly stop: Effect.Effect<void>
  /** The message with the commands since the last one, in a code block, in which nothing is a mention. */
  readonly withTranscript: (message: string) => string
}

const transcriptIntro = "\n\nBefore this message I ran:\n```\n"

/** A message as the user typed it. */
export const withoutTranscript = (message: string): string => {
  const at = message.lastIndexOf(transcriptIntro)
  return at !== -1 && message.endsWith("\n```") ? message.slice(0, at) : message
}

const timeoutMs = 10 * 60_000
const maxOutputCharacters = 16_000

export const make = Effect.fnUntraced(function*(cwd: string, store: ScreenStore.ScreenStore) {
  const shell = yield* Shell
  const scope = yield* Effect.scope
  const transcript: Array<string> = []
  let running: Fiber.Fiber<void> | undefined

  const onOutput = (text: string) => store.dispatch({ _tag: "UserOutput", text })
  const execute = Effect.fnUntraced(
    function*(command: string) {
      const { code, hasTimedOut, output, signal } = yield* shell.run({ command, cwd, timeoutMs, maxOutputCharacters, onOutput })
      const ending = hasTimedOut ? "stopped after 10 min" : signal === null ? `exit code ${code}` : `ended by ${signal}`
      const text = output.trimEnd()
      transcript.push(`$ ${command}\n${text}${text === "" ? "" : "\n"}(${ending})`)
      if (text !== "") yield* ScreenStore.note(store, text)
      if (code !== 0) yield* ScreenStore.note(store, `The command failed: ${ending}.`, "warn")
    },
    Effect.catch((error) => ScreenStore.note(store, ToolReport.shell(error), "bad")),
    Effect.onInterrupt(() => ScreenStore.note(store, "Stopped.", "warn"))
  )

  return {
    run: Effect.fnUntraced(function*(command: string) {
      store.dispatch({ _tag: "UserCommand", command })
      running = yield* Effect.forkIn(execute(command), scope)
      yield* Fiber.await(running)
      store.dispatch({ _tag: "UserCommand", command: undefined })
    }),
    stop: Effect.suspend(() => running === undefined ? Effect.void : Effect.asVoid(Fiber.interrupt(running))),
    withTranscript: (message) => {
      // A custom slash command would take the transcript as its arguments.
      if (transcript.length === 0 || message.startsWith("/")) return message
      return `${message}${transcriptIntro}${transcript.splice(0).join("\n\n").replaceAll("```", "'''")}\n\`\`\``
    }
  } satisfies UserShell
})
