/** The world fails in the ways that worlds fail: disks fill, folders can't be written, limits are low, others interfere. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { randomAt } from "../../src/domain/session/SeededRandom.ts"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Process from "../cli/support/Process.ts"

const flags = ["--output-format", "events", "--permission-mode", "bypassPermissions"]

const events = (stdout: string): ReadonlyArray<Settled> =>
  stdout.split("\n").flatMap((line) => line.startsWith("{\"v\"") ? [(JSON.parse(line) as SessionEvent).event] : [])

const outcomes = (stdout: string) => events(stdout).flatMap((event) => event._tag === "ToolFinished" ? [event.outcome] : [])

/** Runs commands one after the other in a world of their own, which `world` has made with mounts and limits. */
const inWorld = (place: Process.Place, world: string, ...commands: ReadonlyArray<ReadonlyArray<string>>): Promise<ReadonlyArray<Process.Ended>> => {
  const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
  const lines = commands.map((args, i) =>
    `${[process.execPath, Process.main, ...args].map(quoted).join(" ")} >${place.root}/out-${i} 2>${place.root}/err-${i}; echo $? >${place.root}/code-${i}`)
  const child = spawn("unshare", ["-rm", "bash", "-c", [world, ...lines].join("\n")], { cwd: place.cwd, env: place.environment, stdio: "ignore" })
  const told = (name: string) => readFileSync(join(place.root, name), "utf8")
  return new Promise((resolve) =>
    child.on("close", () =>
      resolve(commands.map((_, i) => ({ code: Number(told(`code-${i}`)), signal: null, stdout: told(`out-${i}`), stderr: told(`err-${i}`) })))))
}

/** Whether this machine lets us mount in a namespace of our own. */
const mounts = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0

const data = (place: Process.Place) => join(place.root, "home", "data")
const small = (folder: string, size: string) => `mkdir -p '${folder}' && mount -t tmpfs -o size=${size} tmpfs '${folder}'`
const readOnly = (folder: string) => `mkdir -p '${folder}' && mount --bind '${folder}' '${folder}' && mount -o remount,bind,ro '${folder}'`

const sentence = /^dacapo: [^\n]+\n$/
const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })

describe.runIf(mounts)("a disk that is full", () => {
  it("under the sessions: the task ends with 59, and what was shown is there", async () => {
    using place = Process.place()
    // Texts that don't compress, in a window that they fit into.
    const noise = (i: number) => Array.from({ length: 20_000 }, (_, k) => randomAt("noise", i * 20_000 + k).toString(36).slice(2)).join("")
    const file = join(place.root, "long.json")
    writeFileSync(file, JSON.stringify({ model: { window: 50_000_000, maxOutput: 8000 }, turns: Array.from({ length: 30 }, (_, i) => write(`${i}.txt`, noise(i))) }))
    const model = `scripted/${file}`
    const [ran, checked] = await inWorld(
      place,
      small(data(place), "3m"),
      ["-p", "--model", model, ...flags, "Go"],
      ["sessions", "show", "latest", "--output-format", "events"]
    )
    expect(ran!.code).toBe(59)
    expect(ran!.stderr).toMatch(sentence)
    expect(ran!.stderr).toContain("full")
    expect(checked!.code).toBe(0)
    const hashes = (lines: string) => lines.trimEnd().split("\n").map((line) => (JSON.parse(line) as { readonly hash: string }).hash)
    const kept = new Set(hashes(checked!.stdout))
    expect(hashes(ran!.stdout).filter((hash) => !kept.has(hash))).toEqual([])
  })

  it("under the workspace: the edit fails with a reason, the old file stays, the task continues", async () => {
    using place = Process.place()
    writeFileSync(join(place.root, "old"), "old\n")
    const model = place.script(write("a.txt", "x".repeat(400_000)), { text: "Then not." })
    const [ran, read] = await inWorld(
      place,
      `${small(place.cwd, "200k")}; cd '${place.cwd}'; cp ../old a.txt`,
      ["-p", "--model", model, ...flags, "Go"],
      ["-p", "--model", place.script({ calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "It is old.", expect: { lastResult: "old" } }), "Look"]
    )
    expect(ran!.code).toBe(0)
    expect(outcomes(ran!.stdout)).toMatchObject([{ status: "failed" }])
    expect(read).toMatchObject({ code: 0, stdout: "It is old.\n" })
  })

  it("under temporary files: the task continues", async () => {
    using place = Process.place()
    const temporary = join(place.root, "tmp")
    const model = place.script({ calls: [{ name: "run_command", params: { command: "echo it works" } }] }, { text: "Done.", expect: { lastResult: "it works" } })
    const [ran] = await inWorld(
      place,
      `${small(temporary, "4k")}; head -c 8000 /dev/zero > '${temporary}/full'; export TMPDIR='${temporary}'`,
      ["-p", "--model", model, "--permission-mode", "bypassPermissions", "Go"]
    )
    expect(ran).toMatchObject({ code: 0, stdout: "Done.\n" })
  })
})

