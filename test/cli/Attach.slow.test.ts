/** A terminal attached to a running server: what it shows, answers and steers is the server's session. */
import { describe, expect, it, vi } from "@effect/vitest"
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"
import { isEnd, serve } from "./support/Server.ts"
import * as Tmux from "./support/Tmux.ts"

const write = (path: string) => ({ calls: [{ name: "write_file", params: { path, content: "hi\n" } }] })

/** The rules saved for projects in a home of dacapo. */
const rulesIn = (home: string): ReadonlyArray<string> => {
  const folder = join(home, "projects")
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) =>
    JSON.parse(readFileSync(join(folder, name), "utf8").replace(/^\s*\/\/.*$/gm, "")).permissions?.allow ?? []
  )
}

describe("dacapo --attach", () => {
  it("works in a session of the server: messages, an approval in the terminal, one by another client, and leaving", async () => {
    await using place = Process.scene()
    const server = await serve(place, place.script(write("a.txt"), write("b.txt"), { text: "Both **done**." }, { text: "Still here." }))
    using terminal = Tmux.open(place, ["--attach", `${server.url}/#token=${server.token}`])
    await terminal.shows("Enter to send")
    terminal.type("write both")
    terminal.press("Enter")
    await terminal.shows("y  Yes")
    expect(terminal.screen()).toContain("a.txt")
    terminal.press("y")
    await terminal.shows(/b\.txt[^]*y  Yes/)
    const [{ id: session }] = await server.get("/sessions")
    const { request } = (await server.events(session, 0, ({ _tag, request }) => _tag === "Requested" && request.call.params.path === "b.txt")).at(-1)!
    const { action, id } = request
    await server.operate({ _tag: "Answer", session, request: id, action, decision: "allow", scope: "once" })
    // The prompt goes away, though nobody answered it here.
    await terminal.shows("Both done.")
    expect(["a.txt", "b.txt"].map((file) => existsSync(join(place.cwd, file)))).toEqual([true, true])
    await terminal.shows("Enter to send")
    terminal.type("/quit")
    terminal.press("Enter")
    const left = (await terminal.shows("left with 0")).replaceAll("\n", "")
    expect(left).toContain("Both done.")
    expect(left).toContain(`Resume this session with:dacapo --attach "${server.url}/" --resume ${session}`)
    // The session is the server's: it goes on without the terminal.
    await server.operate({ _tag: "Say", session, text: "there?" })
    expect((await server.events(session, 0, ({ at }) => at?.event.result === "Still here.")).some(isEnd)).toBe(true)
    await server.stop()
  })

  it("changes nothing on its own machine that is the server's: rules are saved there, and settings and keys refused", async () => {
    await using place = Process.scene()
    const run = (command: string) => ({ calls: [{ name: "run_command", params: { command } }] })
    const server = await serve(place, place.script(run("npm pack --dry-run"), run("echo begun > begun; sleep 600"), { text: "Done." }))
    const mine = join(place.root, "mine")
    using terminal = Tmux.open(place, ["--attach", `${server.url}/#token=${server.token}`], { DACAPO_HOME: mine }, { columns: 120 })
    const enter = async (text: string, result: string) => {
      await terminal.shows("Enter to send")
      terminal.type(text)
      terminal.press("Enter")
      await terminal.shows(result)
    }
    await enter('/config permissions.allow ["Edit"]', "This session runs on a server. Change its settings there.")
    await enter("/login openai", "This session runs on a server. Change its keys there.")
    await enter("/permissions", "To edit the rules of the server")
    await enter("/config motion false", "config.jsonc")
    terminal.type("run it")
    terminal.press("Enter")
    await terminal.shows("a  Yes, and don't ask again")
    terminal.press("a")
    await vi.waitFor(() => expect(rulesIn(place.environment["DACAPO_HOME"]!)).toEqual(["Bash(npm pack:*)"]), 20_000)
    expect(rulesIn(mine)).toEqual([])
    await terminal.shows(/echo begun[^]*y  Yes/)
    terminal.press("y")
    await Process.written(join(place.cwd, "begun"))
    await terminal.shows("Esc to interrupt")
    expect(terminal.screen()).not.toContain("Ctrl-B")
    terminal.press("C-b")
    await terminal.shows("they can't be shown or moved to the background here")
    terminal.press("Escape")
    await terminal.shows("(interrupted)")
    await server.stop()
  })

  it("resumes a session through a tunnel, with its history, and interrupts it there", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "One." }, { calls: [{ name: "run_command", params: { command: "echo begun > begun; sleep 600" } }] }, { text: "Back." })
    const first = await Process.run(place, ["-p", "first", "--model", model])
    expect(first.code).toBe(0)
    const tunnel = `${process.execPath} ${Process.main} serve --stdio --model ${model} --permission-mode bypassPermissions`
    using terminal = Tmux.open(place, ["--attach", tunnel, "--continue"])
    await terminal.shows("One.")
    terminal.type("wait")
    terminal.press("Enter")
    await Process.written(join(place.cwd, "begun"))
    terminal.press("Escape")
    await terminal.shows("(interrupted)")
    terminal.type("and now?")
    terminal.press("Enter")
    await terminal.shows("Back.")
    terminal.type("/quit")
    terminal.press("Enter")
    await terminal.shows("left with 0")
  })

  it("says what is missing: a token, a server, a terminal, and what belongs to the server", async () => {
    await using place = Process.scene()
    const run = async (...args: ReadonlyArray<string>) => {
      using terminal = Tmux.open(place, args)
      return await terminal.shows("left with")
    }
    expect(await run("--attach", "http://127.0.0.1:9/")).toContain("The token of the server is missing")
    expect(await run("--attach", "http://127.0.0.1:9/#token=x")).toContain("No server answers")
    expect(await run("--attach", "http://example.com/#token=x")).toContain("unencrypted")
    expect(await run("--attach", "http://127.0.0.1:9/#token=x", "--allowedTools", "Edit")).toContain("are those of the server")
    writeFileSync(join(place.cwd, "token"), "wrong\n")
    const server = await serve(place, place.script({ text: "Hi." }))
    expect(await run("--attach", server.url, "--token-file", "token")).toContain("401")
    expect(await Process.run(place, ["--attach", server.url, "-p", "hi"])).toMatchObject({ code: 2, stderr: expect.stringContaining("needs a terminal") })
    await server.stop()
  })
})
