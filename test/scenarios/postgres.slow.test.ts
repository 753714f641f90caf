/** Two machines on one PostgreSQL store, as two homes: what one has written the other reads, resumes and replays. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import * as PostgresServer from "../layers/storage/PostgresServer.ts"

describe.skipIf(!PostgresServer.isInstalled)("sessions in PostgreSQL", () => {
  let server: PostgresServer.Server
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** Two places with a home each, and the store that both use. */
  const machines = () => {
    const address = server.address()
    const stack = new DisposableStack()
    const machine = (): Process.Place => {
      const { cwd, environment, root, script } = stack.use(Process.place())
      return { cwd, root, script, environment: { ...environment, DACAPO_STORAGE: address } }
    }
    return { address, one: machine(), two: machine(), [Symbol.dispose]: () => stack.dispose() }
  }
  const list = async (place: Process.Place): Promise<ReadonlyArray<{ readonly id: string; readonly events: number }>> =>
    JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout)
  const skipPermissions = ["--dangerously-skip-permissions"]

  it("are shared by all machines, found by their words and replayed exactly", async () => {
    using both = machines()
    const { one, two } = both
    const model = one.script({ text: "The fence is mended." }, { text: "It holds." })
    expect(await Process.run(one, ["-p", "--model", model, "mend the fence"])).toMatchObject({
      code: 0,
      stdout: "The fence is mended.\n"
    })
    expect(existsSync(join(one.root, "home", "data", "sessions.db"))).toBe(false)
    const [session] = await list(two)
    expect((await Process.run(two, ["sessions", "search", "fence"])).stdout).toContain("mend the fence")
    expect(await Process.run(two, ["replay", session!.id])).toMatchObject({ code: 0 })
    const { stdout } = await Process.run(two, ["-p", "--model", model, "--resume", session!.id, "does it hold?"])
    expect(stdout).toBe("It holds.\n")
    expect((await list(one))[0]!.events).toBeGreaterThan(session!.events)
  })

  it("have one writer at a time, and continue elsewhere when it is killed", async () => {
    using both = machines()
    const { one, two } = both
    const call = { name: "run_command", params: { command: "echo started >> log; sleep 60" } }
    const model = one.script({ calls: [call] }, { text: "Finished." })
    const first = Process.start(one, ["-p", ...skipPermissions, "--model", model, "work"])
    await Process.written(join(one.cwd, "log"))
    const [session] = await list(two)
    const resume = ["-p", ...skipPermissions, "--model", model, "--resume", session!.id, "continue"]
    expect(await Process.run(two, resume)).toMatchObject({ code: 59, stderr: expect.stringContaining("is open in another dacapo") })
    first.child.kill("SIGKILL")
    await first.ended
    expect(await Process.run(two, resume)).toMatchObject({ code: 0, stdout: "Finished.\n" })
    expect(await Process.run(one, ["replay", session!.id])).toMatchObject({ code: 0 })
  })

  it("move from the local store by export and import", async () => {
    using both = machines()
    const { one, two } = both
    const { DACAPO_STORAGE: _, ...environment } = one.environment
    const local = { ...one, environment }
    await Process.run(local, ["-p", "--model", one.script({ text: "Local." }), "stay here"])
    const [session] = await list(local)
    const file = join(one.root, "session.jsonl")
    writeFileSync(file, (await Process.run(local, ["sessions", "export", session!.id])).stdout)
    expect(await Process.run(two, ["sessions", "import", file])).toMatchObject({ code: 0 })
    expect(await list(two)).toEqual([session])
  })

  it("carry their files to a machine that has none of them, through the database and as an exported file", async () => {
    using both = machines()
    const { one, two } = both
    const model = one.script(
      { calls: [{ name: "write_file", params: { path: "src/fence.txt", content: "mended\n" } }] },
      { text: "The fence is mended." },
      { calls: [{ name: "read_file", params: { path: "src/fence.txt" } }] },
      { text: "It holds." }
    )
    mkdirSync(join(one.root, "home"), { recursive: true })
    writeFileSync(join(one.root, "home", "config.jsonc"), '{ "storeFiles": true }')
    writeFileSync(join(one.cwd, "field.txt"), "green\n")
    expect(await Process.run(one, ["-p", ...skipPermissions, "--model", model, "mend the fence"])).toMatchObject({ code: 0 })
    const [session] = await list(two)
    const exported = (await Process.run(one, ["sessions", "export", session!.id])).stdout
    const redacted = (await Process.run(one, ["sessions", "export", session!.id, "--redact"])).stdout
    expect(exported).toContain("base64")
    expect(redacted).not.toContain("base64")
    expect(await Process.run(one, ["sessions", "restore-files", session!.id])).toMatchObject({ code: 1, stderr: expect.stringContaining("is not empty") })
    // The first machine is gone, with its folder.
    rmSync(one.cwd, { recursive: true })
    expect(await Process.run(two, ["sessions", "restore-files", session!.id])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 2 files of session .*\nContinue with `dacapo --resume /)
    })
    expect(readFileSync(join(one.cwd, "src", "fence.txt"), "utf8")).toBe("mended\n")
    expect((await Process.run(two, ["-p", ...skipPermissions, "--model", model, "--resume", session!.id, "does it hold?"])).stdout).toBe("It holds.\n")
    expect(await Process.run(two, ["replay", session!.id])).toMatchObject({ code: 0 })
    const file = join(two.root, "session.jsonl")
    writeFileSync(file, exported)
    const { DACAPO_STORAGE: _, ...environment } = two.environment
    const local = { ...two, environment }
    expect(await Process.run(local, ["sessions", "import", file])).toMatchObject({ code: 0 })
    const target = join(two.root, "restored")
    expect(await Process.run(local, ["sessions", "restore-files", session!.id, target])).toMatchObject({ code: 0 })
    expect(readdirSync(target).sort()).toEqual(["field.txt", "src"])
  })

  it("keep the address of the store from commands, and report a wrong one without its password", async () => {
    using both = machines()
    const { one } = both
    const turns = [{ calls: [{ name: "run_command", params: { command: "env; tr '\\0' '\\n' < /proc/$PPID/environ; echo end > log" } }] }, { text: "Seen." }]
    await Process.run(one, ["-p", ...skipPermissions, "--model", one.script(...turns), "look"])
    const [session] = await list(one)
    const events = (await Process.run(one, ["sessions", "show", session!.id, "--output-format", "events"])).stdout
    expect(events).toContain("PATH=")
    expect(events).not.toContain("loopback")
    expect(await Process.run(one, ["sessions", "list", "--storage", "postgres://ada:hunter2@127.0.0.1:1/x"])).toMatchObject({
      code: 59,
      stderr: expect.stringMatching(/^dacapo: Can't use the session store at postgres:\/\/127\.0\.0\.1:1\/x: (?!.*hunter2).*\n$/)
    })
    expect(await Process.run(one, ["sessions", "list", "--storage", "mysql://x"])).toMatchObject({
      code: 52,
      stderr: expect.stringContaining("--storage: the session store must be an address like postgres://user@host:5432/database")
    })
  })
})