describe.runIf(mounts)("a folder that can't be written", () => {
  it("for the sessions: 59, in a sentence", async () => {
    using place = Process.place()
    const [ran] = await inWorld(place, readOnly(data(place)), ["-p", "--model", place.script({ text: "Hi." }), "Go"])
    expect(ran).toMatchObject({ code: 59, stdout: "" })
    expect(ran!.stderr).toMatch(sentence)
  })

  it("as the workspace: edits fail and say so, reads work", async () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "one\n")
    const model = place.script(
      { calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }] },
      { calls: [{ name: "read_file", params: { path: "a.txt" } }] },
      { text: "Done.", expect: { lastResult: "one" } }
    )
    const [ran] = await inWorld(place, `${readOnly(place.cwd)}; cd '${place.cwd}'`, ["-p", "--model", model, ...flags, "Go"])
    expect(ran!.code).toBe(0)
    expect(outcomes(ran!.stdout).map(({ status }) => status)).toEqual(["failed", "succeeded"])
  })
})

describe("a home", () => {
  it("that can't be there ends a run with 59, and help still works", async () => {
    using place = Process.place()
    const homeless = { ...place, environment: { PATH: place.environment["PATH"]!, HOME: "/proc/nothing", TERM: "xterm" } }
    const ended = await Process.run(homeless, ["-p", "--model", place.script({ text: "Hi." }), "Go"])
    expect(ended).toMatchObject({ code: 59, stdout: "" })
    expect(ended.stderr).toMatch(sentence)
    expect((await Process.run(homeless, ["--help"])).code).toBe(0)
  })

  it("that is not said is found, or the run ends in a sentence", async () => {
    using place = Process.place()
    const { HOME: _, ...environment } = place.environment
    expect(await Process.run({ ...place, environment }, ["-p", "--model", place.script({ text: "Hi." }), "Go"])).toMatchObject({ code: 0, stdout: "Hi.\n" })
  })
})

/** What has Node load a file of `test/faults` first. */
const before = (file: string) => `--import ${new URL(`../faults/${file}`, import.meta.url).href}`

describe("a clock", () => {
  it("that jumps changes neither the order of what happened, nor a limit, nor the replay", async () => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: "sleep 0.2; echo hi" } }] },
      { ...write("a.txt", "a\n"), expect: { lastResult: "hi" } },
      { text: "Done." },
      { text: "Again." }
    )
    const adrift = { ...place, environment: { ...place.environment, NODE_OPTIONS: before("jumps.ts") } }
    const ended = await Process.run(adrift, ["-p", "--model", model, "--output-format", "json", "--permission-mode", "bypassPermissions", "--timeout", "60", "Go"])
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    const { duration_ms } = JSON.parse(ended.stdout)
    expect(duration_ms).toBeGreaterThan(0)
    expect(duration_ms).toBeLessThan(60_000)
    expect((await Process.run(place, ["--continue", "-p", "Go on"])).stdout).toBe("Again.\n")
  })
})

describe("low limits", () => {
  const limited = (place: Process.Place, limit: string, args: ReadonlyArray<string>, environment: Record<string, string> = {}) =>
    spawnSync("bash", ["-c", `${limit}; exec "$0" "$@"`, process.execPath, Process.main, ...args], {
      cwd: place.cwd,
      env: { ...place.environment, ...environment },
      encoding: "utf8",
      timeout: 60_000
    })

  it("of open files: a task runs", () => {
    using place = Process.place()
    const model = place.script(
      { calls: Array.from({ length: 12 }, (_, i) => ({ name: "write_file", params: { path: `${i}.txt`, content: "x" } })) },
      { calls: Array.from({ length: 12 }, (_, i) => ({ name: "read_file", params: { path: `${i}.txt` } })) },
      { calls: [{ name: "run_command", params: { command: "cat *.txt" } }] },
      { text: "Done.", expect: { lastResult: "xxxxxxxxxxxx" } }
    )
    const { status, stderr, stdout } = limited(place, "ulimit -n 64", ["-p", "--model", model, "--permission-mode", "bypassPermissions", "Go"])
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: "", stdout: "Done.\n" })
  })

  it.each(["EAGAIN", "ENOMEM"])("of processes: tools without processes continue, and the others say why (%s)", async (refusal) => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: "echo hi" } }] },
      { ...write("a.txt", "a\n"), expect: { lastResult: refusal } },
      { text: "Done." }
    )
    const crowded = { ...place, environment: { ...place.environment, NODE_OPTIONS: before("noProcesses.ts"), REFUSAL: refusal } }
    const { code, stderr, stdout } = await Process.run(crowded, ["-p", "--model", model, ...flags, "Go"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(outcomes(stdout)).toMatchObject([{ status: "failed" }, { status: "succeeded" }])
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("a\n")
  })

  it("of memory: a command that says very much does not bring it down", () => {
    using place = Process.place()
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: "head -c 60000000 /dev/zero | tr '\\0' x; echo; echo the end" } }] },
      { text: "Done.", expect: { lastResult: "the end" } }
    )
    const { status, stdout } = limited(place, "true", ["-p", "--model", model, "--permission-mode", "bypassPermissions", "Go"], {
      NODE_OPTIONS: "--max-old-space-size=64"
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: "Done.\n" })
  })
})

