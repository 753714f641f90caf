/** A conversation in the terminal: events and keys go into the Screen, what it wishes is done, what it holds is drawn. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Saying from "../../domain/message/UserMessage.ts"
import type { Delivery } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { Environment } from "../../services/Environment.ts"
import { Intake } from "../../services/Intake.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Settings } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import { Tools } from "../../services/Tools.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as As from "../start/AgentFlag.ts"
import * as Attach from "./AttachImages.ts"
import * as Before from "./Onboarding.ts"
import * as Choose from "./ChooseOne.ts"
import type { Given, Run } from "../Commands.ts"
import * as Desk from "./ScreenStore.ts"
import * as Drawing from "./DrawLoop.ts"
import * as Editing from "./ExternalEditor.ts"
import * as ErrorReport from "../process/ErrorMessage.ts"
import { endings, type Failure } from "../process/ExitCode.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as McpConfig from "../start/McpConfigFlag.ts"
import * as Notice from "./Notification.ts"
import * as OnlyTools from "../start/ToolsFlag.ts"
import * as Place from "../start/SessionFolder.ts"
import type * as Screen from "../render/terminal/Screen.ts"
import * as Status from "../render/text/StatusLine.ts"
import * as SlashCommands from "./SlashCommands.ts"
import * as Talk from "./Conversation.ts"
import * as TerminalApprover from "./TerminalApprover.ts"
import * as Wanted from "../start/SessionOptions.ts"
import { Wiring } from "../process/AgentLayers.ts"

/** Files whose names can be completed. */
const limit = 200_000

export const run: Run = Effect.fnUntraced(function*(called) {
  const given = { ...called, values: yield* OnlyTools.resolved(called.values) }
  const { words } = given
  const host = yield* Host
  const wiring = yield* Wiring
  const look = yield* Choose.look(given.values)
  const asked = yield* before(given, look)
  if (typeof asked === "number") return asked
  const { place, values } = asked
  const { cwd } = place
  const desk = yield* Desk.open
  const approver = TerminalApprover.make((waiting) => desk.tell({ _tag: "Waits", waiting }))
  const conversation = Effect.gen(function*() {
    const session = yield* Talk.open(values, place, desk)
    const { bell = true, notices = true } = yield* Effect.flatMap(Settings, ({ load }) => load(cwd))
    const lend = yield* Drawing.draw(desk, { ...look, notice: Notice.of(host.environment.variables, { bell, notices }) })
    const written = yield* Effect.flatMap(Intake, (intake) => intake.commands(cwd))
    desk.tell({ _tag: "Commands", names: written.map(({ name }) => name) })
    const perform = yield* performer(session, cwd, desk, lend)
    if (words.length > 0) yield* perform({ _tag: "Say", text: words.join(" "), delivery: "task" })
    while (true) {
      const wish = yield* Queue.take(desk.wishes)
      if (wish._tag === "Leave") return { id: session.id(), exit: wish.by === "word" ? endings.finished.exit : endings.interrupted.exit }
      yield* perform(wish)
    }
  })
  const runtime = wiring.layer({
    roots: [cwd, ...place.roots],
    approver,
    ...Wanted.confined(values),
    ...(yield* McpConfig.servers(values, cwd)),
    ...(values.ephemeral === true ? { ephemeral: true } : {}),
    ...(values.baseUrl === undefined ? {} : { baseUrl: values.baseUrl })
  })
  const { exit, id } = yield* Effect.scoped(conversation).pipe(Effect.provide(runtime))
  if (id !== undefined) {
    yield* host.stdout.write(`\n${Status.line(desk.screen().view.status, look.theme)}\n${values.ephemeral === true ? "" : `Go on with: dacapo --resume ${id}\n`}`)
  }
  return exit
}, Effect.scoped)

/** What must be known before: the session, the model, trust. An exit code where the conversation is not to begin. */
const before = Effect.fnUntraced(function*(given: Given, look: Drawing.Options) {
  const host = yield* Host
  const here = yield* Folder.open(host.cwd, given.values.cd)
  const chosen = yield* Before.session(given.values, here, look)
  if (chosen === undefined) return endings.finished.exit
  const place = yield* Place.find(chosen)
  if (place.session !== undefined) return { place, values: chosen }
  const trust = Before.trust(place.cwd, look)
  // An agent of the folder is read in one that is trusted.
  if (chosen.agent !== undefined) yield* trust
  const as = yield* As.named(chosen, place.cwd)
  const values = yield* Before.model(chosen, place.cwd, look, as)
  if (values === undefined) return endings.finished.exit
  if (values === Before.demo) return yield* (yield* Effect.promise(() => import("../commands/Demo.ts"))).run(given)
  if (as === undefined) yield* trust
  return { place: { ...place, ...(as === undefined ? {} : { as }) }, values }
})

