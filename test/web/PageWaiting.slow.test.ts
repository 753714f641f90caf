/** The page across sessions: what waits in several of them, MCP servers, effort, why calls were denied, and every control by keys. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright-core"
import * as Process from "../cli/support/Process.ts"
import { seriousFaults } from "./support/Accessibility.ts"
import * as Served from "./support/Served.ts"

const write = (path: string) => ({ calls: [{ name: "write_file", params: { path, content: "hi\n" } }] })
const command = (text: string) => ({ calls: [{ name: "run_command", params: { command: text } }] })

/** Longer than the pause after which a key answers an approval. */
const longPauseMs = 1_000

/** Starts a session and a task in it, as another client. */
const begin = async (server: Served.Server, cwd: string, model?: string): Promise<string> => {
  const { session } = await server.operate({ _tag: "Start", cwd, ...(model === undefined ? {} : { model }) })
  await server.operate({ _tag: "Say", session, text: "begin" })
  return session
}

/** The controls of the page that Tab never reaches, by what they are. */
const unreachable = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(`(() => {
    window.controls = [...document.querySelectorAll("a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex='0']")]
      .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
    window.reached = new Set()
    document.body.tabIndex = -1
    document.body.focus()
  })()`)
  const count = await page.evaluate("window.controls.length") as number
  for (let i = 0; i < count + 10; i++) {
    await page.keyboard.press("Tab")
    await page.evaluate("window.reached.add(document.activeElement)")
  }
  return await page.evaluate("window.controls.filter((one) => one.isConnected && !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 120))") as ReadonlyArray<string>
}

