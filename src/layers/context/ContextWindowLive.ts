/** Gathers facts from the sources and plans purely. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as ContextReport from "../../domain/context/ContextReport.ts"
import * as RequestPlan from "../../domain/context/RequestPlan.ts"
import * as WindowBudget from "../../domain/context/WindowBudget.ts"
import * as WindowUsage from "../../domain/context/WindowUsage.ts"
import * as AutoInclude from "../../domain/context/AutoInclude.ts"
import * as Tokens from "../../domain/context/Tokens.ts"
import type { Model } from "../../domain/provider/Model.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import type { Approval } from "../../services/Approval.ts"
import type { BackgroundCommands } from "../../services/BackgroundCommands.ts"
import { ContextWindow, type RecordedTexts, type WeighedRequest } from "../../services/ContextWindow.ts"
import type { Environment } from "../../services/Environment.ts"
import type { Source } from "../../services/Source.ts"
import type { Storage } from "../../services/Storage.ts"
import { Tools } from "../../services/Tools.ts"
import type { Trust } from "../../services/Trust.ts"
import type { Workspace } from "../../services/Workspace.ts"
import * as ReadAccess from "../approval/ReadAccess.ts"
import { builtin } from "./builtin.ts"
import * as AutoIncludeFiles from "./AutoIncludeFiles.ts"
import type { SmallFiles } from "./sources/SmallFile.ts"

type Services =
  | ((typeof builtin)[number] extends infer S ? S extends Source<infer R> ? R : never : never)
  | Approval
  | BackgroundCommands
  | Environment
  | SmallFiles
  | Storage
  | Trust
  | Workspace

export const layer: Layer.Layer<ContextWindow, never, Tools | Services> = Layer.effect(
  ContextWindow,
  Effect.gen(function*() {
    const tools = yield* Tools
    const services = yield* Effect.context<Services>()
    const sources: ReadonlyArray<Source<Services>> = builtin
    const selectFiles = yield* AutoIncludeFiles.make

    /** Reads for a session's prompt: the user did not name the file, and nobody can be asked. */
    const withReads = (session: Session) => ReadAccess.withReadPolicy(session, "read_file", () => ReadAccess.unattended)

    const gather = Effect.fn("ContextWindow.gather")(function*(session: Session) {
      const { cwd, facts: previous, files, id } = session
      const activeSources = previous === undefined ? sources : sources.filter(({ isFixed }) => !isFixed)
      const parts = yield* Effect.forEach(activeSources, (source) => source.gather({ session: id, cwd, files }), {
        concurrency: "unbounded"
      }).pipe(
        withReads(session),
        Effect.provide(services)
      )
      const facts = parts.reduce<Facts>((merged, part) => ({ ...merged, ...part }), previous ?? FactsChange.noFacts)
      return previous !== undefined && Equal.equals(facts, previous) ? previous : facts
    })

    const input = (session: Session, facts: Facts, model: Model, recorded?: RecordedTexts): RequestPlan.Input => ({
      session,
      facts,
      model,
      tools: recorded?.tools ?? tools.specs({ ...session, facts }),
      recorded
    })

    return ContextWindow.of({
      gather,
      report: (session, model) =>
        Effect.flatMap(
          session.facts === undefined ? gather(session) : Effect.succeed(session.facts),
          (facts) => Effect.fromResult(ContextReport.make(input(session, facts, model)))
        ),
      weigh: (session, facts, model, recorded) => Effect.fromResult(RequestPlan.weigh(input(session, facts, model, recorded))),
      include: Effect.fn("ContextWindow.include")(function*(request) {
        const { facts, session } = request.input
        return usesAutoFiles(session) && tools.specs(session).some(({ name }) => name === "read_file")
          ? yield* Effect.provide(withReads(session)(selectFiles(session, facts, () => availableTokens(request))), services)
          : []
      }),
      plan: (request, included) => Effect.fromResult(RequestPlan.make(request, included)),
      prompt: (_session, request) => Effect.succeed(request)
    })
  })
)

/** The token limit, in our own count, for files that are sent with the next message automatically. */
const availableTokens = ({ input: { model, session }, messages, tokens }: WeighedRequest): number => {
  const calibrate = (counted: number): number => WindowUsage.tokens(session.windowUsage, counted)
  const included = calibrate(AutoInclude.included(messages).reduce((sum, part) => sum + Tokens.ofPart(part).tokens, 0))
  const { autoFiles: maxTokens = AutoInclude.defaults.tokens } = session.settings
  const usable = WindowBudget.usable(model)
  return Math.floor(AutoInclude.availableTokens({ usable, tokens: calibrate(tokens), included, maxTokens }) / session.windowUsage.factor)
}

/**
 * Files are only added to a message that was not sent yet; a subagent gets none, because its prompt says what it needs.
 */
const usesAutoFiles = ({ calls, parent, pendingContent, settings: { autoFiles } }: Session): boolean =>
  autoFiles !== 0 && parent === undefined && calls.length + pendingContent.length > 0