/** Does what the screen wishes. What can't be done is told, and the conversation goes on. */
const performer = Effect.fnUntraced(function*(talk: Talk.Talk, cwd: string, desk: Desk.Desk, lend: Drawing.Lend) {
  const agent = yield* Agent
  const { allow } = yield* Settings
  const { redact } = yield* Redactor
  const { names } = yield* Workspace
  const host = yield* Host
  const tools = yield* Tools
  const scope = yield* Effect.scope
  const services = yield* Effect.context<Environment | Storage>()
  const attempt = (effect: Effect.Effect<unknown, Failure>): Effect.Effect<void> =>
    Effect.catch(Effect.asVoid(effect), (failure) =>
      Effect.flatMap(redact, (clean) => Desk.note(desk, clean(ErrorReport.sentence(failure)), "bad")))
  const apart = (effect: Effect.Effect<unknown, Failure>) => Effect.asVoid(Effect.forkIn(attempt(effect), scope))
  const say = ({ delivery, text }: { readonly delivery: Delivery; readonly text: string }) => Effect.gen(function*() {
    const problem = Saying.problem(text)
    if (problem !== undefined) return yield* Desk.note(desk, problem, "warn")
    const id = yield* talk.begin
    yield* agent.say(id, text, delivery)
    if (delivery === "task") yield* apart(agent.settled(id))
  })
  const slashes = yield* SlashCommands.make({ talk, cwd, desk, say: (text) => say({ text, delivery: "task" }) })

  type Table = { readonly [Tag in Exclude<Screen.Wish["_tag"], "Leave">]: (wish: Extract<Screen.Wish, { readonly _tag: Tag }>) => Effect.Effect<void> }
  const table: Table = {
    Say: (wish) => attempt(say(wish)),
    Command: ({ name, words }) => apart(Effect.suspend(() => slashes[name](words))),
    Chosen: ({ choice, from }) => Effect.sync(() => from.answer(choice)),
    Attach: ({ paths, text }) => apart(Effect.gen(function*() {
      const pictures = paths.length > 0 ? yield* Attach.files(paths) : yield* Attach.clipboard()
      if (pictures === undefined) desk.tell(paths.length > 0 ? { _tag: "Typed", text } : { _tag: "Noted", text: "There is no picture in the clipboard that can be read here.", tone: "info" })
      else desk.tell({ _tag: "Attached", pictures: [pictures].flat() })
    }).pipe(Effect.provide(services))),
    ListFiles: () => apart(Effect.map(names(limit), (names) => desk.tell({ _tag: "Files", names }))),
    Answer: ({ answer, to }) =>
      Effect.forEach(answer.scope === "always" ? to.question.offer : [], (rule) => attempt(allow(cwd, rule))).pipe(
        Effect.andThen(Effect.sync(() => to.answer(answer)))
      ),
    Edit: ({ to }) => attempt(Effect.gen(function*() {
      const { call } = to.question
      const session = yield* agent.state((yield* talk.begin))
      const name = Editing.subject(call, tools.specs(session).find((spec) => spec.name === call.name))
      const params = name === undefined ? undefined : yield* Effect.provideService(lend(Editing.edit(call, name)), Host, host)
      if (params === undefined) return yield* Desk.note(desk, "Nothing was changed.")
      to.answer({ decision: "allow", scope: "once", by: "user", params })
    })),
    Reply: ({ reply, to }) => Effect.sync(() => to.answer(reply)),
    Interrupt: () => apart(Effect.flatMap(talk.begin, (id) => agent.interrupt(id, "The user interrupted."))),
    Switch: ({ mode }) => {
      const id = talk.id()
      if (id !== undefined) return attempt(agent.switchMode(id, mode))
      talk.choose(mode)
      return Effect.sync(() => desk.tell({ _tag: "Mode", mode }))
    }
  }
  return (wish: Exclude<Screen.Wish, { readonly _tag: "Leave" }>) => (table[wish._tag] as (wish: Screen.Wish) => Effect.Effect<void>)(wish)
})
