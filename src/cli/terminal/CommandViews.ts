/** The commands of a conversation on the screen: watched for prompts, shown in full, and typed into. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type BackgroundCommand, BackgroundCommands } from "../../services/BackgroundCommands.ts"
import type { TerminalInput } from "../../services/Shell.ts"
import * as SecretPrompt from "../../domain/tool/SecretPrompt.ts"
import * as CommandView from "../render/terminal/CommandView.ts"
import * as ScreenStore from "./ScreenStore.ts"

/** ms between two looks at the command on the screen. */
const refreshMs = 100

/** How many lines the note for a screen reader has. */
const noteLines = 40

export interface CommandViews {
  /** Shows a command: that of an id; or else the one that waits for input, or the newest running one. */
  readonly open: (id: string | undefined) => Effect.Effect<void>
  /** Moves the commands that the agent waits for to the background. */
  readonly background: Effect.Effect<void>
  /** Lets the user choose a command to show. */
  readonly choose: Effect.Effect<void>
  /** Types into a command. */
  readonly type: (id: string, keys: string) => Effect.Effect<void>
}

/** `session` is that of the conversation; `isRemote`: its commands run on a server. */
export const make = Effect.fnUntraced(function*(
  store: ScreenStore.ScreenStore,
  { isRemote, isScreenReader, session }: { readonly isRemote: boolean; readonly isScreenReader: boolean; readonly session: () => string }
) {
  const { find, list, running } = yield* BackgroundCommands

  const watch = Effect.gen(function*() {
    const commands = yield* running(session())
    const asking = yield* Effect.findFirst(commands.filter(({ hasTerminal }) => hasTerminal).toReversed(), isSecret)
    const secretPrompt = asking._tag === "None" ? undefined : { id: asking.value.id, command: asking.value.command }
    const { asksForInput, runningCommands } = store.screen()
    if (commands.length !== runningCommands || secretPrompt?.id !== asksForInput?.id)
      store.dispatch({ _tag: "RunningCommands", count: commands.length, secretPrompt })
  })
  yield* watch.pipe(Effect.andThen(Effect.sleep(refreshMs)), Effect.forever, Effect.forkScoped)

  let lastSnapshot: CommandView.Snapshot | undefined
  const refresh = Effect.gen(function*() {
    const { commandView: view, rows } = store.screen()
    if (view === undefined) return
    const command = yield* find(session(), view.id)
    const snapshot = command === undefined ? withoutCommand(view) : yield* read(command, view, rows)
    if (isSame(lastSnapshot, snapshot)) return
    lastSnapshot = snapshot
    store.dispatch({ _tag: "CommandOutput", id: view.id, snapshot })
  })
  yield* refresh.pipe(Effect.andThen(Effect.sleep(refreshMs)), Effect.forever, Effect.forkScoped)

  /** What was typed at a hidden prompt since it began: the command's output must not show it. It is stored nowhere else. */
  const hiddenLines = new Map<string, string>()

  const show = Effect.fnUntraced(function*(command: BackgroundCommand) {
    if (isScreenReader) return yield* readOut(command)
    const snapshot = yield* read(command, { count: command.output.count(), top: undefined }, store.screen().rows)
    lastSnapshot = snapshot
    store.dispatch({ _tag: "CommandOpened", id: command.id, command: command.command, snapshot })
  })

  /** The end of its output as a note. */
  const readOut = Effect.fnUntraced(function*(command: BackgroundCommand) {
    const lines = yield* linesFrom(command, Math.max(1, command.output.count() - noteLines + 1), noteLines)
    const text = lines.map(([, line]) => line).join("\n")
    yield* ScreenStore.note(store, `${command.command}: ${ending(command) ?? "running"}\n${text === "" ? "(no output)" : text}`)
  })

  const onServer = ScreenStore.note(
    store,
    "The commands of this session run on the server: they can't be shown or moved to the background here."
  )

  return {
    background: isRemote ? onServer : Effect.flatMap(
      Effect.suspend(() => running(session())),
      (commands) => Effect.forEach(commands, ({ release }) => release, { discard: true })
    ),
    open: Effect.fnUntraced(function*(id) {
      if (isRemote) return yield* onServer
      const { asksForInput, view } = store.screen()
      const calls = view.calls.filter(({ kind, state }) => kind === "command" && state === "running").map((call) => call.id)
      const commands = yield* running(session())
      const target = id ?? asksForInput?.id ?? commands.findLast((command) => calls.includes(command.id))?.id ?? commands.at(-1)?.id
      const command = target === undefined ? undefined : yield* find(session(), target)
      if (command === undefined) return yield* ScreenStore.note(store, "This command is not running any more.")
      yield* show(command)
    }),
    choose: Effect.gen(function*() {
      if (isRemote) return yield* onServer
      const commands = (yield* list(session())).toReversed()
      if (commands.length === 0) return yield* ScreenStore.note(store, "No commands are running.")
      const options = commands.map((command) => `${(ending(command) ?? "running").padEnd(14)} ${command.command.split("\n", 1)[0]!}`)
      const choice = yield* ScreenStore.pick(store, "Choose a command to show", options)
      if (choice !== undefined) yield* show(commands[choice]!)
    }),
    type: Effect.fnUntraced(function*(id, keys) {
      const command = yield* find(session(), id)
      if (command === undefined) return
      const typed = hiddenLines.get(id) ?? ""
      if (!(yield* isSecret(command))) {
        hiddenLines.delete(id)
        return void (yield* command.type(keys, typed === "" ? undefined : typed))
      }
      const [line, isComplete] = typeHidden(typed, keys)
      if (isComplete) hiddenLines.delete(id)
      else hiddenLines.set(id, line)
      yield* command.type(keys, isComplete ? line : undefined)
    })
  } satisfies CommandViews
})

