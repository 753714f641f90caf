/** The sessions of a runner: one that closes is gone from the process, and its next message finds it in the store. */
import { afterEach, beforeEach, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as RunnerSessions from "../../../src/cli/cluster/RunnerSessions.ts"
import { AgentLayers } from "../../../src/cli/process/AgentLayers.ts"
import * as AgentLayersLive from "../../../src/cli/process/AgentLayersLive.ts"
import * as Records from "../../../src/layers/Records.ts"
import { EventLog } from "../../../src/services/EventLog.ts"
import { processHost } from "../support/Called.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dacapo-runner-"))
  vi.stubEnv("DACAPO_HOME", join(folder, "home"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

it.live("a session that was closed opens again in the same process, and continues its log", () => {
  const lives: Array<string> = []
  /** The live layers, which note when those of a session are built and closed. */
  const watched = Layer.effect(
    AgentLayers,
    Effect.map(AgentLayers, (live) => ({
      ...live,
      layer: (options) =>
        Layer.merge(
          live.layer(options),
          Layer.effectDiscard(
            Effect.acquireRelease(Effect.sync(() => lives.push("opened")), () => Effect.sync(() => lives.push("closed")))
          )
        )
    }))
  )
  return Effect.gen(function*() {
    const script = join(folder, "script.json")
    writeFileSync(script, JSON.stringify({ turns: [{ text: "First." }, { text: "Second." }] }))
    const values = { model: `scripted/${script}`, sandbox: "danger-full-access" } as const
    const host = yield* RunnerSessions.make(values, join(folder, "workspaces"))
    const say = (text: string) =>
      Effect.scoped(Effect.gen(function*() {
        const session = yield* host.open("a", { _tag: "Start" })
        yield* session.run({ _tag: "Say", session: "a", text })
        yield* session.settled("a")
      }))
    yield* say("one")
    yield* say("two")
    const events = yield* Effect.flatMap(EventLog, ({ read }) => read("a"))
    const ends = events.flatMap(({ event }) => event._tag === "TaskFinished" ? [event.result] : [])
    expect(ends).toEqual(["First.", "Second."])
    expect(lives).toEqual(["opened", "closed", "opened", "closed"])
  }).pipe(
    Effect.scoped,
    Effect.provide([
      Records.layer,
      Layer.provide(watched, AgentLayersLive.layer),
      processHost([], {}, { stdout: "", stderr: "" })
    ])
  )
})
