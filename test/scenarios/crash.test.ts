/** The process dies in the middle of its work: nothing that was shown is lost, nothing runs twice, nothing is left running. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import * as Process from "../cli/support/Process.ts"

const flags = ["--output-format", "events", "--permission-mode", "bypassPermissions"]

interface Line {
  readonly seq: number
  readonly event: { readonly _tag: string; readonly outcome?: { readonly status: string }; readonly draft?: string | null }
}
const lines = (stdout: string): ReadonlyArray<Line> =>
  stdout.split("\n").flatMap((line) => {
    try {
      return line.startsWith("{\"v\"") ? [JSON.parse(line) as Line] : []
    } catch {
      return []
    }
  })

/** Kills a run when it has shown `shown` and `until` holds. */
const killed = async (place: Process.Place, args: ReadonlyArray<string>, shown: string, until = () => true) => {
  const running = Process.start(place, args)
  await running.shows("stdout", shown)
  for (let looks = 0; !until() && looks < 1_000; looks++) await setTimeout(10)
  running.child.kill("SIGKILL")
  return await running.ended
}

const resumed = async (place: Process.Place) => {
  const ended = await Process.run(place, ["-p", "--continue", ...flags])
  expect(ended).toMatchObject({ code: 0, stderr: "" })
  const replayed = await Process.run(place, ["replay", "latest", "--verify"])
  expect(replayed).toMatchObject({ code: 0, stderr: "" })
  return ended
}

const alive = (mark: string): boolean => {
  try {
    return execFileSync("pgrep", ["-f", mark], { encoding: "utf8" }).trim() !== ""
  } catch {
    return false
  }
}

describe("a process that is killed", () => {
  it("in the middle of a command: its outcome is unknown, it is not run again, and nothing of it is left", async () => {
    await using place = Process.scene()
    const mark = `sleep 98${process.pid}`
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: `echo ran >> ran.txt; ${mark}` } }] },
      { text: "I looked.", expect: { lastResult: "dacapo stopped while this call was running" } }
    )
    const ran = () => existsSync(join(place.cwd, "ran.txt"))
    const dead = await killed(place, ["-p", "--model", model, ...flags, "Go"], "\"ToolStarted\"", ran)
    const { stdout } = await resumed(place)
    const kept = lines(stdout)
    expect(kept[0]?.seq).toBe(lines(dead.stdout).at(-1)!.seq + 1)
    expect(kept.filter(({ event }) => event._tag === "ToolFinished").map(({ event }) => event.outcome?.status)).toEqual(["unknown"])
    expect(readFileSync(join(place.cwd, "ran.txt"), "utf8")).toBe("ran\n")
    expect(alive(mark)).toBe(false)
  })

  it("in the middle of an answer: what was said is kept as a draft, and the model is asked again", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "word ".repeat(60), chunkSize: 5, delayMs: 20 })
    const drafted = () => {
      using database = new DatabaseSync(join(place.root, "home", "data", "sessions.db"), { readOnly: true, timeout: 10_000 })
      return database.prepare("SELECT session FROM draft").all().length > 0
    }
    await killed(place, ["-p", "--model", model, ...flags, "Go"], "\"ModelRequested\"", drafted)
    const failed = lines((await resumed(place)).stdout).find(({ event }) => event._tag === "ModelFailed")
    expect(failed?.event).toMatchObject({ reason: { _tag: "Crashed" }, draft: expect.any(String) })
  })

  it("between two reads: they run again", async () => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "list_files", params: { path: "." } }, { name: "list_files", params: { path: "." } }] },
      { text: "Done." }
    )
    await killed(place, ["-p", "--model", model, ...flags, "Go"], "\"ToolProposed\"")
    const outcomes = lines((await resumed(place)).stdout).filter(({ event }) => event._tag === "ToolFinished")
    expect(outcomes.every(({ event }) => event.outcome?.status === "succeeded")).toBe(true)
  })
})
