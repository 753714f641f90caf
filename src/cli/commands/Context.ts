/** `dacapo context`: what fills the context window of a session, item by item, or what a new session would send first. */
import * as Effect from "effect/Effect"
import * as Session from "../../domain/session/Session.ts"
import type { Message } from "../../domain/message/Message.ts"
import { Agent } from "../../services/Agent.ts"
import { ContextWindow, type RequestPlan } from "../../services/ContextWindow.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Intake } from "../../services/Intake.ts"
import { Provider } from "../../services/Provider.ts"
import { SettingsSnapshot } from "../../services/Settings.ts"
import type { Run } from "../Command.ts"
import type { Values } from "../args/Flags.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as ContextLines from "../render/text/ContextLines.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import { text } from "../render/view/DisplayText.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as FindSession from "../start/FindSession.ts"
import * as SessionOptions from "../start/SessionOptions.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args }) {
  const { cwd: hostCwd, stdout } = yield* Host
  const cwd = yield* WorkingFolder.open(hostCwd, values.cd)
  const isText = values.outputFormat === undefined || values.outputFormat === "text"
  if (values.preview === true) {
    const { body, plan } = yield* Effect.provide(
      preview(values, cwd, args.join(" ")),
      yield* UnattendedAgent.unattendedLayer(cwd, { ephemeral: true })
    )
    yield* stdout.write(
      isText ? previewLines(plan).map((line) => `${line}\n`).join("")
        : StreamJson.line({ tokens: plan.tokens, included: plan.included, request: body })
    )
    return 0
  }
  const { records } = yield* AgentLayers
  const [name = "latest"] = args
  const { id } = yield* Effect.provide(FindSession.find(name, name === "latest" ? cwd : undefined), records)
  const work = Effect.gen(function*() {
    const log = yield* EventLog
    const context = yield* ContextWindow
    const session = Session.fold(yield* log.read(id))
    const report = yield* context.report(session, Session.activeModel(session).model)
    yield* stdout.write(isText ? ContextLines.lines(report, true).map((line) => `${line}\n`).join("") : StreamJson.line(report))
    return 0
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})

/** Plans the first request of a session that is not stored; `body` is what would be sent. MCP servers are not started. */
const preview = Effect.fnUntraced(function*(values: Values, cwd: string, message: string) {
  const { environment } = yield* Host
  const agent = yield* Agent
  const context = yield* ContextWindow
  const intake = yield* Intake
  const provider = yield* Provider
  const settings = yield* SettingsSnapshot
  const id = yield* agent.start(yield* SessionOptions.resolve(values, "interactive", environment, { cwd, settings }))
  const log = yield* (yield* EventLog).open(id)
  const input = yield* intake.read({ session: yield* log.state, putBlob: log.putBlob, getBlob: log.getBlob }, message)
  yield* log.append([{ _tag: "UserSaid", text: input.text, delivery: "task", parts: input.parts }])
  const session = yield* log.state
  const { model, toolFormat } = Session.activeModel(session)
  const effectiveSession = { ...session, settings: { ...session.settings, model, toolFormat } }
  const request = yield* context.weigh(effectiveSession, yield* context.gather(session), model)
  const plan = yield* context.plan(request, yield* context.include(request))
  return { plan, body: (yield* provider.prepare(model, plan.request)).body }
}, Effect.scoped)

/** The request as a person reads it. */
const previewLines = ({ included, request: { messages, system }, tokens, tools }: RequestPlan): ReadonlyArray<string> => [
  `First request: about ${BlockLines.thousands(tokens)} tokens. Nothing was sent.`,
  `Included automatically: ${included.length === 0 ? "no files" : included.map(({ path, why }) => `${text(path)} (${why})`).join(", ")}`,
  `Tools: ${tools.map(({ name }) => text(name)).join(", ")}; those of MCP servers are added once they are connected`,
  ...section("System prompt", text(system)),
  ...messages.flatMap((message) => section(`Message of the ${message.role}`, text(messageText(message))))
]

const section = (title: string, body: string): ReadonlyArray<string> => ["", `── ${title}`, "", ...body.trimEnd().split("\n")]

const messageText = ({ content }: Message): string =>
  content.map((part) => part._tag === "Text" ? part.text : `[${part._tag.toLowerCase()}]`).join("\n\n")
