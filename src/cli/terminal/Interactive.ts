/** An interactive conversation in the terminal: events and keys update the screen, and its actions are performed. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { basename } from "node:path"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import type { Delivery } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Environment } from "../../services/Environment.ts"
import { Intake } from "../../services/Intake.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Settings, SettingsSnapshot } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import { Tools } from "../../services/Tools.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as AgentFlag from "../start/AgentFlag.ts"
import * as AttachImages from "./AttachImages.ts"
import * as Onboarding from "./Onboarding.ts"
import * as ChooseOne from "./ChooseOne.ts"
import type { Invocation, Run } from "../Command.ts"
import * as CommandViews from "./CommandViews.ts"
import * as ScreenStore from "./ScreenStore.ts"
import * as DrawLoop from "./DrawLoop.ts"
import * as ExternalEditor from "./ExternalEditor.ts"
import * as ListMessages from "./ListMessages.ts"
import * as CrashReport from "../process/CrashReport.ts"
import * as ErrorMessage from "../process/ErrorMessage.ts"
import { endings, type Failure } from "../process/ExitCode.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import { endSession } from "../../layers/agent/EndSession.ts"
import * as Notification from "./Notification.ts"
import * as ToolsFlag from "../start/ToolsFlag.ts"
import * as SessionFolder from "../start/SessionFolder.ts"
import * as Picker from "../render/terminal/Picker.ts"
import type * as Screen from "../render/terminal/Screen.ts"
import * as WindowTitle from "../render/terminal/WindowTitle.ts"
import * as StatusLine from "../render/text/StatusLine.ts"
import * as PlanEnding from "./PlanEnding.ts"
import * as SlashCommands from "./SlashCommands.ts"
import { save as saveTodo } from "./slash/todo.ts"
import * as Conversation from "./Conversation.ts"
import * as TerminalApprover from "./TerminalApprover.ts"
import * as UserShell from "./UserShell.ts"
import * as SessionOptions from "../start/SessionOptions.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

/** The limit of file names for completion. */
const maxFiles = 200_000

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const resolvedInvocation = { ...invocation, values: yield* ToolsFlag.resolveTools(invocation.values) }
  const { args } = resolvedInvocation
  const host = yield* Host
  const agentLayers = yield* AgentLayers
  const display = yield* ChooseOne.displayOptions(resolvedInvocation.values)
  const { attach } = resolvedInvocation.values
  const server = attach === undefined ? undefined
    : yield* (yield* Effect.promise(() => import("../attach/Attach.ts"))).open(resolvedInvocation.values, attach)
  const start = server === undefined
    ? yield* prepare(resolvedInvocation, display)
    : { place: server.location, values: attachedValues(resolvedInvocation.values) }
  if (typeof start === "number") return start
  const { place: location, values } = start
  const { cwd } = location
  const store = yield* ScreenStore.open
  const approver = TerminalApprover.make((pending) => store.dispatch({ _tag: "Pending", pending }), !display.isScreenReader)
  const conversation = Effect.gen(function*() {
    const conversation = yield* Conversation.open(values, location, store)
    const { bell = true, editorMode, motion = true, notices = true, terminalTitle = true } = yield* SettingsSnapshot
    store.set({ ...store.screen(), hasMotion: motion && !display.isScreenReader })
    store.dispatch({ _tag: "EditorMode", vi: editorMode === "vi" })
    const lendTerminal = yield* DrawLoop.draw(store, {
      ...display,
      notification: Notification.of(host.environment.variables, { bell, notices }),
      ...(terminalTitle && host.environment.variables["TERM"] !== "linux" ? { title: (screen) => WindowTitle.of(screen, basename(cwd)) }
        : {})
    })
    const userCommands = yield* Effect.flatMap(Intake, (intake) => intake.commands(cwd))
    store.dispatch({
      _tag: "Commands",
      commands: userCommands.map(({ description = "Your own command", name }) => ({ name, doc: description }))
    })
    const perform = yield* makePerform({
      commands: invocation.commands,
      conversation,
      cwd,
      isRemote: server !== undefined,
      isScreenReader: display.isScreenReader,
      store,
      lendTerminal
    })
    if (args.length > 0) yield* perform({ _tag: "Say", text: args.join(" "), delivery: "task" })
    const end = (reason: "exit" | "other") =>
      Effect.suspend(() => {
        const id = conversation.id()
        return id === undefined || server !== undefined ? Effect.void : Effect.ignore(endSession(id, reason))
      })
    return yield* Effect.gen(function*() {
      while (true) {
        const action = yield* Queue.take(store.actions)
        if (action._tag === "Leave") {
          yield* end("exit")
          return { id: conversation.id(), exit: action.by === "command" ? endings.finished.exit : endings.interrupted.exit }
        }
        yield* perform(action)
      }
    }).pipe(Effect.onError(() => end("other")))
  })
  const runtime = agentLayers.layer({
    ...yield* SessionOptions.layerOptions(values, location),
    approver,
    ...(server === undefined ? {} : { remote: server.layers })
  })
  const { exit, id } = yield* Effect.scoped(conversation).pipe(Effect.provide(runtime))
  if (id !== undefined) {
    yield* host.stdout.write(
      `\n${StatusLine.fit(store.screen().view.status, 0, display.theme, host.stdout.columns())}\n${
        values.ephemeral === true
          ? ""
          : `Resume this session with:\ndacapo ${server === undefined ? "" : `--attach "${server.name}" `}--resume ${id}\n`
      }`
    )
  }
  return exit
}, Effect.scoped)

