/** What a user does with sessions that are kept, by the command itself. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"

/** As long and as mixed as a real one. */
const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
const secret = `sk-ant-api03-${Array.from({ length: 93 }, (_, i) => letters[(i * 17 + i * i) % letters.length]).join("")}AA`

/** A session that reads a secret, says it in pieces, and writes a file. */
const session = async (place: Process.Place) => {
  writeFileSync(join(place.cwd, ".env"), `ANTHROPIC_API_KEY=${secret}\n`)
  const model = place.script(
    { calls: [{ name: "read_file", params: { path: ".env" } }] },
    { text: `The key is ${secret}, which I shall not repeat.`, chunkSize: 7, calls: [{ name: "write_file", params: { path: "zebra.txt", content: `<b>striped</b> \`\`\`${secret}\n` } }] },
    { text: "Done with the zebra." }
  )
  const ended = await Process.run(place, ["-p", "--permission-mode", "bypassPermissions", "--output-format", "json", "--model", model, "Look around"])
  expect(ended.code).toBe(0)
  return JSON.parse(ended.stdout).session_id as string
}

const run = (place: Process.Place, ...args: ReadonlyArray<string>) => Process.run(place, args)

describe("dacapo sessions", () => {
  it("names a session, and finds it by its name and by text in messages, reads and edits", async () => {
    using place = Process.place()
    const id = await session(place)
    expect(await run(place, "sessions", "name", id.slice(0, 13), "Zoo", "tour")).toMatchObject({ code: 0 })
    expect((await run(place, "sessions", "show", "Zoo tour")).stdout).toContain("Done with the zebra.")
    const [hit] = JSON.parse((await run(place, "sessions", "search", "\"shall not\" repeat", "--output-format", "json")).stdout)
    expect(hit).toMatchObject({ session: { id, title: "Zoo tour" }, text: expect.stringContaining("shall not repeat") })
    expect((await run(place, "sessions", "search", "stri")).stdout).toContain(id)
    expect((await run(place, "sessions", "search", "giraffe")).stdout).toBe("No matching sessions.\n")
    expect(await run(place, "sessions", "search", "AND OR \" ( *")).toMatchObject({ code: 0 })
    expect(await run(place, "sessions", "search")).toMatchObject({ code: 2 })
    expect(await run(place, "sessions", "walk")).toMatchObject({ code: 2, stderr: expect.stringContaining("archive, backup") })
  })

  it("exports one file that can be imported and replayed elsewhere, and detects changes to it", async () => {
    using place = Process.place()
    using other = Process.place()
    const id = await session(place)
    const file = join(place.root, "bug.jsonl")
    writeFileSync(file, (await run(place, "sessions", "export", id)).stdout)
    expect(await run(other, "replay", file, "--verify")).toMatchObject({ code: 0, stderr: "" })
    expect(await run(other, "sessions", "import", file)).toMatchObject({ code: 0, stdout: expect.stringContaining(id) })
    expect((await run(other, "sessions", "import", file)).stdout).toContain("Already stored")
    expect(await run(other, "replay", id, "--verify")).toMatchObject({ code: 0, stderr: "" })
    expect((await run(other, "sessions", "export", id)).stdout).toBe(readFileSync(file, "utf8"))
    const lines = readFileSync(file, "utf8").split("\n")
    writeFileSync(file, lines.map((line, i) => i === 4 ? line.replace("read_file", "list_files") : line).join("\n"))
    expect(await run(other, "replay", file)).toMatchObject({ code: 59, stderr: expect.stringContaining("event 4") })
    writeFileSync(file, "{\"no\": \"event\"}\n")
    expect(await run(other, "sessions", "import", file)).toMatchObject({ code: 59, stderr: expect.stringContaining("Line 1") })
  })

  it("exports without secrets, with one placeholder for each, and the export still replays", async () => {
    using place = Process.place()
    using other = Process.place()
    const id = await session(place)
    const { stdout } = await run(place, "sessions", "export", id, "--redact")
    expect(stdout).not.toContain(secret)
    expect(stdout).not.toContain(secret.slice(20, 30))
    expect(new Set(stdout.match(/\[REDACTED:[^\]]+\]/g)).size).toBe(1)
    const file = join(place.root, "clean.jsonl")
    writeFileSync(file, stdout)
    expect(await run(other, "replay", file, "--verify")).toMatchObject({ code: 0, stderr: "" })
    expect((await run(place, "sessions", "export", id, "--redact")).stdout).toBe(stdout)
  })

  it("exports documents in which session text is never markup", async () => {
    using place = Process.place()
    const id = await session(place)
    const markdown = (await run(place, "sessions", "export", id, "--format", "markdown")).stdout
    expect(markdown).toMatch(/^# Look around\n[^]*## User\n\nLook around\n[^]*````\n/)
    const html = (await run(place, "sessions", "export", id, "--format", "html")).stdout
    expect(html).toContain("&lt;b&gt;striped&lt;/b&gt;")
    expect(html).not.toContain("<b>striped")
  })

  it("packs old sessions, which can still be searched, shown, resumed and replayed", async () => {
    using place = Process.place()
    const id = await session(place)
    const before = (await run(place, "sessions", "export", id)).stdout
    expect(await run(place, "sessions", "archive")).toMatchObject({ code: 2 })
    expect((await run(place, "sessions", "archive", "--days", "1")).stdout).toContain("0 sessions")
    expect((await run(place, "sessions", "archive", id)).stdout).toContain("Archived 1 session.")
    expect((await run(place, "sessions", "list")).stdout).not.toContain(id)
    expect((await run(place, "sessions", "list", "--archived")).stdout).toContain("(archived)")
    expect((await run(place, "sessions", "export", id)).stdout).toBe(before)
    expect((await run(place, "sessions", "search", "zebra")).stdout).toContain(id)
    const model = place.script({ text: "-" }, { text: "-" }, { text: "-" }, { text: "On it goes." })
    expect(await run(place, "-p", "--continue", "--model", model, "More")).toMatchObject({ code: 42 })
    expect(await run(place, "-p", "--resume", id, "--model", model, "More")).toMatchObject({ code: 0, stdout: "On it goes.\n" })
    expect(await run(place, "replay", id, "--verify")).toMatchObject({ code: 0, stderr: "" })
    await run(place, "sessions", "archive", id)
    expect(await run(place, "replay", id, "--verify")).toMatchObject({ code: 0, stderr: "" })
  })

  it("asks before it deletes, and deletes only what no other session needs", async () => {
    using place = Process.place()
    const origin = await session(place)
    const fork = (await run(place, "sessions", "fork", origin)).stdout.trim()
    expect(await run(place, "sessions", "delete", origin)).toMatchObject({ code: 58, stdout: "" })
    expect(await run(place, "sessions", "delete", origin, "--yes")).toMatchObject({ code: 0, stdout: expect.stringContaining("and 0 unused blobs") })
    expect(await run(place, "sessions", "show", origin)).toMatchObject({ code: 42 })
    expect(await run(place, "replay", fork, "--verify")).toMatchObject({ code: 0, stderr: "" })
    expect((await run(place, "diff", "1", "--session", fork, "--stat")).stdout).toContain("zebra.txt")
    expect(await run(place, "rewind", fork, "--to", "1", "--files")).toMatchObject({ code: 0 })
    expect(existsSync(join(place.cwd, "zebra.txt"))).toBe(false)
    const pruned = await run(place, "sessions", "prune", "--days", "0.0000001", "--yes", "--output-format", "json")
    expect(JSON.parse(pruned.stdout)).toEqual({ deleted: [fork], blobs: expect.any(Number) })
    expect((await run(place, "sessions", "search", "zebra")).stdout).toBe("No matching sessions.\n")
  })

  it("copies the store while a session runs, to a new private file", async () => {
    using place = Process.place()
    using other = Process.place()
    const id = await session(place)
    const running = Process.start(place, ["-p", "--permission-mode", "bypassPermissions", "--model", place.script({ calls: [{ name: "run_command", params: { command: "echo started > flag; sleep 30" } }] }), "Wait"])
    await Process.written(join(place.cwd, "flag"))
    const data = join(other.root, "home", "data")
    expect(await run(other, "sessions", "list")).toMatchObject({ code: 0 })
    const copy = join(place.root, "copy.db")
    expect(await run(place, "sessions", "backup", copy)).toMatchObject({ code: 0 })
    running.child.kill("SIGTERM")
    await running.ended
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(await run(place, "sessions", "backup", copy)).toMatchObject({ code: 59 })
    writeFileSync(join(data, "sessions.db"), readFileSync(copy))
    expect(await run(other, "replay", id, "--verify")).toMatchObject({ code: 0, stderr: "" })
  })
})