/** A hidden line after more keys, and whether Enter has ended it. */
const typeHidden = (line: string, keys: string): readonly [line: string, isComplete: boolean] => {
  let text = line
  for (const key of keys) {
    if (key === "\r") return [text, true]
    text = key === "\u007f" || key === "\b" ? text.slice(0, -1) : key === "\u0015" ? "" : key < " " ? text : text + key
  }
  return [text, false]
}

const isSecret = (command: BackgroundCommand): Effect.Effect<boolean> => Effect.map(command.input, (input) => hidesInput(command, input))

const hidesInput = (command: BackgroundCommand, { mode }: TerminalInput): boolean =>
  mode === "hidden" || mode !== "none" && SecretPrompt.isSecretPrompt(lastLine(command))

const lastLine = ({ output }: BackgroundCommand): string => {
  const { output: text } = output.excerpt()
  return text.slice(text.lastIndexOf("\n") + 1)
}

/** How it ended; undefined while it runs. */
const ending = (command: BackgroundCommand): string | undefined => {
  const exit = command.exit()
  return exit === undefined ? undefined : exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`
}

const read = Effect.fnUntraced(function*(
  command: BackgroundCommand,
  { top }: Pick<CommandView.CommandView, "count" | "top">,
  rows: number
) {
  const count = command.output.count()
  const lines = yield* linesFrom(command, CommandView.firstToRead({ count, top }, rows), rows + 2 * CommandView.margin(rows))
  const input = yield* command.input
  return {
    lines,
    count,
    ending: ending(command),
    hasTerminal: command.hasTerminal,
    input,
    isSecret: hidesInput(command, input)
  } satisfies CommandView.Snapshot
})

const linesFrom = (command: BackgroundCommand, from: number, max: number) =>
  Effect.suspend(() => {
    const all: Array<readonly [number, string]> = []
    return Effect.as(
      Stream.runForEachWhile(command.output.lines(from), ({ first, lines }) =>
        Effect.sync(() => {
          for (const [i, line] of lines.entries()) {
            if (all.length === max) return false
            all.push([first + i, line])
          }
          return true
        })),
      all as ReadonlyArray<readonly [number, string]>
    )
  })

/** Its output was discarded; what was read last stays visible. */
const withoutCommand = (view: CommandView.CommandView): CommandView.Snapshot => ({
  ...view,
  ending: "no longer available",
  input: { mode: "none", isReading: false },
  isSecret: false
})

const isSame = (a: CommandView.Snapshot | undefined, b: CommandView.Snapshot): boolean =>
  a !== undefined && a.count === b.count && a.ending === b.ending && a.isSecret === b.isSecret && a.input.mode === b.input.mode &&
  a.input.isReading === b.input.isReading && a.lines.length === b.lines.length && a.lines[0]?.[0] === b.lines[0]?.[0] &&
  a.lines.at(-1)?.[1] === b.lines.at(-1)?.[1]
