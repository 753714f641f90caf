/** Gathers facts from the sources and plans purely. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Compaction from "../../domain/context/compaction/Compaction.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as Report from "../../domain/context/ContextReport.ts"
import * as Plan from "../../domain/context/RequestPlan.ts"
import * as Budget from "../../domain/context/WindowBudget.ts"
import * as Gauge from "../../domain/context/WindowUsage.ts"
import * as Inclusion from "../../domain/context/AutoInclude.ts"
import * as InPlay from "../../domain/context/InPlay.ts"
import * as Tokens from "../../domain/context/Tokens.ts"
import type { Model } from "../../domain/provider/Model.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts, Included } from "../../domain/session/SessionEvent.ts"
import { Approval } from "../../services/Approval.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import type { Environment } from "../../services/Environment.ts"
import type { Source } from "../../services/Source.ts"
import type { Storage } from "../../services/Storage.ts"
import { Tools } from "../../services/Tools.ts"
import type { Trust } from "../../services/Trust.ts"
import type { Workspace } from "../../services/Workspace.ts"
import { builtin } from "./builtin.ts"
import * as FilesIncluded from "./AutoIncludeFiles.ts"
import * as FilesChanged from "./sources/changed.ts"
import * as SmallFile from "./sources/SmallFile.ts"

type Needs = ((typeof builtin)[number] extends infer S ? S extends Source<infer R> ? R : never : never) | Approval | Environment | FileSystem.FileSystem | Storage | Trust | Workspace

/** Files that sources look at again and again. */
const looking = Layer.merge(SmallFile.layer, FilesChanged.layer)

export const layer: Layer.Layer<ContextWindow, never, Tools | Exclude<Needs, SmallFile.SmallFiles | FilesChanged.FileHashes> | FileSystem.FileSystem> = Layer.effect(
  ContextWindow,
  Effect.gen(function*() {
    const tools = yield* Tools
    const services = yield* Effect.context<Needs>()
    const sources: ReadonlyArray<Source<Needs>> = builtin
    const filesFor = yield* FilesIncluded.make

    const gather = Effect.fn("ContextWindow.gather")(function*({ cwd, facts: known, files }: Session) {
      const due = known === undefined ? sources : sources.filter(({ fixed }) => !fixed)
      const parts = yield* Effect.forEach(due, (source) => source.gather({ cwd, files }), { concurrency: "unbounded" }).pipe(
        Effect.provide(services)
      )
      const facts = parts.reduce<Facts>((whole, part) => ({ ...whole, ...part }), known ?? FactsChange.nothing)
      return known !== undefined && Equal.equals(facts, known) ? known : facts
    })

    const input = (session: Session, facts: Facts, model: Model, included: ReadonlyArray<Included> = []): Plan.Input =>
      ({ session, facts, model, tools: tools.specs(session), included })

    /** Tokens of ours that files may take which go along with the next message. */
    const room = (session: Session, facts: Facts, model: Model) =>
      Effect.fromResult(Result.map(Plan.weigh(input(session, facts, model)), ({ messages, tokens }) => {
        const told = (counted: number): number => Gauge.tokens(session.gauge, counted)
        const included = told(InPlay.included(messages).reduce((sum, part) => sum + Tokens.ofPart(part).tokens, 0))
        const { autoFiles: most = Inclusion.usual.tokens } = session.settings
        return Math.floor(Inclusion.room({ usable: Budget.usable(model), tokens: told(tokens), included, most }) / session.gauge.factor)
      }))

    return ContextWindow.of({
      gather,
      report: (session, model) =>
        Effect.flatMap(session.facts === undefined ? gather(session) : Effect.succeed(session.facts), (facts) =>
          Effect.fromResult(Report.make(input(session, facts, model)))),
      compact: (session, facts, model, options) =>
        Effect.fromResult(Result.map(Plan.weigh(input(session, facts, model)), (weighed) =>
          Compaction.next(session, model, weighed, options?.summaries))),
      include: Effect.fn("ContextWindow.include")(function*(session, facts, model) {
        return takesFiles(session) && tools.specs(session).some(({ name }) => name === "read_file")
          ? yield* Effect.provide(filesFor(session, facts, room(session, facts, model)), services)
          : []
      }),
      plan: (session, facts, model, included) =>
        Effect.fromResult(Plan.make(input(session, facts, model, included)))
    })
  })
).pipe(Layer.provide(looking))

/** Files go along with a message that is not sent yet; a session that another one gave its work is told what it needs. */
const takesFiles = ({ calls, parent, said, settings: { autoFiles } }: Session): boolean =>
  autoFiles !== 0 && parent === undefined && calls.length + said.length > 0
