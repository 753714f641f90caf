/** What the commands of the input line do, by their names in render/Slash. */
import * as Effect from "effect/Effect"
import { appendFile, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { redacted } from "../../layers/replay/RedactSession.ts"
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
import * as Back from "../replay/RewindSession.ts"
import { InputError } from "../process/CliError.ts"
import * as Desk from "./ScreenStore.ts"
import type { Failure } from "../process/ExitCode.ts"
import * as ContextLines from "../render/text/ContextLines.ts"
import * as Cost from "../render/Cost.ts"
import * as Lines from "../render/text/BlockLines.ts"
import type { Wished } from "../render/terminal/SlashList.ts"
import type { Talk } from "./Conversation.ts"

export interface Given {
  readonly talk: Talk
  readonly cwd: string
  readonly desk: Desk.Desk
  /** As if it had been typed. */
  readonly say: (text: string) => Effect.Effect<void, Failure>
}

type Do = (words: string) => Effect.Effect<void, Failure>

export const make = Effect.fnUntraced(function*({ cwd, desk, say, talk }: Given) {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof redacted>>>()
  const agent = yield* Agent
  const checkpoints = yield* Checkpoints
  const context = yield* ContextWindow
  const log = yield* EventLog
  const mcp = yield* Mcp
  const { redact } = yield* Redactor
  const storage = yield* Storage

  /** What needs a session says so where none has begun. */
  const begun = (run: (id: string, words: string) => Effect.Effect<void, Failure>): Do => (words) =>
    Effect.suspend(() => {
      const id = talk.id()
      return id === undefined ? Desk.note(desk, "Nothing was said yet.") : run(id, words)
    })

  const model: Do = Effect.fnUntraced(function*(name) {
    if (name !== "") return yield* Desk.note(desk, `${yield* talk.switchModel(name)} answers from now on.`)
    const id = talk.id()
    if (id === undefined) return yield* Desk.note(desk, `${desk.screen().view.status.model} answers. Another one: /model provider/model.`)
    const { settings } = yield* agent.state(id)
    const told = [["model", settings.model], ["in plan mode", settings.plan?.model], ["fallback", settings.fallback?.model], ["summaries", settings.cheap]] as const
    yield* Desk.note(desk, [...told.flatMap(([role, one]) => one === undefined ? [] : [`${role}: ${Model.title(one)}`]), "Another one: /model provider/model."].join("\n"))
  })

  const newrule: Do = Effect.fnUntraced(function*(rule) {
    if (rule === "") return yield* say("Write down what we agreed on in this session as rules of this project: short lines in AGENTS.md at its root, made where it is not there. Leave what stands there.")
    const file = join(cwd, "AGENTS.md")
    yield* Effect.tryPromise({
      try: async () => {
        const before = await readFile(file, "utf8").catch(() => "")
        await appendFile(file, `${before === "" || before.endsWith("\n") ? "" : "\n"}- ${rule.replaceAll("\n", " ")}\n`)
      },
      catch: (error) => new InputError({ message: `${file} can't be written: ${(error as NodeJS.ErrnoException).code}.` })
    })
    yield* Desk.note(desk, "Written into AGENTS.md; the next request knows it.", "good")
  })

  const reportbug = begun(Effect.fnUntraced(function*(id) {
    const [Exported, { redacted }] = yield* Effect.promise(() => Promise.all([import("../../layers/storage/SessionFile.ts"), import("../../layers/replay/RedactSession.ts")]))
    const whole = yield* Exported.gather(id, yield* storage.read(id, 0), storage.getBlob)
    const clean = yield* Effect.provide(redacted(whole, yield* redact), services)
    const file = join(cwd, `dacapo-bug-${id.slice(0, 8)}.jsonl`)
    yield* Effect.tryPromise({
      try: () => writeFile(file, Exported.write(clean), { mode: 0o600 }),
      catch: (error) => new InputError({ message: `${file} can't be written: ${(error as NodeJS.ErrnoException).code}.` })
    })
    yield* Desk.note(desk, `${file} holds this session without secrets; look it through, and put it into the report. \`dacapo replay\` runs it again.`, "good")
  }))

  /** To the moment before something was said; its words come back into the input line. */
  const rewind = begun(Effect.fnUntraced(function*(id) {
    const said = (yield* log.read(id)).flatMap(({ event, seq }) => event._tag === "UserSaid" ? [{ seq, text: event.text }] : []).reverse()
    const choice = yield* Desk.pick(desk, "Back to before which of these? Files and conversation; another rewind undoes it.", said.map(({ text }) => text.split("\n", 1)[0]!))
    if (choice === undefined) return
    const { seq, text } = said[choice]!
    const went = yield* agent.rewind(id, { to: seq - 1, files: true, conversation: true, remove: [] })
    desk.tell({ _tag: "Filled", text })
    yield* Desk.note(desk, [`Back at event ${seq - 1}: files and conversation.`, ...Back.lines(went)].join("\n"))
  }))

  return {
    checkpoint: begun(Effect.fnUntraced(function*(id) {
      const all = yield* checkpoints.list(id)
      yield* Desk.note(desk, all.slice(-20).map(({ counts, seq, why }) => `event ${seq}: ${Lines.many(counts.files, "file")} +${counts.added} -${counts.removed}, ${why}`).join("\n") || "No files are kept yet.")
    })),
    compact: begun((id, words) => Effect.andThen(agent.compact(id, words), Effect.asVoid(agent.settled(id)))),
    context: begun(Effect.fnUntraced(function*(id) {
      const session = yield* agent.state(id)
      yield* Desk.note(desk, ContextLines.lines(yield* context.report(session, Session.speaker(session).model), false).join("\n"))
    })),
    cost: begun((id) => Effect.flatMap(agent.state(id), (session) => Desk.note(desk, Cost.lines(session).join("\n")))),
    go: begun((id) => agent.resume(id, { wanted: {}, goOn: true })),
    mcp: () => Effect.flatMap(mcp.known(cwd), ({ notes, servers }) =>
      Desk.note(desk, [...servers.map(({ definition, file }) => `${definition.name}: ${Definition.told(definition)} (${file})${definition.disabled ? ", disabled" : ""}`), ...notes].join("\n") || "No MCP server is set up here: `dacapo mcp add` adds one.")),
    model,
    newrule,
    newtask: (prompt) => Effect.andThen(talk.renew, Effect.andThen(Desk.note(desk, "A new session."), prompt === "" ? Effect.void : say(prompt))),
    reportbug,
    rewind
  } satisfies Readonly<Record<Wished, Do>> as Readonly<Record<Wished, Do>>
})