describe.runIf(Served.program !== undefined)("the page", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await Served.launch()
  })
  afterAll(() => browser?.close())

  it("answers one approval where a key is pressed again at once, or soon after other keys", async () => {
    await using place = Process.scene()
    const other = join(place.root, "other")
    mkdirSync(other)
    const server = await Served.serve(place, place.script(write("a.txt"), { text: "Done." }))
    for (const cwd of [place.cwd, other]) await begin(server, cwd)
    const { context, faults, page } = await Served.openPage(browser)
    await page.goto(server.address)
    await page.getByRole("link", { name: "2 waiting for you" }).click()
    await page.locator(".approval.takes-keys").waitFor()
    await page.locator("#main").focus()
    // Keys of someone who types into what is no text field.
    await page.keyboard.type("try")
    await page.getByText("2 approvals are waiting").waitFor()
    await page.waitForTimeout(longPauseMs)
    for (const key of ["y", "y", "y"]) await page.keyboard.press(key)
    await page.getByRole("link", { name: "1 waiting for you" }).waitFor()
    await page.locator(".approval.takes-keys").waitFor()
    await expect.poll(() => [place.cwd, other].filter((cwd) => existsSync(join(cwd, "a.txt"))).length).toBe(1)
    await page.getByRole("link", { name: "1 waiting for you" }).waitFor()
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("answers what waits in several sessions in one place, by keys", async () => {
    await using place = Process.scene()
    const other = join(place.root, "other")
    mkdirSync(other)
    const server = await Served.serve(place, place.script(write("a.txt"), { text: "Done." }))
    const sessions = [await begin(server, place.cwd), await begin(server, other)]
    const question = await begin(server, other, place.script({ calls: [{ name: "ask_user", params: { question: "Which?", options: ["Left", "Right"] } }] }, { text: "Right it is.", expect: { lastResult: "Right" } }))
    const { context, faults, page } = await Served.openPage(browser)
    await page.goto(server.address)
    await page.getByRole("link", { name: "3 waiting for you" }).waitFor()
    await page.locator(`.row[href="#/session/${question}"]`, { hasText: "needs an answer" }).waitFor()
    await page.locator("#main").focus()
    await page.keyboard.press("w")
    await page.getByRole("button", { name: "Allow 2 once" }).waitFor()
    await page.locator(".origin", { hasText: other }).first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
    expect(await unreachable(page)).toEqual([])
    await page.getByRole("button", { name: "Right", exact: true }).click({ delay: 400 })
    await page.getByRole("article", { name: "Question" }).waitFor({ state: "detached" })
    // One is denied with words by keys, the other allowed.
    await page.locator(".approval.takes-keys").waitFor()
    await page.locator("#main").focus()
    await page.waitForTimeout(longPauseMs)
    await page.keyboard.press("n")
    await page.getByLabel("What should the agent do instead?").and(page.locator(":focus")).waitFor()
    await page.keyboard.type("not here")
    await page.keyboard.press("Enter")
    await page.getByRole("link", { name: "1 waiting for you" }).waitFor()
    await page.locator(".approval.takes-keys").waitFor()
    await page.locator("#main").focus()
    await page.keyboard.press("y")
    await page.getByText("No session waits for an answer.").waitFor()
    await page.goto(`${server.url}/#/session/${sessions[0]}`)
    await page.getByText("Denied: not here").waitFor()
    await page.goto(`${server.url}/#/session/${sessions[1]}`)
    await page.getByText("Done.", { exact: true }).waitFor()
    expect([place.cwd, other].map((cwd) => existsSync(join(cwd, "a.txt")))).toEqual([false, true])
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("takes a request away everywhere as soon as another client answers it", async () => {
    await using place = Process.scene()
    const server = await Served.serve(place, place.script(write("a.txt"), { text: "Done." }))
    const session = await begin(server, place.cwd)
    const inbox = await Served.openPage(browser)
    const phone = await Served.openPage(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await inbox.page.goto(server.address)
    await inbox.page.goto(`${server.url}/#/waiting`)
    await inbox.page.locator(".approval").waitFor()
    await phone.page.goto(server.address)
    await phone.page.goto(`${server.url}/#/session/${session}`)
    await phone.page.getByRole("button", { name: /^Allow once/, disabled: false }).tap()
    await inbox.page.getByText("No session waits for an answer.").waitFor()
    await phone.page.getByText("Done.", { exact: true }).waitFor()
    const { events } = await server.operate({ _tag: "Replay", session, from: 0 })
    expect(events.filter(({ event }: { readonly event: { readonly _tag: string } }) => event._tag === "ApprovalDecided")).toHaveLength(1)
    expect([...inbox.faults, ...phone.faults]).toEqual([])
    await inbox.context.close()
    await phone.context.close()
    await server.stop()
  })

  it("approves an MCP server exactly as it was shown, and tests it", async () => {
    await using place = Process.scene()
    const memory = fileURLToPath(new URL("../../node_modules/@modelcontextprotocol/server-memory/dist/index.js", import.meta.url))
    const program = join(place.cwd, "program")
    symlinkSync(process.execPath, program)
    writeFileSync(join(place.cwd, ".mcp.json"), JSON.stringify({ mcpServers: { memory: { command: "./program", args: [memory] }, off: { command: "none", disabled: true } } }))
    const server = await Served.serve(place, place.script({ text: "Hi." }))
    await server.operate({ _tag: "Start", cwd: place.cwd })
    const { context, faults, page } = await Served.openPage(browser)
    await page.goto(server.address)
    await page.goto(`${server.url}/#/settings`)
    // An untrusted folder names no server.
    await page.getByText("This folder is not trusted: its own").waitFor()
    expect(await page.getByRole("button", { name: /the server memory/ }).count()).toBe(0)
    expect((await Process.run(place, ["trust"])).code).toBe(0)
    await page.reload()
    const card = page.locator(".card", { hasText: memory })
    await card.getByText("needs approval", { exact: true }).waitFor()
    await card.getByText(/^Program: /).waitFor()
    expect(await page.locator(".card", { hasText: "disabled" }).getByRole("button").count()).toBe(0)
    expect(await seriousFaults(page)).toEqual([])
    // What would start changes behind the page: it is not what was shown.
    unlinkSync(program)
    symlinkSync("/bin/sh", program)
    const approve = page.getByRole("button", { name: "Approve and test the server memory" })
    await approve.click()
    await page.getByRole("alert").getByText(/has changed since it was shown/).waitFor()
    expect((await Process.run(place, ["mcp", "list"])).stdout).toContain("needs approval before it starts")
    await page.getByRole("button", { name: "Dismiss" }).click()
    await card.getByText(/a link to .*sh/).waitFor()
    unlinkSync(program)
    symlinkSync(process.execPath, program)
    await page.reload()
    await card.getByText(/a link to .*node/).waitFor()
    await approve.click()
    await page.getByText(/^Connected to version .* tools/).waitFor()
    await page.getByText("read_graph", { exact: true }).waitFor()
    expect((await Process.run(place, ["mcp", "list"])).stdout).not.toContain("needs approval")
    await page.getByRole("button", { name: "Test the server memory" }).click()
    await page.getByText(/^Connected to version/).waitFor()
    const post = (headers: object): Promise<number> =>
      page.evaluate(`fetch("/page/servers", { method: "POST", headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(JSON.stringify({ _tag: "Test", cwd: place.cwd, name: "memory" }))} }).then((response) => response.status)`)
    expect(await post({ "content-type": "application/json" })).toBe(401)
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("sets the effort of a model that has one, and says why a call was denied and what would allow it", async () => {
    await using place = Process.scene()
    const file = join(place.root, "effort.json")
    writeFileSync(file, JSON.stringify({ model: { effort: { kind: "named", values: ["low", "high"] } }, turns: [command("rm -rf build"), command("touch made"), { text: "Done." }] }))
    writeFileSync(join(place.cwd, "README.md"), "A project.\n")
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ permissions: { deny: ["Bash(rm *)"] } }))
    const server = await Served.serve(place, `scripted/${file}`, ["--permission-mode", "dontAsk"])
    const { context, faults, page } = await Served.openPage(browser)
    await page.goto(server.address)
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await page.goto(`${server.url}/#/session/${session}`)
    const effort = page.getByLabel("Effort", { exact: true })
    await effort.selectOption("high")
    await page.getByText(/Model: scripted.*:high/).waitFor()
    expect(await effort.locator("option").allTextContents()).toEqual(["Low effort", "High effort"])
    expect(await unreachable(page)).toEqual([])
    await page.locator("#composer").fill("clean up")
    await page.locator("#composer").press("Enter")
    await page.getByText("Done.", { exact: true }).waitFor()
    const hints = page.locator(".denial")
    await hints.nth(1).waitFor()
    expect(await hints.nth(0).textContent()).toContain("To allow it, remove that rule from the permission rules")
    expect(await hints.nth(0).textContent()).toContain("Bash(rm *)")
    expect(await hints.nth(1).textContent()).toContain("To allow it, add a rule that allows it, or choose another permission mode.")
    await hints.nth(0).getByRole("link", { name: "Permission rules" }).click()
    await page.getByRole("button", { name: "Remove the rule Bash(rm *)" }).waitFor()
    expect(await unreachable(page)).toEqual([])
    await page.locator("#main").focus()
    await page.keyboard.press("u")
    await page.getByRole("heading", { name: "Usage" }).waitFor()
    await page.keyboard.press(",")
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor()
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })
})
