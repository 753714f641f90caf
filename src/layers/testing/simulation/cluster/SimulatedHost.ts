/** The sessions that a simulated runner runs: the real agent and the real control protocol, over the simulated surroundings. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { ControlError } from "../../../../domain/control/ControlError.ts"
import { isOperationFailure, type OperationFailure } from "../../../../domain/control/OperationFailure.ts"
import { RequestFailed } from "../../../../domain/control/RequestFailed.ts"
import { notFound } from "../../../../domain/session/LogError.ts"
import { Approver } from "../../../../services/Approver.ts"
import { type RunningSession, SessionHost } from "../../../../services/cluster/SessionHost.ts"
import { HandOver } from "../../../../services/process/HandOver.ts"
import { Storage } from "../../../../services/Storage.ts"
import type * as Composition from "../../../Composition.ts"
import { continueSession, holdSession } from "../../../cluster/HoldSession.ts"
import * as Controller from "../../../control/Controller.ts"
import * as PendingRequests from "../../../control/PendingRequests.ts"
import * as Test from "../../../Test.ts"
import * as Stream from "effect/Stream"
import type { Life } from "../Life.ts"
import { type Replacements, services } from "../SimulatedServices.ts"
import * as SimulatedUser from "../SimulatedUser.ts"
import type { World } from "../World.ts"

const requestFailed = (failure: ControlError | OperationFailure): RequestFailed =>
  new RequestFailed({
    reason: failure._tag === "ControlError" ? "Invalid"
      : failure._tag === "LogError" && failure.reason._tag === "NotFound" ? "NotFound" : "Failed",
    message: failure.message,
    ...(isOperationFailure(failure) ? { error: failure } : {})
  })

/** The services of a session that is open: they are made when it is opened. */
const build = (world: World, life: Life, storage: Storage["Service"], pending: PendingRequests.PendingRequests, options: Replacements) =>
  services({ world, life }, {
    ...options,
    replace: (place) =>
      ({
        approver: Layer.succeed(Approver, pending.approver),
        storage: Layer.succeed(Storage, storage),
        ...options.replace?.(place)
      }) as Partial<Composition.Parts<never, Composition.All>>
  })

/** `lifeOf`: what a session does outside its process, unless another process has it by then. */
export const make = (world: World, lifeOf: (root: string) => Life, options: Replacements) =>
  Effect.gen(function*() {
    const storage = yield* Storage

    const open: SessionHost["Service"]["open"] = (id, operation) =>
      Effect.gen(function*() {
        const [stored] = yield* storage.list({ id })
        if (stored === undefined && operation?._tag !== "Start") return yield* notFound(id, [])
        const pending = PendingRequests.make(`request_${world.nextName()}`)
        let isClosing = false
        const holding = yield* Scope.fork(yield* Effect.scope)
        const context = yield* Layer.buildWithMemoMap(
          Layer.provide(build(world, lifeOf(id), storage, pending, options), Layer.succeed(HandOver, { isDue: () => isClosing })),
          yield* Layer.makeMemoMap,
          yield* Effect.scope
        )
        yield* Effect.addFinalizer(() => Effect.sync(() => void (isClosing = true)))
        const ownTools = (options.tools ?? []).map(({ name }) => name)
        const resolve = () => Effect.sync(() => ({ ...SimulatedUser.sessionOptions(world, Test.cwd, ownTools), id }))
        const controller = yield* Effect.provide(Controller.make<never>({ pending, resolve }), context)
        if (stored === undefined) yield* controller.run({ _tag: "Start" })
        yield* holdSession(id).pipe(Scope.provide(holding), Effect.provide(context))
        if (stored !== undefined) yield* Effect.provide(continueSession(id), context)
        return {
          run: (operation) =>
            operation._tag === "Start" ? Effect.succeed({ session: id }) : Effect.mapError(controller.run(operation), requestFailed),
          settled: (session) => Effect.mapError(controller.settled(session), requestFailed),
          events: (session, from) =>
            Stream.mapError(
              controller.events(session, from),
              (error) => error._tag === "Detached" ? new RequestFailed({ reason: "Failed", message: error.message }) : requestFailed(error)
            )
        } satisfies RunningSession as RunningSession
      }).pipe(Effect.mapError(requestFailed))

    return SessionHost.of({ open })
  })