/** A part of the program that is loaded only when it is needed is gone. */
const isReplaced = (defect: unknown): boolean =>
  defect instanceof Error && "code" in defect && /^(?:ENOENT|ERR_MODULE_NOT_FOUND)$/.test(String(defect.code)) &&
  defect.message.includes("chunks/")

const replaced = "A file of dacapo is missing: it was updated while it ran. Exit, and resume the session with the new version."

/** The server knows the session's settings: the flags that began it change nothing any more. */
const attachedValues = ({ continue: _, model, permissionMode, resume, ...values }: Invocation["values"]): Invocation["values"] => values

/** Chooses the session and the model and asks for trust. Returns an exit code if the user cancels. */
const prepare = Effect.fnUntraced(function*(invocation: Invocation, display: DrawLoop.Options) {
  const host = yield* Host
  const cwd = yield* WorkingFolder.open(host.cwd, invocation.values.cd)
  const flags = yield* Onboarding.chooseSession(invocation.values, cwd, display, invocation.unknownSession)
  if (flags === undefined) return endings.finished.exit
  const location = yield* SessionFolder.resolve(flags)
  if (location.session !== undefined) return { place: location, values: flags }
  const confirmTrust = Onboarding.confirmTrust(location.cwd, display)
  // Agent profiles of the folder are read only once it is trusted.
  if (flags.agent !== undefined) yield* confirmTrust
  const profile = yield* AgentFlag.resolve(flags, location.cwd)
  const values = yield* Onboarding.chooseModel(flags, location.cwd, display, profile)
  if (values === undefined) return endings.finished.exit
  if (values === Onboarding.demo) return yield* (yield* Effect.promise(() => import("../commands/Demo.ts"))).run(invocation)
  if (profile === undefined) yield* confirmTrust
  return { place: { ...location, ...(profile === undefined ? {} : { profile }) }, values }
})

