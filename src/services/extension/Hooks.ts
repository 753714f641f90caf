/** Runs the hooks of a session: programs of the user, with JSON in and out. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Hook } from "../../domain/hook/Hook.ts"
import type { HookRecord } from "../../domain/hook/HookAnswer.ts"
import type { HookPoint } from "../../domain/hook/HookPoint.ts"

/** The hooks of one moment, which run side by side. */
export interface HookRequest {
  readonly point: HookPoint
  readonly hooks: ReadonlyArray<Hook>
  readonly cwd: string
  /** The name of the tool that the moment is about. */
  readonly tool?: string
  /** The JSON that each of them reads on standard input. */
  readonly input: Schema.Json
}

export class Hooks extends Context.Service<Hooks, {
  /** Never fails: a hook that can't run has answered so. The processes of a hook end with it. */
  readonly answer: (request: HookRequest) => Effect.Effect<HookRecord>
}>()("dacapo/Hooks") {}
