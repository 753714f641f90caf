/**
 * Sends two signals to the real command at random moments of its work, and holds it to what an ending promises: one result,
 * the exit code of the first signal, a whole log, and no process that is left, though commands ignore what asks them to end.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { randomAt } from "../../src/domain/session/SeededRandom.ts"
import * as Process from "../cli/support/Process.ts"

/** Deaf to everything but SIGKILL, in a session of its own too. */
const deaf = "trap '' TERM INT HUP; (setsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 0.1; done' &) ; echo begun >> begun.txt; while :; do sleep 0.1; done"

const command = (command: string, more: object = {}) => ({ calls: [{ name: "run_command", params: { command, ...more } }] })
const words = { text: "word ".repeat(400), chunkSize: 5, delayMs: 10 }

/** Scripts of a model, by the kind of work that they make. */
const kinds: Readonly<Record<string, object>> = {
  "an answer": { turns: [words] },
  "a command": { turns: [command(deaf), { text: "It ended." }] },
  "commands side by side": { turns: [{ calls: [1, 2, 3].map(() => ({ name: "run_command", params: { command: deaf } })) }, { text: "They ended." }] },
  "a background command": { turns: [command(deaf, { background: true }), words] },
  "edits": { turns: [...Array.from({ length: 20 }, (_, i) => ({ calls: [{ name: "write_file", params: { path: `f${i}.txt`, content: "x".repeat(50_000) } }] })), words] },
  "a subagent": {
    turns: [{ calls: [{ name: "delegate", params: { tasks: [{ prompt: "Part 1.", name: "kid", mode: "edit" }] } }] }, { text: "All is told." }],
    children: [{ prompt: "Part 1.", turns: [command(deaf), { text: "- Done." }] }]
  }
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const names = Object.keys(signals) as ReadonlyArray<keyof typeof signals>

export interface Try {
  readonly what: string
  readonly broken: ReadonlyArray<string>
  /** ms from the second signal to the end. */
  readonly endedMs: number
}

/** Commands that were started with this home and live. */
const left = (home: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(home) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
    } catch {
      return false
    }
  })

export const tryOnce = async (seed: string, number: number): Promise<Try> => {
  const chance = (of: string): number => randomAt(`${seed}/${of}`, number)
  const pick = <A>(all: ReadonlyArray<A>, of: string): A => all[Math.floor(chance(of) * all.length)]!
  const kind = Object.keys(kinds)[number % Object.keys(kinds).length]!
  const [first, second] = [pick(names, "first"), pick(names, "second")]
  const [work, between] = [Math.floor(chance("work") * 1200), Math.floor(chance("between") ** 2 * 1500)]
  using place = Process.place()
  const script = join(place.root, "task.json")
  writeFileSync(script, JSON.stringify(kinds[kind]))
  const format = pick(["json", "stream-json"], "format")
  const running = Process.start(place, ["-p", "--output-format", format, "--permission-mode", "bypassPermissions", "--model", `scripted/${script}`, "Go"])
  for (let looks = 0; looks < 1000 && !existsSync(join(place.root, "home", "data", "sessions.db")); looks++) await setTimeout(10)
  await setTimeout(work)
  const isOver = running.child.exitCode !== null || running.child.signalCode !== null
  running.child.kill(first)
  await setTimeout(between)
  running.child.kill(second)
  const since = performance.now()
  const { code, signal, stdout } = await running.ended
  const endedMs = Math.round(performance.now() - since)
  const results = stdout.split("\n").filter((line) => line.includes("\"type\":\"result\""))
  const replayed = await Process.run(place, ["replay", "latest", "--verify"])
  const checked = await Process.run(place, ["fsck"])
  const living = left(place.root)
  living.forEach((pid) => process.kill(Number(pid), "SIGKILL"))
  return {
    what: `${kind}, ${first} after ${work} ms, ${second} after ${between} ms more`,
    endedMs,
    broken: [
      ...(results.length === 1 ? [] : [`${results.length} results`]),
      ...(isOver || code === signals[first] ? [] : [`it ended with ${code ?? signal}`]),
      ...(endedMs < 30_000 ? [] : [`it took ${endedMs} ms to end`]),
      ...(living.length === 0 ? [] : [`${living.length} processes are left`]),
      ...(replayed.code === 0 || replayed.stderr.includes("No sessions yet") ? [] : [`the replay goes another way: ${replayed.stderr}`]),
      ...(checked.code === 0 ? [] : [`the store is damaged: ${checked.stdout}`])
    ]
  }
}
