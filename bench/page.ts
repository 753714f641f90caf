/** The page of `serve` in Chromium: frames while an answer of 1 MiB streams in, a session of 10,000 events, and seeks in it. */
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Session from "../src/domain/session/Session.ts"
import type { Settled } from "../src/domain/session/SessionEvent.ts"
import { Storage } from "../src/services/Storage.ts"
import * as HashChain from "../src/layers/storage/HashChain.ts"
import * as Sqlite from "../src/layers/storage/sqlite/Sqlite.ts"
import * as History from "../src/web/model/History.ts"
import * as Process from "../test/cli/support/Process.ts"
import { log, turn } from "../test/web/support/Events.ts"
import * as Served from "../test/web/support/Served.ts"
import { cpu, percentile, report } from "./measure.ts"

if (Served.program === undefined) {
  console.log("There is no Chromium on this machine: the page is not measured.")
  process.exit(0)
}

using place = Process.place()
const paragraph = "The **total** ignores the `count` of each item, so two of them cost as much as one.\n\n- one\n- two\n\n```ts\nconst a = 1\n```\n\n"
const script = join(place.root, "long.json")
writeFileSync(script, JSON.stringify({ turns: [{ text: paragraph.repeat(Math.ceil(1_048_576 / paragraph.length)), chunkSize: 20 }] }))

/** A stored session of 10,000 events. */
const id = randomUUID()
const start: Settled = { _tag: "SessionStarted", id, version: "0", cwd: place.cwd, home: place.root, seed: "s", settings: Session.empty.settings }
const settled = [start, ...Array.from({ length: 1_250 }, (_, i) => turn(i)).flat()].slice(0, 10_000)
const lines: Array<ReturnType<typeof HashChain.line>> = []
for (const event of settled) lines.push(HashChain.line(lines.at(-1)?.hash ?? "", lines.length, 1_795_000_000_000 + lines.length, event))
await Effect.runPromise(
  Effect.flatMap(Storage, ({ append }) =>
    append(id, lines, { sync: false, summary: { cwd: place.cwd, title: "Long", model: "scripted/model", created: 1, updated: 2 } })).pipe(
      Effect.provide(Sqlite.layerIn(join(place.root, "home", "data")))
    )
)

const server = await Served.serve(place, `scripted/${script}`)
const browser = await Served.launch()
const { page } = await Served.openPage(browser, { viewport: { width: 1600, height: 900 } })

/** Collects the times between frames until `stop`. */
const recorder = `window.frames = []; (() => { let last = performance.now(); const next = (now) => { window.frames.push(now - last); last = now; if (!window.stopped) requestAnimationFrame(next) }; window.stopped = false; requestAnimationFrame(next) })()`
const frames = async (): Promise<ReadonlyArray<number>> => await page.evaluate("window.stopped = true, window.frames") as ReadonlyArray<number>

await page.goto(server.address)
await page.locator(".row").first().waitFor()
const firstPaint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0") as number

const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
await page.goto(`${server.url}/#/session/${session}`)
await page.locator("#composer").fill("write a lot")
await page.evaluate(recorder)
await page.locator("#composer").press("Enter")
await page.locator(".session-header .state", { hasText: "finished" }).waitFor({ timeout: 300_000 })
const streaming = await frames()

const opening = performance.now()
await page.goto(`${server.url}/#/session/${id}`)
await page.locator(".travel .facts", { hasText: "10000 events" }).waitFor({ timeout: 60_000 })
const opened = performance.now() - opening
await page.evaluate(recorder)
const slider = page.getByRole("slider", { name: "Event", exact: true })
for (let i = 0; i < 100; i++) await slider.fill(`${(i * 7919) % 10_000}`)
const sliding = await frames()
await browser.close()
await server.stop()

const history = History.make()
for (const at of log(settled)) History.push(history, at)
const seeks = Array.from({ length: 2_000 }, (_, i) => {
  const before = cpu()
  History.momentAt(history, (i * 7919) % 10_000)
  return cpu() - before
})

report("The page", "ms", [
  { claim: "first contentful paint", ours: firstPaint, limit: 300 },
  { claim: "a frame while 1 MiB streams in, 95th percentile", ours: percentile(streaming, 0.95), limit: 50 },
  { claim: "opening a session of 10,000 events", ours: opened },
  { claim: "a frame while the slider moves over it, 95th percentile", ours: percentile(sliding, 0.95), limit: 50 },
  { claim: "the state at one of 10,000 events, 99th percentile of processor time", ours: percentile(seeks, 0.99), limit: 5 }
])
