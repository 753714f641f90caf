/** What a server reports reaches an attached terminal as the error that it is. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as RemoteAgent from "../../src/cli/attach/RemoteAgent.ts"
import * as ServerConnection from "../../src/cli/attach/ServerConnection.ts"
import { serverError, type Wire, type WireError } from "../../src/cli/attach/Wire.ts"
import type { ClientEvent } from "../../src/domain/control/ClientEvent.ts"
import { SettingsError } from "../../src/domain/config/SettingsError.ts"
import { ProviderError } from "../../src/domain/provider/ProviderError.ts"
import { LogError } from "../../src/domain/session/LogError.ts"
import { CheckpointError } from "../../src/domain/workspace/Checkpoint.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Approver } from "../../src/services/Approver.ts"
import * as Process from "./support/Process.ts"
import { event } from "../web/support/Events.ts"
import { serve } from "./support/Server.ts"

const approver = Layer.succeed(Approver, {} as Approver["Service"])

/** The agent of a server that fails like this. */
const failing = (error: WireError) =>
  Effect.provide(
    Effect.map(Agent, (agent) => agent),
    Layer.provide(
      RemoteAgent.layer({ name: "server", operate: () => Effect.fail(error), sessions: () => Effect.fail(error), follow: () => Stream.fail(error) }),
      approver
    )
  )

describe("an attached agent", () => {
  const locked = new LogError({ session: "s", message: "In use.", reason: { _tag: "Locked", pid: 7 } })
  const unknownModel = new ProviderError({ provider: "p", message: "No such model.", reason: { _tag: "UnknownModel", near: ["a"] } })
  const settings = new SettingsError({ where: "file", message: "Wrong." })
  const checkpoint = new CheckpointError({ reason: "NotFound", message: "No checkpoint." })

  it.effect("passes on the errors that an operation can have", () =>
    Effect.gen(function*() {
      const agent = yield* failing(locked)
      expect(yield* Effect.flip(agent.say("s", "hi"))).toEqual(locked)
      expect(yield* Effect.flip(agent.state("s"))).toEqual(locked)
      expect(yield* Effect.flip(Stream.runDrain(agent.follow("s", 0)))).toEqual(locked)
      expect(yield* Effect.flip((yield* failing(unknownModel)).switchModel("s", "p/x"))).toEqual(unknownModel)
      expect(yield* Effect.flip((yield* failing(settings)).fork("s", {} as never))).toEqual(settings)
      expect(yield* Effect.flip((yield* failing(checkpoint)).rewind("s", { to: 1, files: true, conversation: true, remove: [] }))).toEqual(checkpoint)
    }))

  it.effect("says that the server failed when it can't be reached, or reports what the operation does not expect", () =>
    Effect.gen(function*() {
      const unreachable = yield* Effect.flip((yield* failing(serverError("No server answers."))).say("s", "hi"))
      expect(unreachable).toMatchObject({ _tag: "LogError", message: "No server answers.", reason: { _tag: "Server" } })
      const unexpected = yield* Effect.flip((yield* failing(checkpoint)).say("s", "hi"))
      expect(unexpected).toMatchObject({ message: expect.stringContaining("No checkpoint."), reason: { _tag: "Server" } })
    }))

  it.effect("follows a session over lost connections without a gap or a repetition, and gives up after half a minute", () =>
    Effect.gen(function*() {
      const asked: Array<number> = []
      const broken = serverError("The connection broke.")
      /** Two events with each connection, and nothing after the sixth. */
      const wire: Wire = {
        operate: () => Effect.fail(broken),
        sessions: () => Effect.fail(broken),
        follow: (_, from) => {
          asked.push(from)
          const events = from >= 6 ? [] : [from, from + 1].map((seq): ClientEvent => ({ _tag: "Settled", at: event(seq, { _tag: "ToolStarted", call: "c" }) }))
          return Stream.concat(Stream.fromIterable(events), Stream.fail(broken))
        }
      }
      const seen: Array<number> = []
      const follower = ServerConnection.reconnecting(wire).follow("s", 0).pipe(
        Stream.runForEach((one) => Effect.sync(() => void (one._tag === "Settled" && seen.push(one.at.seq)))),
        Effect.flip
      )
      const fiber = yield* Effect.forkChild(follower, { startImmediately: true })
      yield* TestClock.adjust("2 minutes")
      expect(yield* Fiber.join(fiber)).toEqual(broken)
      expect(seen).toEqual([0, 1, 2, 3, 4, 5])
      expect(asked.slice(0, 4)).toEqual([0, 2, 4, 6])
      expect(asked.length).toBe(3 + 30)
    }))

  it("gets them from a real server as data", async () => {
    await using place = Process.scene()
    const server = await serve(place, place.script({ text: "Hi." }))
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    expect(await server.operate({ _tag: "SetModel", session, model: "scripted/none.json" })).toMatchObject({
      reason: "Failed",
      error: { _tag: expect.stringMatching(/^(?:ProviderError|SettingsError)$/) }
    })
    expect(await server.operate({ _tag: "Interrupt", session: "00000000" })).toMatchObject({
      reason: "NotFound",
      error: { _tag: "LogError", reason: { _tag: "NotFound" } }
    })
    await server.stop()
  })
})
