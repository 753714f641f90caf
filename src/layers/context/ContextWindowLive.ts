/** Gathers facts from the sources and plans purely. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Compaction from "../../domain/context/Compaction.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as Report from "../../domain/context/Report.ts"
import * as Plan from "../../domain/context/Plan.ts"
import type { Model } from "../../domain/provider/Model.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import type { Source } from "../../services/Source.ts"
import { Tools } from "../../services/Tools.ts"
import { builtin } from "./builtin.ts"
import * as FilesChanged from "./sources/changed.ts"
import * as SmallFile from "./sources/SmallFile.ts"

type Needs = (typeof builtin)[number] extends infer S ? S extends Source<infer R> ? R : never : never

/** Files that sources look at again and again. */
const looking = Layer.merge(SmallFile.layer, FilesChanged.layer)

export const layer: Layer.Layer<ContextWindow, never, Tools | Exclude<Needs, SmallFile.SmallFiles | FilesChanged.FileHashes> | FileSystem.FileSystem> = Layer.effect(
  ContextWindow,
  Effect.gen(function*() {
    const tools = yield* Tools
    const services = yield* Effect.context<Needs>()
    const sources: ReadonlyArray<Source<Needs>> = builtin

    const gather = Effect.fn("ContextWindow.gather")(function*({ cwd, facts: known, files }: Session) {
      const due = known === undefined ? sources : sources.filter(({ fixed }) => !fixed)
      const parts = yield* Effect.forEach(due, (source) => source.gather({ cwd, files }), { concurrency: "unbounded" }).pipe(
        Effect.provide(services)
      )
      const facts = parts.reduce<Facts>((whole, part) => ({ ...whole, ...part }), known ?? FactsChange.nothing)
      return known !== undefined && Equal.equals(facts, known) ? known : facts
    })

    const input = (session: Session, facts: Facts, model: Model): Plan.Input =>
      ({ session, facts, model, tools: tools.specs(session) })

    return ContextWindow.of({
      gather,
      report: (session, model) =>
        Effect.flatMap(session.facts === undefined ? gather(session) : Effect.succeed(session.facts), (facts) =>
          Effect.fromResult(Report.make(input(session, facts, model)))),
      compact: (session, facts, model, options) =>
        Effect.fromResult(Result.map(Plan.weigh(input(session, facts, model)), (weighed) =>
          Compaction.next(session, model, weighed, options?.summaries))),
      plan: (session, facts, model) =>
        Effect.fromResult(Plan.make(input(session, facts, model)))
    })
  })
).pipe(Layer.provide(looking))
