/** Going back, comparing and forking, by the command itself over real files. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"
import * as Tmux from "./support/Tmux.ts"

const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })
const shell = (command: string) => ({ calls: [{ name: "run_command", params: { command } }] })
const free = ["-p", "--permission-mode", "bypassPermissions"]

interface Event {
  readonly seq: number
  readonly event: { readonly _tag: string; readonly [field: string]: unknown }
}

const events = async (place: Process.Place, session = "latest"): Promise<ReadonlyArray<Event>> =>
  JSON.parse((await Process.run(place, ["sessions", "show", session, "--output-format", "json"])).stdout)

const ids = async (place: Process.Place): Promise<ReadonlyArray<string>> =>
  JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout).map(({ id }: { id: string }) => id)

/** A session of two tasks: the first writes a file and makes a folder, the second deletes everything by commands. */
const twoTasks = async (place: Process.Place) => {
  const model = place.script(
    write("a.txt", "one\n"), shell("mkdir -p deep/er && echo two > deep/er/b.txt"), { text: "Made." },
    shell("rm -r deep a.txt; echo three > c.txt"), { text: "Deleted." },
    { text: "After.", expect: { contains: ["Third"] } }
  )
  writeFileSync(join(place.cwd, "mine.txt"), "mine\n")
  expect(await Process.run(place, [...free, "--model", model, "First"])).toMatchObject({ code: 0, stdout: "Made.\n" })
  expect(await Process.run(place, [...free, "--continue", "Second"])).toMatchObject({ code: 0, stdout: "Deleted.\n" })
  const log = await events(place)
  const ends = log.filter(({ event }) => event._tag === "TaskFinished").map(({ seq }) => seq)
  return { log, first: ends[0]!, second: ends[1]! }
}

const read = (place: Process.Place, ...path: ReadonlyArray<string>) => readFileSync(join(place.cwd, ...path), "utf8")

