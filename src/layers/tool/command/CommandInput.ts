/** command_input: types into a running command that has a terminal. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../../domain/tool/Access.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import * as SecretPrompt from "../../../domain/tool/SecretPrompt.ts"
import * as TerminalKeys from "../../../domain/tool/TerminalKeys.ts"
import { type BackgroundCommand, BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { define, ToolContext } from "../../../services/Tool.ts"
import * as CommandReport from "./CommandReport.ts"

const params = Schema.Struct({
  id: Schema.String.annotate({ description: "The command's id, from run_command." }),
  text: Schema.optionalKey(Schema.String.annotate({ description: "Typed as it is." })),
  keys: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: `Pressed after the text, such as ${TerminalKeys.examples}. Default: Enter.` })
  )
})

/** ms in which a command shows what it makes of its input: until it has been quiet, or at most. */
const timing = { pollMs: 100, quietPolls: 4, maxMs: 3_000 }

/** The keys by their usual names; those that have none as they are. */
const keyNames = (keys: ReadonlyArray<string> = ["Enter"]): ReadonlyArray<string> => keys.map((key) => TerminalKeys.nameOf(key) ?? key)

export const CommandInput = define({
  name: "command_input",
  description:
    "Type into a running command that was started with terminal. Returns its new output. Passwords and other hidden input are typed by the user.",
  params,
  aliases: ["write_stdin", "send_input"],
  paramAliases: { command_id: "id", session_id: "id", input: "text", chars: "text", key: "keys" },
  kind: "command",
  openWorld: true,
  hasNoOtherEffects: true,
  tags: ["command"],
  when: ({ hasTerminalCommands }) => hasTerminalCommands,
  access: ({ id, keys, text = "" }, { terminalCommands }) => {
    const command = terminalCommands?.get(id)
    return command === undefined ? [Access.other("command_input")]
      : [{ ...Access.command(command.command, command.cwd), terminal: true, input: { text, keys: keyNames(keys) } }]
  },
  run: Effect.fn("command_input")(function*({ id, keys, text = "" }) {
    const commands = yield* BackgroundCommands
    const { session } = yield* ToolContext
    const names = keyNames(keys)
    const unknown = names.find((name) => TerminalKeys.nameOf(name) === undefined)
    if (unknown !== undefined)
      return Outcome.mistaken(`There is no key called ${JSON.stringify(unknown)}. Use names such as ${TerminalKeys.examples}.`)
    if (TerminalKeys.hasControlCharacters(text))
      return Outcome.mistaken(`text contains control characters. Press keys by name, in keys: ${TerminalKeys.examples}.`)
    const command = yield* commands.find(session, id)
    if (command === undefined) return CommandReport.notFound(id, yield* commands.running(session))
    if (command.exit() !== undefined) return Outcome.failed(`${id} has ended. ${yield* CommandReport.state(command)}`)
    if (!command.hasTerminal) return Outcome.mistaken(`${id} has no terminal. Stop it, and run it again with terminal: true.`)
    if (text !== "" && (yield* isSecret(command))) return yield* refusal(command)
    const isTyped = yield* command.type(TerminalKeys.typed(text) + names.map(TerminalKeys.bytesOf).join(""))
    if (!isTyped) return Outcome.failed(`${id} takes no more input. ${yield* CommandReport.state(command)}`)
    yield* awaitQuiet(command)
    return Outcome.succeeded(`${yield* CommandReport.state(command)}\n${yield* CommandReport.newOutput(command)}`)
  })
})

/** Whether what is typed now is for the user to type: the terminal hides it, or the prompt asks for a secret. */
export const isSecret = (command: BackgroundCommand): Effect.Effect<boolean> =>
  SecretPrompt.isSecretPrompt(lastLine(command)) ? Effect.succeed(true) : Effect.map(command.input, ({ mode }) => mode === "hidden")

/** The unfinished line, on which a prompt is. */
export const lastLine = (command: BackgroundCommand): string => {
  const { output } = command.output.excerpt()
  return output.slice(output.lastIndexOf("\n") + 1).trim()
}

const refusal = Effect.fnUntraced(function*(command: BackgroundCommand) {
  const prompt = lastLine(command)
  return Outcome.failed(
    `Nothing was typed: ${command.id} ${
      prompt === "" ? "hides its input" : `asks ${JSON.stringify(prompt)}`
    }, and only the user may answer that. Ask the user to type it into the command (in the terminal: Ctrl-O or /ps), or press Ctrl-C with command_input.\n${yield* CommandReport
      .newOutput(command)}`
  )
})

/** Returns once the command has ended, or printed nothing for a moment. */
const awaitQuiet = Effect.fnUntraced(function*(command: BackgroundCommand) {
  let [last, quietPolls] = ["", 0]
  for (let waitedMs = 0; waitedMs < timing.maxMs && quietPolls < timing.quietPolls && command.exit() === undefined;) {
    yield* command.wait(timing.pollMs)
    waitedMs += timing.pollMs
    const { output } = command.output.excerpt()
    quietPolls = output === last ? quietPolls + 1 : 0
    last = output
  }
})
