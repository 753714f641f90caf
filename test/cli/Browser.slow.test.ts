/** The browser tool in a real task: a page opened, used, looked at and closed; and what is left of it when dacapo dies. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"
import type { ScriptedTurn } from "../../src/layers/testing/servers/Wire.ts"
import * as Chromium from "../../src/layers/browser/Chromium.ts"
import { serve } from "../layers/browser/site.ts"
import * as Process from "./support/Process.ts"

const browser = (params: Schema.JsonObject) => ({ calls: [{ name: "browser", params }] })
const found = Chromium.find({ path: process.env["PATH"] ?? "", platform: process.platform })
if (found === undefined) console.log("There is no Chromium on this machine: the browser is only tested to be missing.")

const form = `<title>Sign in</title><h1>Who are you?</h1>
<form onsubmit="event.preventDefault(); document.title = 'Hello ' + name.value; console.error('no such user', name.value); fetch('/users')">
<input id=name aria-label=Name><select id=role aria-label=Role><option>reader<option>writer</select><button>Go</button></form>`

/** What the model was told of each call, in order. */
const results = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)).flatMap(({ event }) =>
    event?._tag === "ToolFinished" ? [event.outcome.content.map((part: { text?: string; mediaType?: string }) => part.text ?? part.mediaType).join("\n")] : [])

/** Processes that carry the mark of a run of the process `pid`. */
const marked = (pid: number): ReadonlyArray<string> =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && new RegExp(`\\0DACAPO_RUN=(?:[^\\0]*/)?\\d+\\.${pid}\\.`).test(`\0${readFileSync(`/proc/${name}/environ`, "latin1")}`)
    } catch {
      return false
    }
  })

describe.runIf(found !== undefined)("a task in the browser", () => {
  it("opens a page, types, clicks, reads errors, shows a screenshot to the model, and closes", async () => {
    await using site = await serve({ "/": form })
    await using place = Process.scene()
    const model = place.script(
      browser({ action: "open", url: `${site.url}/` }),
      browser({ action: "type", selector: "#name", text: "Ada" }),
      browser({ action: "select", selector: "#role", text: "writer" }),
      browser({ action: "click", selector: "role=button[name=\"Go\"]" }),
      browser({ action: "screenshot" }),
      browser({ action: "console" }),
      browser({ action: "close" }),
      { text: "Done." }
    )
    const args = ["-p", "--output-format", "events", "--allowedTools", `Browser(domain:127.0.0.1:${site.port})`, "--model", model, "go"]
    const { code, stdout } = await Process.run(place, args)
    expect(code).toBe(0)
    const [opened, typed, selected, clicked, shot, console_, closed] = results(stdout)
    expect(opened).toContain("(\"Sign in\")")
    expect(opened).toContain("textbox \"Name\"")
    expect(typed).toContain(`The page is ${site.url}/`)
    expect(selected).toContain("option \"writer\" [selected]")
    expect(clicked).toContain("\"Hello Ada\"")
    expect(clicked).toContain("no such user Ada")
    expect(clicked).toContain(`GET ${site.url}/users 404`)
    expect(shot).toContain("image/png")
    expect(console_).toContain("no such user Ada")
    expect(closed).toBe("The page is closed.")
    expect(site.asked).toEqual(["GET /", "GET /users"])
  })

  it.live("sends the screenshot to a model that accepts images, and a note to one that does not", () =>
    Effect.gen(function*() {
      const site = yield* Effect.acquireRelease(Effect.promise(() => serve({ "/": form })), (site) => Effect.promise(() => site[Symbol.asyncDispose]()))
      const turns: ReadonlyArray<ScriptedTurn> = [browser({ action: "open", url: `${site.url}/` }), browser({ action: "screenshot" }), { text: "Done." }]
      for (const [model, sees] of [["claude-sonnet-4-5", true], ["unknown-and-blind", false]] as const) {
        const server = yield* Server.start(anthropic, turns.map((turn) => Server.ScriptedResponse.Says({ turn })))
        yield* Effect.promise(async () => {
          using place = Process.place()
          const known = { ...place, environment: { ...place.environment, ANTHROPIC_API_KEY: "key" } }
          await Process.run(known, ["-p", "--allowedTools", `Browser(domain:127.0.0.1:${site.port})`, "--model", `anthropic/${model}`, "--base-url", server.url, "go"])
        })
        const last = server.requests.at(-1)?.text ?? ""
        const image = /"type":"image","source":\{"type":"base64","media_type":"image\/png","data":"(iVBOR[^"]+)"/.exec(last)?.[1]
        expect(image === undefined ? undefined : Buffer.from(image, "base64").readUInt32BE(16)).toBe(sees ? 1280 : undefined)
        if (!sees) expect(last).toContain("this model does not accept images")
      }
    }))

  it("needs a rule to reach this machine, and sends nothing without one", async () => {
    await using site = await serve({ "/": form })
    using place = Process.place()
    const model = place.script(browser({ action: "open", url: `${site.url}/` }), { text: "Done." })
    const { stdout } = await Process.run(place, ["-p", "--output-format", "json", "--permission-mode", "bypassPermissions", "--model", model, "go"])
    expect(JSON.parse(stdout).permission_denials).toHaveLength(1)
    expect((await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])).stdout).toContain(`Browser(domain:127.0.0.1:${site.port})`)
    expect(site.connections()).toBe(0)
  })

  it("leaves no process when dacapo is killed with the page open", async () => {
    await using site = await serve({ "/": form })
    using place = Process.place()
    const model = place.script(browser({ action: "open", url: `${site.url}/` }), { calls: [{ name: "run_command", params: { command: "echo now > now.txt; sleep 60" } }] }, { text: "Done." })
    const { child } = Process.start(place, ["-p", "--permission-mode", "bypassPermissions", "--allowedTools", `Browser(domain:127.0.0.1:${site.port})`, "--model", model, "go"])
    await Process.written(join(place.cwd, "now.txt"))
    expect(marked(child.pid!).length).toBeGreaterThan(1)
    child.kill("SIGKILL")
    // The command that runs beside it is for the next start to end; the browser ends by itself.
    const doctor = await Process.run(place, ["doctor", "--orphans"])
    expect(doctor.code).toBe(0)
    for (let i = 0; i < 200 && marked(child.pid!).length > 0; i++) await setTimeout(50)
    expect(marked(child.pid!)).toEqual([])
  })

  it("is reported by doctor", async () => {
    using place = Process.place()
    expect((await Process.run(place, ["doctor"])).stdout).toMatch(new RegExp(`✓ browser +${found}, .*\\d+\\.\\d+`))
  })
})

describe("without a browser", () => {
  it.runIf(!existsSync("/snap/bin/chromium") && !existsSync("/opt/google/chrome/chrome"))("says what to install, to the model and in doctor", async () => {
    using place = Process.place()
    const bin = join(place.root, "bin")
    mkdirSync(bin)
    for (const program of ["bash", "git"]) symlinkSync(`/usr/bin/${program}`, join(bin, program))
    const without = { ...place, environment: { ...place.environment, PATH: bin } }
    const model = place.script(browser({ action: "open", url: "http://127.0.0.1:1234/" }), { text: "Done." })
    const { stdout } = await Process.run(without, ["-p", "--output-format", "events", "--allowedTools", "Browser(domain:127.0.0.1)", "--model", model, "go"])
    expect(results(stdout)[0]).toMatch(/Chromium or Chrome was not found.*apt-get install -y --no-install-recommends chromium/)
    expect((await Process.run(without, ["doctor"])).stdout).toMatch(/! browser .*apt-get install/)
  })
})