describe("dacapo rewind", () => {
  it("restores what commands deleted, deletes what they created, keeps the user's files, and can be undone", async () => {
    using place = Process.place()
    const { first, log } = await twoTasks(place)
    writeFileSync(join(place.cwd, "later.txt"), "made by the user since\n")
    const went = await Process.run(place, ["rewind", "latest", "--to", `${first}`])
    expect(went).toMatchObject({ code: 0, stderr: "" })
    expect(went.stdout.split("\n").slice(0, 4)).toEqual(["created   a.txt", "deleted   c.txt", "created   deep/er/b.txt", "kept      later.txt"])
    expect([read(place, "a.txt"), read(place, "deep/er/b.txt"), read(place, "mine.txt"), read(place, "later.txt")])
      .toEqual(["one\n", "two\n", "mine\n", "made by the user since\n"])
    expect(existsSync(join(place.cwd, "c.txt"))).toBe(false)
    const after = await events(place)
    expect(after.at(-1)).toMatchObject({ seq: log.length, event: { _tag: "Rewound", to: first, files: true, conversation: true } })
    const undone = await Process.run(place, ["rewind", "latest", "--to", `${log.length - 1}`, "--output-format", "json"])
    expect(JSON.parse(undone.stdout)).toMatchObject({ to: log.length - 1, files: true, kept: [] })
    expect([read(place, "c.txt"), read(place, "later.txt")]).toEqual(["three\n", "made by the user since\n"])
    expect([existsSync(join(place.cwd, "a.txt")), existsSync(join(place.cwd, "deep"))]).toEqual([false, false])
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("rewinds only the conversation, and the next request continues from there", async () => {
    using place = Process.place()
    const { first } = await twoTasks(place)
    expect(await Process.run(place, ["rewind", "latest", "--to", `${first}`, "--conversation"])).toMatchObject({ code: 0 })
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    const shown = await Process.run(place, [...free, "--continue", "--model", place.script({ text: "-" }, { text: "-" }, { text: "-" }, { text: "On the other path.", expect: { contains: ["not the files", "Third"] } }), "Third"])
    expect(shown).toMatchObject({ code: 0, stdout: "On the other path.\n" })
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("reports invalid arguments", async () => {
    using place = Process.place()
    const { log } = await twoTasks(place)
    expect(await Process.run(place, ["rewind", "latest"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--to <seq>") })
    expect(await Process.run(place, ["rewind", "latest", "--to", "soon"])).toMatchObject({ code: 2 })
    expect(await Process.run(place, ["rewind", "latest", "--to", `${log.length}`])).toMatchObject({ code: 42, stderr: expect.stringContaining(`0 to ${log.length - 1}`) })
    expect(await Process.run(place, ["rewind", "ffffffff", "--to", "1"])).toMatchObject({ code: 42 })
    expect(await Process.run(place, ["-p", "--fork-session", "Go"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--continue") })
    expect(await Process.run(place, ["-p", "--continue", "--to", "3", "Go"])).toMatchObject({ code: 2, stderr: expect.stringContaining("dacapo rewind") })
  })
})

describe("dacapo diff", () => {
  it("compares any two events, as a patch and as counts", async () => {
    using place = Process.place()
    const { first, second } = await twoTasks(place)
    expect((await Process.run(place, ["diff", `${first}`, `${second}`])).stdout).toContain("-two\n")
    expect((await Process.run(place, ["diff", "1", `${first}`, "--stat"])).stdout)
      .toBe("created      +1     -0  a.txt\ncreated      +1     -0  deep/er/b.txt\n2 files, 2 lines added, 0 removed\n")
    writeFileSync(join(place.cwd, "c.txt"), "changed\n")
    const now = JSON.parse((await Process.run(place, ["diff", `${(await ids(place))[0]}@${first}`, "--output-format", "json"])).stdout)
    expect(now.counts).toEqual({ files: 3, added: 1, removed: 2 })
    expect(await Process.run(place, ["diff", "fffffff"])).toMatchObject({ code: 42 })
  })

  it("shows what the session changed, without arguments", async () => {
    using place = Process.place()
    await twoTasks(place)
    expect((await Process.run(place, ["diff", "--stat"])).stdout).toBe("created      +1     -0  c.txt\n1 file, 1 line added, 0 removed\n")
    await Process.run(place, ["-p", "--model", place.script({ text: "Hello." }), "hi"])
    expect(await Process.run(place, ["diff"])).toMatchObject({ code: 0, stdout: "" })
  })
})

describe("an interrupted command", () => {
  it("is followed by a checkpoint, so that a rewind deletes what it created", async () => {
    using place = Process.place()
    const model = place.script(shell("echo new > made.txt; echo begun; exec sleep 60"))
    writeFileSync(join(place.cwd, "mine.txt"), "mine\n")
    using terminal = Tmux.open(place, ["--permission-mode", "bypassPermissions", "--model", model, "go"])
    await terminal.shows(/begun\n/)
    terminal.press("Escape")
    await terminal.shows("(interrupted)")
    await expect.poll(async () => (await events(place)).at(-1)?.event._tag, { timeout: 100_000 }).toBe("CheckpointSaved")
    terminal.press("C-d")
    await terminal.shows("left with 0")
    writeFileSync(join(place.cwd, "later.txt"), "made by the user since\n")
    const rewound = await Process.run(place, ["rewind", "latest", "--to", "0"])
    expect(rewound).toMatchObject({ code: 0, stdout: expect.stringContaining("deleted   made.txt\nkept      later.txt") })
    expect([existsSync(join(place.cwd, "made.txt")), existsSync(join(place.cwd, "mine.txt"))]).toEqual([false, true])
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })
})

describe("--fork-session", () => {
  it("continues in a new session, from any event with its files, and leaves the original unchanged", async () => {
    using place = Process.place()
    const { first, log } = await twoTasks(place)
    const [origin] = await ids(place)
    const model = place.script({ text: "-" }, { text: "-" }, { text: "-" }, write("fork.txt", "fork\n"), { text: "Forked." })
    const forked = await Process.run(place, [...free, "--resume", origin!, "--fork-session", "--to", `${first}`, "--files", "--model", model, "Other"])
    expect(forked).toMatchObject({ code: 0, stdout: "Forked.\n" })
    expect([read(place, "a.txt"), read(place, "deep/er/b.txt"), read(place, "fork.txt")]).toEqual(["one\n", "two\n", "fork\n"])
    const [fork] = await ids(place)
    expect(fork).not.toBe(origin)
    const own = await events(place, fork)
    expect(own.slice(0, first + 1)).toEqual(log.slice(0, first + 1))
    expect(own[first + 1]).toMatchObject({ event: { _tag: "SessionStarted", id: fork, origin: { id: origin, seq: first, hash: (log[first] as unknown as { hash: string }).hash } } })
    expect(await events(place, origin)).toEqual(log)
    expect(await Process.run(place, ["replay", fork!, "--verify"])).toMatchObject({ code: 0, stderr: "" })
    expect(await Process.run(place, ["replay", origin!, "--verify"])).toMatchObject({ code: 0, stderr: "" })
    rmSync(join(place.cwd, "fork.txt"))
    mkdirSync(join(place.cwd, "deep/er/mine"))
  })
})
