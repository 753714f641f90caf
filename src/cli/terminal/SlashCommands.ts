/** Runs the slash commands of `SlashList` that the screen does not run itself. */
import * as Effect from "effect/Effect"
import { appendFile, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { redactSession } from "../../layers/replay/RedactSession.ts"
import * as Definition from "../../domain/mcp/Definition.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Session from "../../domain/session/Session.ts"
import { Agent } from "../../services/Agent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Storage } from "../../services/Storage.ts"
import * as RewindSession from "../replay/RewindSession.ts"
import { InputError } from "../process/CliError.ts"
import * as ScreenStore from "./ScreenStore.ts"
import type { Failure } from "../process/ExitCode.ts"
import * as ContextLines from "../render/text/ContextLines.ts"
import * as StatusLine from "../render/text/StatusLine.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import type { Remote } from "../render/terminal/SlashList.ts"
import type { Conversation } from "./Conversation.ts"

export interface Options {
  readonly conversation: Conversation
  readonly cwd: string
  readonly store: ScreenStore.ScreenStore
  /** Sends a message as if the user had typed it. */
  readonly say: (text: string) => Effect.Effect<void, Failure>
}

type Handler = (args: string) => Effect.Effect<void, Failure>

export const make = Effect.fnUntraced(function*({ cwd, store, say, conversation }: Options) {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof redactSession>>>()
  const agent = yield* Agent
  const checkpoints = yield* Checkpoints
  const context = yield* ContextWindow
  const log = yield* EventLog
  const mcp = yield* Mcp
  const { redact } = yield* Redactor
  const storage = yield* Storage

  /** For commands that need a session. */
  const withSession = (run: (id: string, args: string) => Effect.Effect<void, Failure>): Handler => (args) =>
    Effect.suspend(() => {
      const id = conversation.id()
      return id === undefined ? ScreenStore.note(store, "This session has no messages yet.") : run(id, args)
    })

  const model: Handler = Effect.fnUntraced(function*(name) {
    if (name !== "") return yield* ScreenStore.note(store, `Model set to ${yield* conversation.switchModel(name)}.`)
    const id = conversation.id()
    if (id === undefined)
      return yield* ScreenStore.note(store, `Model: ${store.screen().view.status.model}. To switch, type /model provider/model.`)
    const { settings } = yield* agent.state(id)
    const models = [
      ["model", settings.model],
      ["plan mode", settings.plan?.model],
      ["fallback", settings.fallback?.model],
      ...(settings.fallbacks ?? []).map(({ model }, i) => [`fallback ${i + 1}`, model] as const),
      ["summaries", settings.cheap]
    ] as const
    yield* ScreenStore.note(
      store,
      [
        ...models.flatMap(([role, one]) => one === undefined ? [] : [`${role}: ${Model.title(one)}`]),
        "To switch, type /model provider/model."
      ].join("\n")
    )
  })

  const newrule: Handler = Effect.fnUntraced(function*(rule) {
    if (rule === "")
      return yield* say(
        "Record what we agreed on in this session as project rules: short lines in AGENTS.md at the project root. Create the file if it does not exist, and keep its existing content."
      )
    const file = join(cwd, "AGENTS.md")
    yield* Effect.tryPromise({
      try: async () => {
        const current = await readFile(file, "utf8").catch(() => "")
        await appendFile(file, `${current === "" || current.endsWith("\n") ? "" : "\n"}- ${rule.replaceAll("\n", " ")}\n`)
      },
      catch: (error) => new InputError({ message: `Could not write ${file}: ${(error as NodeJS.ErrnoException).code}.` })
    })
    yield* ScreenStore.note(store, "Added to AGENTS.md. It applies from the next request.", "good")
  })

  const reportbug = withSession(Effect.fnUntraced(function*(id) {
    const [Exported, { redactSession }] = yield* Effect.promise(() =>
      Promise.all([import("../../layers/storage/SessionFile.ts"), import("../../layers/replay/RedactSession.ts")])
    )
    const exportFile = yield* Exported.gather(id, yield* storage.read(id, 0), storage.getBlob)
    const redactedFile = yield* Effect.provide(redactSession(exportFile, yield* redact), services)
    const file = join(cwd, `dacapo-bug-${id.slice(0, 8)}.jsonl`)
    yield* Effect.tryPromise({
      try: () => writeFile(file, Exported.write(redactedFile), { mode: 0o600 }),
      catch: (error) => new InputError({ message: `Could not write ${file}: ${(error as NodeJS.ErrnoException).code}.` })
    })
    yield* ScreenStore.note(
      store,
      `Saved this session without secrets to ${file}. Review it and attach it to your report; \`dacapo replay\` replays it.`,
      "good"
    )
  }))

  /** Rewinds to before a message, whose text goes back into the input line. */
  const rewind = withSession(Effect.fnUntraced(function*(id) {
    const messages = (yield* log.read(id)).flatMap(({ event, seq }) => event._tag === "UserSaid" ? [{ seq, text: event.text }] : [])
      .reverse()
    const choice = yield* ScreenStore.pick(
      store,
      "Rewind files and conversation to before which message? Another rewind undoes it.",
      messages.map(({ text }) => text.split("\n", 1)[0]!)
    )
    if (choice === undefined) return
    const { seq, text } = messages[choice]!
    const result = yield* agent.rewind(id, { to: seq - 1, files: true, conversation: true, remove: [] })
    store.dispatch({ _tag: "Draft", text })
    yield* ScreenStore.note(store, [`Rewound files and conversation to event ${seq - 1}.`, ...RewindSession.lines(result)].join("\n"))
  }))

  return {
    checkpoint: withSession(Effect.fnUntraced(function*(id) {
      const list = yield* checkpoints.list(id)
      yield* ScreenStore.note(
        store,
        list.slice(-20).map(({ counts, seq, why }) =>
          `event ${seq}: ${BlockLines.plural(counts.files, "file")} +${counts.added} -${counts.removed}, ${why}`
        ).join("\n") || "No checkpoints yet."
      )
    })),
    compact: withSession((id, args) => Effect.andThen(agent.compact(id, args), Effect.asVoid(agent.settled(id)))),
    context: withSession(Effect.fnUntraced(function*(id) {
      const session = yield* agent.state(id)
      yield* ScreenStore.note(
        store,
        ContextLines.lines(yield* context.report(session, Session.activeModel(session).model), false).join("\n")
      )
    })),
    cost: withSession((id) => Effect.flatMap(agent.state(id), (session) => ScreenStore.note(store, StatusLine.lines(session).join("\n")))),
    continue: withSession((id) => agent.resume(id, { overrides: {}, shouldContinue: true })),
    mcp: () =>
      Effect.flatMap(
        mcp.list(cwd),
        ({ notes, servers }) =>
          ScreenStore.note(
            store,
            [
              ...servers.map(({ definition, file }) =>
                `${definition.name}: ${Definition.commandLine(definition)} (${file})${definition.disabled ? ", disabled" : ""}`
              ),
              ...notes
            ].join("\n") || "No MCP servers are configured here. Add one with `dacapo mcp add`."
          )
      ),
    model,
    newrule,
    newtask: (prompt) =>
      Effect.andThen(
        conversation.startNew,
        Effect.andThen(ScreenStore.note(store, "Started a new session."), prompt === "" ? Effect.void : say(prompt))
      ),
    reportbug,
    rewind
  } satisfies Readonly<Record<Remote, Handler>> as Readonly<Record<Remote, Handler>>
})
