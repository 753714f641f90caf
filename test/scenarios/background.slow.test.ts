/** Commands in the background, through the command line: they go on while the agent does, and never longer. */
import { describe, expect, it } from "@effect/vitest"
import { setTimeout } from "node:timers/promises"
import type { SessionEvent } from "../../src/domain/session/SessionEvent.ts"
import * as Message from "../../src/domain/message/Message.ts"
import * as Process from "../cli/support/Process.ts"
import { choose } from "../suite.ts"
import { living } from "../layers/workspace/living.ts"

const flags = ["--output-format", "events", "--permission-mode", "bypassPermissions"]

/** What the model was told of each call. */
const results = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").flatMap((line) => {
    const event = line.startsWith("{\"v\"") ? (JSON.parse(line) as SessionEvent).event : undefined
    return event?._tag === "ToolFinished" ? [Message.text(event.outcome.content)] : []
  })

let names = 0
const unique = () => `dev-server-${process.pid}-${++names}`

/** A server under a name of its own; it writes the port into a file and answers with that name. */
const server = (name: string) =>
  `exec ${process.execPath} -e '
const server = require("node:http").createServer((_, response) => response.end("from ${name}\\n"))
server.listen(0, "127.0.0.1", () => { console.log("listening"); require("node:fs").writeFileSync("port", server.address().port + "\\n") })' ${name}`

const ask = `${process.execPath} -e 'fetch("http://127.0.0.1:" + require("node:fs").readFileSync("port", "utf8").trim()).then((r) => r.text()).then(console.log)'`

const background = (command: string) => ({ calls: [{ name: "run_command", params: { command, background: true } }] })
const run = (command: string, more: object = {}) => ({ calls: [{ name: "run_command", params: { command, ...more } }] })
const output = (params: object) => ({ calls: [{ name: "command_output", params }] })

describe("a dev server in the background", () => {
  it("runs while the agent continues, reports its port, can be read and searched, and is gone at the end", async () => {
    await using place = Process.scene()
    const name = unique()
    const model = place.script(
      background(server(name)),
      output({ id: "call_1_1", search: "listening", wait: 60 }),
      run(ask),
      { text: "It answers." }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Serve"])
    const [begun, searched, answered] = results(stdout)
    expect(begun).toMatch(/^Started in the background\. call_1_1 is running\./)
    expect(searched).toMatch(/^call_1_1 is running\. It listens on port \d+ \(http:\/\/localhost:\d+\)\.\n1: listening$/)
    expect(answered).toContain(`from ${name}`)
    expect(code).toBe(0)
    expect(living(name)).toEqual([])
  })

  it("that ends is reported with the next request, once, and in a replay as well", async () => {
    await using place = Process.scene()
    const notice = "These background commands have ended (command_output shows all of their output):\n- call_1_1 (echo up > up; "
    const model = place.script(
      background("echo up > up; until [ -e go ]; do sleep 0.05; done; echo 'port in use'; touch gone; exit 3"),
      run("touch go; until [ -e gone ]; do sleep 0.05; done; sleep 1"),
      { ...run("true"), expect: { contains: [notice, "): exit code 3 after ", " s\n  | port in use"] } },
      { text: "It ended.", expect: { lastResult: "Exit code 0.\n(no output)" } }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Serve"])
    const notices = stdout.split("\n").filter((line) => line.startsWith("{\"v\"") && line.includes("ContextPlanned") && line.includes("have ended"))
    expect(notices.length).toBe(1)
    expect(code).toBe(0)
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("whose end a tool result has reported is not reported again", async () => {
    await using place = Process.scene()
    const model = place.script(
      background("sleep 3; echo over"),
      output({ id: "call_1_1", wait: 60 }),
      { text: "Over.", expect: { lastResult: "Exit code 0.\nLines 1 to 1:\nover" } }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Serve"])
    expect(stdout).not.toContain("have ended")
    expect(code).toBe(0)
  })

  it("is gone after Ctrl-C", async () => {
    await using place = Process.scene()
    const name = unique()
    const running = Process.start(place, ["-p", "--model", place.script(background(server(name)), run("echo up > up; sleep 600")), ...flags, "Serve"])
    await Process.written(`${place.cwd}/up`)
    expect(living(name)).not.toEqual([])
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
    expect(living(name)).toEqual([])
  })

  it("that a killed process left is ended by the next one, which says that its id is gone", async () => {
    await using place = Process.scene()
    const name = unique()
    const running = Process.start(place, ["-p", "--model", place.script(background(server(name)), run("echo up > up; sleep 600")), ...flags, "Serve"])
    await Process.written(`${place.cwd}/up`)
    running.child.kill("SIGKILL")
    await running.ended
    expect(living(name)).not.toEqual([])
    const model = place.script({}, {}, output({ id: "call_1_1" }), { text: "Gone.", expect: { lastResult: "The command call_1_1 no longer exists" } })
    const resumed = await Process.run(place, ["-p", "--continue", "--model", model, ...flags, "And now?"])
    expect(resumed).toMatchObject({ code: 0 })
    // The kill is sent before the first command of the new process; a process takes a moment to go.
    while (living(name).length > 0) await setTimeout(20)
  })
})

describe("a command through the command line", () => {
  it("that asks for a password, or draws a bar, is over at once", async () => {
    await using place = Process.scene()
    const model = place.script(
      run(`read -s -p 'Password: ' p </dev/tty || read -s -p 'Password: ' p; echo "status $?"`),
      run(`for i in $(seq 0 10 100); do printf '\\r\\033[32m[%3d%%]\\033[0m' $i; done; echo; echo done`),
      { text: "Over." }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Ask"])
    const [asked, drawn] = results(stdout)
    expect(asked).toContain("status 1")
    expect(drawn).toBe("Exit code 0.\n[100%]\ndone")
    expect(code).toBe(0)
  })

  it("that takes longer than its timeout continues in the background, and is waited for", async () => {
    await using place = Process.scene()
    const model = place.script(
      run("until [ -e go ]; do sleep 0.05; done; echo over", { timeout: 0.5 }),
      run("touch go"),
      output({ id: "call_1_1", wait: 60 }),
      { text: "Over.", expect: { lastResult: "Exit code 0.\nLines 1 to 1:\nover" } }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Wait"])
    expect(results(stdout)[0]).toContain("timeout of 0.5 s and continues in the background. call_1_1 is running.")
    expect(code).toBe(0)
  })

  it("that says very much costs bounded memory, and both its ends can be read", async () => {
    await using place = Process.scene()
    const { bytes, late } = choose({ quick: { bytes: 100_000_000, late: 3_000_000 }, all: { bytes: 500_000_000, late: 15_000_000 } })
    const model = place.script(
      run(`seq -f 'line %.0f of very many' 1 40000000 | head -c ${bytes}; echo; echo the end`),
      output({ id: "call_1_1", search: `^line (?:1|40000|${late}) of|^the end` }),
      run("grep VmHWM /proc/$PPID/status"),
      { text: "Bounded." }
    )
    const { code, stdout } = await Process.run(place, ["-p", "--model", model, ...flags, "Flood"])
    const [flooded, found, peak] = results(stdout)
    expect(flooded!.length).toBeLessThan(50_000)
    expect(found!.split("\n").slice(1).map((line) => line.replace(/^\d+: /, ""))).toEqual([
      "line 1 of very many", "line 40000 of very many", `line ${late} of very many`, "the end"
    ])
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(peak!)?.[1]) / 1024).toBeLessThan(400)
    expect(code).toBe(0)
  }, 600_000)
})
