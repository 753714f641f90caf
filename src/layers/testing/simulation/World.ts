/**
 * What a simulated session lives in, and what outlives its process: stored sessions, files, checkpoints, time, and a journal of
 * what really happened outside, which the logs must agree with.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Storage } from "../../../services/Storage.ts"
import * as DiffLive from "../../diff/DiffLive.ts"
import * as MemoryStorage from "../../storage/MemoryStorage.ts"
import * as MemoryCheckpoints from "../MemoryCheckpoints.ts"
import * as MemoryWorkspace from "../MemoryWorkspace.ts"
import * as Dice from "./Dice.ts"
import * as FaultPlan from "./FaultPlan.ts"
import type { Monitor } from "./Monitor.ts"
import type { Time } from "./VirtualClock.ts"

/** A process that the shell started. */
export interface StartedProcess {
  readonly command: string
  /** The process of ours that started it, by number. */
  readonly life: number
  readonly session: string | undefined
  isRunning: boolean
}

/** What happened outside the logs. */
export interface Journal {
  /** How often each effect happened: every command and edit of the model's has a name of its own. */
  readonly effects: Map<string, number>
  /** Effects that the user allowed to happen again. */
  readonly allowedAgain: Set<string>
  readonly processes: Array<StartedProcess>
  /** What the provider charged, in USD and tokens. */
  charged: { usd: number; tokens: number }
  requests: number
}

export interface World {
  readonly seed: number
  readonly plan: FaultPlan.FaultPlan
  readonly time: Time
  readonly store: Storage["Service"]
  readonly checkpoints: Checkpoints["Service"]
  readonly files: MemoryWorkspace.Files
  /** JSON files beside the workspace. */
  readonly texts: Map<string, string>
  readonly journal: Journal
  readonly monitors: Map<string, Monitor>
  /** Called when events of a session are stored. */
  readonly listeners: Set<() => void>
  /** Rules that were broken, the first one first. */
  readonly violations: Array<string>
  /** What was done to the session, to read a failure by. */
  readonly actions: Array<string>
  /** Numbers for one subject, drawn apart from those of others. */
  readonly dice: (subject: string) => Dice.Dice
  /** 1, 2, 3 and so on: a name for everything that may happen once. */
  readonly nextName: () => number
}

export interface Options extends FaultPlan.Options {
  readonly seed: number
}

/** Noon of a day in 2026, UTC. */
const startTime = 1_780_000_000_000

const initialFiles = (): MemoryWorkspace.Files =>
  MemoryWorkspace.files({
    "a.txt": Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join(""),
    "b.txt": Array.from({ length: 12 }, (_, slot) => `slot ${slot}: free\n`).join(""),
    "src/c.ts": "export const c = 1\n"
  })

export const make = Effect.fnUntraced(function*({ seed, ...options }: Options) {
  const files = initialFiles()
  const services = yield* Layer.build(Layer.mergeAll(MemoryStorage.layer, Layer.provide(MemoryCheckpoints.layer(files), DiffLive.layer)))
  const streams = new Map<string, Dice.Dice>()
  let names = 0
  const world: World = {
    seed,
    plan: FaultPlan.make(seed, options),
    time: { now: startTime },
    store: Context.get(services, Storage),
    checkpoints: Context.get(services, Checkpoints),
    files,
    texts: new Map(),
    journal: { effects: new Map(), allowedAgain: new Set(), processes: [], charged: { usd: 0, tokens: 0 }, requests: 0 },
    monitors: new Map(),
    listeners: new Set(),
    violations: [],
    actions: [],
    dice: (subject) => streams.get(subject) ?? streams.set(subject, Dice.make(`${seed} ${subject}`)).get(subject)!,
    nextName: () => ++names
  }
  return world
})

/** An effect happens: at most once, unless the user allowed it to happen again. */
export const perform = ({ journal, violations }: World, effect: string): void => {
  const count = (journal.effects.get(effect) ?? 0) + 1
  journal.effects.set(effect, count)
  if (count > 1 && !journal.allowedAgain.has(effect)) violations.push(`"${effect}" happened ${count} times`)
}
