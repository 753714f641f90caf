/** What a turn costs, counted instead of timed: calls of the file system and transactions, of the built command against a scripted server. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"
import * as Process from "../cli/support/Process.ts"

interface Counts {
  /** Calls that another thread makes while the process waits: Node hands each over and back. */
  readonly handedOver: number
  readonly direct: number
  readonly transactions: number
  readonly requestBytes: number
}

/** Transactions in SQLite's log (https://sqlite.org/fileformat2.html#walformat): frames with the size of the database, of the log's current salt. */
const transactions = (file: string): number => {
  const log = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  if (log.length < 32) return 0
  const frameBytes = 24 + log.readUInt32BE(8)
  let count = 0
  for (let at = 32; at + frameBytes <= log.length && log.compare(log, 16, 24, at + 8, at + 16) === 0; at += frameBytes)
    if (log.readUInt32BE(at + 4) > 0) count++
  return count
}

const traceOf = (file: string) => {
  const { traceEvents } = JSON.parse(readFileSync(file, "utf8")) as { readonly traceEvents: ReadonlyArray<{ readonly cat: string; readonly ph: string }> }
  const calls = (category: string, phase: string) => traceEvents.filter(({ cat, ph }) => cat.endsWith(category) && ph === phase).length
  return { handedOver: calls("node.fs.async", "b"), direct: calls("node.fs.sync", "B") }
}

/** A task of so many turns that read a file each. */
const run = (turns: number) =>
  Effect.gen(function*() {
    const at = yield* Effect.acquireRelease(Effect.sync(Process.place), (at) => Effect.sync(() => at[Symbol.dispose]()))
    const place = { ...at, environment: { ...at.environment, ANTHROPIC_API_KEY: "sk-ant-test" } }
    writeFileSync(join(place.cwd, "a.txt"), "one\n".repeat(50))
    const seen: Array<Pick<Counts, "requestBytes" | "transactions">> = []
    const server = yield* Server.start(anthropic, ({ body }) => {
      const place = (body as { readonly messages: ReadonlyArray<{ readonly role: string }> }).messages.filter(({ role }) => role === "assistant").length
      seen.push({ transactions: transactions(join(at.root, "home", "data", "sessions.db-wal")), requestBytes: JSON.stringify(body).length })
      return Server.ScriptedResponse.Says({
        turn: place < turns ? { calls: [{ name: "read_file", params: { path: "a.txt", start_line: place % 40 + 1, end_line: place % 40 + 2 } }] } : { text: "Done." }
      })
    })
    const trace = join(at.root, "trace.json")
    const program = ["--trace-event-categories=node.fs.sync,node.fs.async", `--trace-event-file-pattern=${trace}`, Process.main]
    const args = ["-p", "--model", "anthropic/claude-sonnet-4-6", "--base-url", server.url, "Read it often"]
    const { code, stderr } = yield* Effect.promise(() => Process.start(place, args, "ignore", program).ended)
    expect([code, stderr, server.requests.length]).toEqual([0, "", turns + 1])
    return { ...traceOf(trace), ...seen.at(-1)!, firstRequestBytes: seen[0]!.requestBytes }
  }).pipe(Effect.scoped)

/** What each turn between these two adds. */
const perTurn = (from: readonly [number, Counts], to: readonly [number, Counts]): Counts => {
  const each = (field: keyof Counts) => (to[1][field] - from[1][field]) / (to[0] - from[0])
  return { handedOver: each("handedOver"), direct: each("direct"), transactions: each("transactions"), requestBytes: each("requestBytes") }
}

describe("a turn that reads a file", () => {
  it.live("costs a bounded number of file calls and transactions, late in a session as early", () =>
    Effect.gen(function*() {
      const [short, middle, long] = [yield* run(2), yield* run(22), yield* run(62)]
      const early = perTurn([2, short], [22, middle])
      const late = perTurn([22, middle], [62, long])
      // With the browser, which takes 0.7 kB where one is installed.
      expect(short.firstRequestBytes).toBeLessThan(9_400)
      expect(early.handedOver).toBeLessThanOrEqual(3)
      expect(early.direct).toBeLessThanOrEqual(130)
      expect(early.transactions).toBeGreaterThan(2)
      expect(early.transactions).toBeLessThanOrEqual(5)
      for (const field of ["handedOver", "direct", "transactions"] as const) expect(Math.abs(late[field] - early[field])).toBeLessThanOrEqual(1 + 0.05 * early[field])
      expect(late.requestBytes).toBeLessThan(1.1 * early.requestBytes)
    }))
})