describe("signals", () => {
  it("SIGINT twice ends it at once, and the session can be resumed", async () => {
    await using place = Process.scene()
    const model = place.script(
      { calls: [{ name: "run_command", params: { command: "trap '' TERM INT; echo here > pid; sleep 100; sleep 100" } }] },
      { text: "I looked." }
    )
    const running = Process.start(place, ["-p", "--model", model, ...flags, "Go"])
    await Process.written(join(place.cwd, "pid"))
    running.child.kill("SIGINT")
    await setTimeout(50)
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
    const again = await Process.run(place, ["-p", "--continue", ...flags])
    expect(again.code).toBe(0)
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("SIGTSTP puts it to sleep, and SIGCONT wakes it", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "word ".repeat(300), chunkSize: 5, delayMs: 10 })
    const running = Process.start(place, ["-p", "--model", model, ...flags, "Go"])
    await running.shows("stdout", "\"ModelRequested\"")
    running.child.kill("SIGTSTP")
    const state = () => readFileSync(`/proc/${running.child.pid}/stat`, "utf8").split(") ")[1]![0]
    for (let looks = 0; existsSync("/proc/self/stat") && state() !== "T" && looks < 200; looks++) await setTimeout(10)
    running.child.kill("SIGCONT")
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(events(stdout).at(-1)?._tag).toBe("TaskFinished")
  })
})

describe("others", () => {
  it("a second process on a session is told who has it, and has it when that one is dead", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "word ".repeat(400), chunkSize: 5, delayMs: 20 }, { text: "Later." })
    const first = Process.start(place, ["-p", "--model", model, ...flags, "Go"])
    await first.shows("stdout", "\"ModelRequested\"")
    const second = await Process.run(place, ["-p", "--continue", "Me too"])
    expect(second).toMatchObject({ code: 59, stdout: "" })
    expect(second.stderr).toContain(`process ${first.child.pid}`)
    first.child.kill("SIGKILL")
    await first.ended
    const third = await Process.run(place, ["-p", "--continue", "--model", place.script({ text: "Mine." }), "Me now"])
    expect(third).toMatchObject({ code: 0, stdout: "Mine.\n" })
  })

  it("what the user writes between a read and an edit is kept, and the model is told", async () => {
    await using place = Process.scene()
    const file = join(place.cwd, "a.txt")
    writeFileSync(file, "one\n")
    const model = place.script(
      { calls: [{ name: "read_file", params: { path: "a.txt" } }] },
      { text: "word ".repeat(40), chunkSize: 5, delayMs: 20, calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }] },
      { text: "I see.", expect: { lastResult: "changed on disk since you last read it" } }
    )
    const running = Process.start(place, ["-p", "--model", model, ...flags, "Go"])
    await running.shows("stdout", /ToolFinished[^]*ModelRequested/)
    writeFileSync(file, "one, and mine\n")
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(outcomes(stdout).map(({ status }) => status)).toEqual(["succeeded", "failed"])
    expect(readFileSync(file, "utf8")).toBe("one, and mine\n")
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("a branch that is switched during a turn is told to the model, and its checkpoints know of it", async () => {
    await using place = Process.scene()
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@here", ...args], { cwd: place.cwd, encoding: "utf8" })
    writeFileSync(join(place.cwd, "a.txt"), "one\n")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "first")
    const model = place.script(
      { text: "word ".repeat(40), chunkSize: 5, delayMs: 20, calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }] },
      { text: "I see.", expect: { contains: ["other"] } }
    )
    const running = Process.start(place, ["-p", "--model", model, ...flags, "Go"])
    await running.shows("stdout", "\"ModelRequested\"")
    git("checkout", "-q", "-b", "other")
    const { code } = await running.ended
    expect(code).toBe(0)
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("two\n")
    expect(git("status", "--porcelain").trim()).toBe("M a.txt")
    const saved = JSON.parse((await Process.run(place, ["checkpoints", "list", "--output-format", "json"])).stdout)
    expect(saved.map(({ branch }: { readonly branch: string }) => branch)).toContain("other")
  })
})
