/** Gathers facts from the sources and plans purely. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Plan from "../../domain/context/Plan.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import type { Source } from "../../services/Source.ts"
import { Tools } from "../../services/Tools.ts"
import { builtin } from "./builtin.ts"

type Needs = (typeof builtin)[number] extends infer S ? S extends Source<infer R> ? R : never : never

const nothing: Facts = { platform: "", shell: "", date: "", git: null, rules: [] }

export const layer: Layer.Layer<ContextWindow, never, Tools | Needs> = Layer.effect(
  ContextWindow,
  Effect.gen(function*() {
    const tools = yield* Tools
    const services = yield* Effect.context<Needs>()
    const sources: ReadonlyArray<Source<Needs>> = builtin

    const gather = Effect.fn("ContextWindow.gather")(function*({ cwd, facts: known }: { readonly cwd: string; readonly facts: Facts | undefined }) {
      const due = known === undefined ? sources : sources.filter(({ fixed }) => !fixed)
      const parts = yield* Effect.forEach(due, (source) => source.gather({ cwd }), { concurrency: "unbounded" }).pipe(
        Effect.provide(services)
      )
      const facts = parts.reduce<Facts>((whole, part) => ({ ...whole, ...part }), known ?? nothing)
      return known !== undefined && Equal.equals(facts, known) ? known : facts
    })

    return ContextWindow.of({
      gather,
      plan: (session, facts, model) =>
        Effect.fromResult(Plan.make({ session, facts, model, tools: tools.specs(session.settings.mode) }))
    })
  })
)