/** Performs the screen's actions. Failures are shown, and the conversation continues. */
const makePerform = Effect.fnUntraced(
  function*({ commands, conversation, cwd, isRemote, isScreenReader, lendTerminal, store }: {
    readonly commands: Invocation["commands"]
    readonly conversation: Conversation.Conversation
    readonly cwd: string
    readonly isRemote: boolean
    readonly isScreenReader: boolean
    readonly store: ScreenStore.ScreenStore
    readonly lendTerminal: DrawLoop.LendTerminal
  }) {
    const agent = yield* Agent
    const { allow } = yield* Settings
    const redactor = yield* Redactor
    const { redact } = redactor
    const { names } = yield* Workspace
    const host = yield* Host
    const tools = yield* Tools
    const commandViews = yield* CommandViews.make(store, { isRemote, isScreenReader, session: () => conversation.id() ?? "" })
    const scope = yield* Effect.scope
    const services = yield* Effect.context<Environment | EventLog | Storage>()
    const attempt = (effect: Effect.Effect<unknown, Failure>): Effect.Effect<void> =>
      Effect.catch(
        Effect.asVoid(effect),
        (failure) => Effect.flatMap(redact, (clean) => ScreenStore.note(store, clean(ErrorMessage.sentence(failure)), "bad"))
      )
    /** Here an internal error would end nothing: it is shown too. */
    const inBackground = (effect: Effect.Effect<unknown, Failure>) =>
      Effect.asVoid(Effect.forkIn(
        Effect.catchDefect(attempt(effect), (defect) =>
          Effect.flatMap(isReplaced(defect) ? Effect.succeed(replaced) : CrashReport.write(defect), (sentence) =>
            ScreenStore.note(store, sentence, "bad")).pipe(
              Effect.provideService(Host, host),
              Effect.provideService(Redactor, redactor)
            )),
        scope
      ))
    const userShell = yield* UserShell.make(cwd, store)
    const say = (
      { delivery, text }: { readonly delivery: Delivery; readonly text: string }
    ): Effect.Effect<void, Failure> =>
      Effect.gen(function*() {
        const problem = UserMessage.messageProblem(text)
        if (problem !== undefined) return yield* ScreenStore.note(store, problem, "warn")
        const id = yield* conversation.start
        yield* agent.say(id, userShell.withTranscript(text), delivery)
        if (delivery !== "task") return
        yield* inBackground(
          Effect.andThen(agent.settled(id), PlanEnding.offer(agent.state(id), { conversation, store, say: sayTask }))
        )
      })
    const sayTask = (text: string) => say({ text, delivery: "task" })
    const runSlash = yield* SlashCommands.make({
      commands,
      conversation,
      cwd,
      isRemote,
      isScreenReader,
      lendTerminal,
      store,
      say: sayTask,
      chooseCommand: commandViews.choose
    })

    type Table = {
      readonly [Tag in Exclude<Screen.Action["_tag"], "Leave">]: (
        action: Extract<Screen.Action, { readonly _tag: Tag }>
      ) => Effect.Effect<void>
    }
    const table: Table = {
      Say: (action) => attempt(say(action)),
      Command: ({ name, args }) => inBackground(runSlash(name, args)),
      Choose: ({ choice, from }) => Effect.sync(() => Picker.choose(from, choice)),
      Attach: ({ paths, text }) =>
        inBackground(
          Effect.gen(function*() {
            const images = paths.length > 0 ? yield* AttachImages.fromFiles(paths) : yield* AttachImages.fromClipboard(cwd)
            if (images === undefined)
              store.dispatch(
                paths.length > 0 ? { _tag: "Insert", text } : { _tag: "Note", text: "No readable image in the clipboard.", tone: "info" }
              )
            else store.dispatch({ _tag: "Images", images: [images].flat() })
          }).pipe(Effect.provide(services))
        ),
      ListMessages: () =>
        inBackground(Effect.map(
          Effect.provide(ListMessages.inFolder(cwd), services),
          (messages) => store.dispatch({ _tag: "Messages", messages })
        )),
      ListFiles: () => inBackground(Effect.map(names(maxFiles), (names) => store.dispatch({ _tag: "Files", names }))),
      Answer: ({ answer, mode, to }) =>
        Effect.gen(function*() {
          if (mode !== undefined) yield* attempt(conversation.setMode(mode))
          // The rules of a session on a server are saved there.
          const rules = answer.scope === "always" && !isRemote ? answer.rules ?? to.question.offer : []
          for (const rule of rules) yield* attempt(allow(cwd, rule))
          to.answer(answer)
        }),
      Edit: ({ to }) =>
        attempt(Effect.gen(function*() {
          const { call } = to.question
          const state = yield* agent.state(yield* conversation.start)
          const name = ExternalEditor.editableParam(call, tools.specs(state).find((spec) => spec.name === call.name))
          const params = name === undefined ? undefined
            : yield* Effect.provideService(lendTerminal(ExternalEditor.edit(call, name)), Host, host)
          if (params === undefined) return yield* ScreenStore.note(store, "No changes made.")
          to.answer({ decision: "allow", scope: "once", by: "user", params })
        })),
      EditDraft: ({ text }) =>
        attempt(Effect.gen(function*() {
          const edited = yield* Effect.provideService(lendTerminal(ExternalEditor.editText(text)), Host, host)
          store.dispatch({ _tag: "Draft", text: edited })
        })),
      RunUserCommand: ({ command }) => inBackground(userShell.run(command)),
      StopUserCommand: () => userShell.stop,
      Background: () => commandViews.background,
      OpenCommand: () => commandViews.open(undefined),
      SaveTodo: (action) => attempt(Effect.provideService(saveTodo({ conversation, store }, action), Agent, agent)),
      TypeInput: ({ id, keys }) => commandViews.type(id, keys),
      Reply: ({ reply, to }) => Effect.sync(() => to.answer(reply)),
      Interrupt: () => inBackground(Effect.flatMap(conversation.start, (id) => agent.interrupt(id, "The user interrupted."))),
      Switch: ({ mode }) => attempt(conversation.setMode(mode))
    }
    return (action: Exclude<Screen.Action, { readonly _tag: "Leave" }>) =>
      (table[action._tag] as (action: Screen.Action) => Effect.Effect<void>)(action)
  }
)
