/** The page of `dacapo serve` in a real Chromium, against the built command with a scripted model. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import * as Process from "../cli/support/Process.ts"
import { seriousFaults } from "./support/Accessibility.ts"
import * as Served from "./support/Served.ts"

if (Served.program === undefined) console.log("There is no Chromium on this machine: the page is not tested in a browser.")

const write = (path: string, content = "hi\n") => ({ calls: [{ name: "write_file", params: { path, content } }] })

/** Opens the address, starts a session there and says something. */
const begin = async (server: Served.Server, place: Process.Place, page: Page, text: string): Promise<string> => {
  const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
  await page.goto(server.address)
  await page.locator(`a[href="#/session/${session}"]`).click()
  await say(page, text)
  return session
}

const say = async (page: Page, text: string): Promise<void> => {
  await page.locator("#composer").fill(text)
  await page.locator("#composer").press("Enter")
}

/** A press that is too early has no effect, as for a person. */
const press = async (page: Page, name: string | RegExp): Promise<void> => page.getByRole("button", { name }).first().click()

/** Opens everything that is folded, also what only then appears. */
const openAll = async (page: Page): Promise<void> => {
  const folded = page.locator("#main details:not([open]) > summary")
  while (await folded.count() > 0) await folded.first().click()
}

const state = (page: Page, text: string) => page.locator(".session-header .state", { hasText: text }).first().waitFor()

describe.runIf(Served.program !== undefined)("the page", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await Served.launch()
  })
  afterAll(() => browser?.close())

  it("lets the user allow, deny with words, interrupt, fork and go back, and every log replays", async () => {
    await using place = Process.scene()
    const model = place.script(
      { text: "First **file**.", ...write("a.txt") },
      { text: "Second file.", ...write("b.txt") },
      { text: "Stopping here.", expect: { lastResult: "use another name" } },
      { text: "This never ends", holds: 1, chunkSize: 4 },
      { text: "Continued." }
    )
    const server = await Served.serve(place, model)
    const { context, faults, page } = await Served.openPage(browser)
    await begin(server, place, page, "write two files")
    await page.locator(".approval .diff", { hasText: "hi" }).waitFor()
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    await press(page, /^Allow once/)
    await page.locator(".approval", { hasText: "b.txt" }).waitFor()
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("hi\n")
    await page.locator(".approval.takes-keys").waitFor()
    await page.locator("main").press("n")
    await page.getByLabel("What should the agent do instead?").fill("use another name")
    await press(page, "Deny")
    await page.getByText("Stopping here.").waitFor()
    expect(existsSync(join(place.cwd, "b.txt"))).toBe(false)
    await page.getByText("Denied: use another name").waitFor()
    await say(page, "again")
    // Not before a piece of the response is there: an empty one is no turn of the script.
    await page.locator(".live .answer", { hasText: "This" }).waitFor()
    await press(page, /^Interrupt/)
    await page.getByText("Interrupted").first().waitFor()
    await say(page, "continue")
    await page.getByText("Continued.").waitFor()
    // The moment after the first answer: what follows is not there, and a fork begins there.
    const slider = page.getByRole("slider", { name: "Event", exact: true })
    await slider.fill("6")
    await page.getByText("Continued.").waitFor({ state: "detached" })
    expect(await page.getByText("First file.").count()).toBe(1)
    const before = page.url()
    await press(page, "Fork from here")
    await page.getByText(/^Forked from/).waitFor()
    expect(await page.getByRole("link", { name: "another session" }).getAttribute("href")).toBe(before.slice(before.indexOf("#")).split("?")[0])
    // People read names, not identifiers.
    expect(await page.locator(".conversation").innerText()).not.toMatch(/[0-9a-f]{8}/)
    expect(page.url().split("/").at(-1)).not.toBe(before.split("/").at(-1)!.split("?")[0])
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("continues after a reload in the middle of a response, and after the server was killed", async () => {
    await using place = Process.scene()
    const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ")
    const model = place.script({ text: `Begin ${words} end.`, chunkSize: 12, delayMs: 10 }, { text: "After the restart." })
    const server = await Served.serve(place, model)
    const port = new URL(server.url).port
    const { context, faults, page } = await Served.openPage(browser)
    const session = await begin(server, place, page, "tell a story")
    await page.getByText(/word20\b/).waitFor()
    await page.reload()
    await page.getByText(/word299 end\./).waitFor()
    await state(page, "finished")
    expect(await page.getByText(/Begin word0 word1 .* word299 end\./s).count()).toBe(1)
    await server.stop("SIGKILL")
    await state(page, "reconnecting")
    const again = await Served.serve(place, model, ["--port", port])
    await page.getByLabel("Address or token").fill(again.address)
    await press(page, "Connect")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await say(page, "and then?")
    await page.getByText("After the restart.").waitFor()
    // No event is missing or repeated.
    expect(await page.getByText(/Begin word0/).count()).toBe(1)
    expect(await page.locator(".entry.user").count()).toBe(2)
    expect(page.url()).toContain(session)
    expect(faults).toEqual([])
    await context.close()
    await again.stop()
  })

  it("two pages watch one session, and the first answer counts", async () => {
    await using place = Process.scene()
    const server = await Served.serve(place, place.script(write("a.txt"), { text: "Done." }))
    const first = await Served.openPage(browser)
    const phone = await Served.openPage(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const session = await begin(server, place, first.page, "write")
    await phone.page.goto(server.address)
    await phone.page.locator(`a[href="#/session/${session}"]`).tap()
    await phone.page.getByRole("button", { name: /^Allow once/ }).tap()
    await Promise.all([first, phone].map(({ page }) => page.getByText("Done.").waitFor()))
    expect(await first.page.locator(".approval").count()).toBe(0)
    expect(await phone.page.evaluate("document.documentElement.scrollWidth")).toBe(390)
    expect([...first.faults, ...phone.faults]).toEqual([])
    await first.context.close()
    await phone.context.close()
    await server.stop()
  })

  it("runs nothing that a model, a tool, a file, a folder or a title contains", async () => {
    const attack = `<script>window.hacked=1</script><img src=x onerror="window.hacked=2"><svg onload=window.hacked=3></svg><iframe srcdoc="x"></iframe>`
    const markdown = `${attack}\n\n[link](javascript:window.hacked=4) ![image](https://evil.example/x.png) <a href="javascript:window.hacked=5">x</a>\n\n` +
      `| ${attack} |\n| - |\n| ${attack} |\n\n\`\`\`html\n${attack}\n\`\`\`\n\n\u202egnirts\u202c ${"long".repeat(500)}`
    await using place = Process.scene()
    // A server whose every text is hostile.
    const evil = join(place.root, "evil.mjs")
    writeFileSync(evil, `
      const attack = ${JSON.stringify(attack)}
      const answers = {
        initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: attack, version: attack }, instructions: attack },
        "tools/list": { tools: [{ name: "look", title: attack, description: attack, inputSchema: { type: "object", properties: { what: { type: "string", description: attack } } } }] },
        "tools/call": { content: [{ type: "text", text: attack }], isError: true }
      }
      let rest = ""
      process.stdin.on("data", (data) => {
        const lines = (rest + data).split("\\n")
        rest = lines.pop()
        for (const { id, method } of lines.filter((line) => line !== "").map((line) => JSON.parse(line)))
          if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] ?? {} }))
      })
    `)
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ mcpServers: { evil: { command: process.execPath, args: [evil, attack] } } }))
    const model = place.script(
      { calls: [{ name: "mcp__evil__look", params: { what: attack } }, { name: "update_todo", params: { items: [{ text: attack, state: "in_progress" }] } }] },
      { text: markdown, reasoning: attack, calls: [{ name: "run_command", params: { command: `printf '%s\\n' '${attack}' '\u001b[31mred\u001b]0;title\u0007'` } }] },
      { text: "Next.", ...write(`<img src=x onerror=hacked=1>.txt`, `${attack}\n`) },
      { calls: [{ name: "ask_user", params: { question: attack, options: [attack, "no"] } }] },
      { text: "Done." }
    )
    const server = await Served.serve(place, model)
    const { context, faults, page } = await Served.openPage(browser, { viewport: { width: 390, height: 844 } })
    const requests: Array<string> = []
    page.on("request", (request) => requests.push(request.url()))
    const session = await begin(server, place, page, attack)
    await page.locator(".approval", { hasText: "look" }).waitFor()
    await press(page, /^Allow once/)
    await page.locator(".approval", { hasText: "printf" }).waitFor()
    await press(page, /^Allow once/)
    await page.locator(".approval .diff").waitFor()
    await press(page, /^Allow once/)
    await page.getByRole("article", { name: "Question" }).waitFor()
    await page.getByRole("button", { name: "no", exact: true }).click({ delay: 400 })
    await page.getByText("Done.", { exact: true }).waitFor()
    // Until the task is over, parts of the page are still replaced by others.
    await state(page, "finished")
    await openAll(page)
    await page.locator(".output", { hasText: /\bred\b/ }).first().waitFor()
    expect(await page.evaluate("window.hacked")).toBeUndefined()
    expect(await page.evaluate("document.title")).toBe("dacapo")
    expect(await page.locator("#page script, #page iframe, #page svg, #page img, a[href^=javascript]").count()).toBe(0)
    expect(await page.locator(".conversation", { hasText: "<script>window.hacked=1</script>" }).count()).toBe(1)
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
    expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([])
    const places = ["todo", "files", "checkpoints", "subagents", "context", "tools", "usage", "replay"].map((panel) => [`session/${session}/${panel}`, ".panel-body > *"])
    for (const [path, part] of [...places, ["usage", ".usage-table"], ["settings", ".usage-table"], ["waiting", ".empty"], ["sessions", ".row"]] as const) {
      await page.goto(`${server.url}/#/${path}`)
      await page.locator(part!).first().waitFor()
      await page.getByRole("status").filter({ hasText: /Loading|Comparing|Counting|Reading/ }).waitFor({ state: "detached" })
      expect([path, await page.evaluate("[window.hacked, document.documentElement.scrollWidth]")]).toEqual([path, [undefined, 390]])
      expect([path, await page.locator("#page script, #page iframe, #page img, a[href^=javascript]").count()]).toEqual([path, 0])
    }
    await page.locator(".row", { hasText: "<script>" }).waitFor()
    const folder = join(place.root, `<img src=x onerror="window.hacked=6">\u202ereversed`)
    mkdirSync(folder)
    const { session: other } = await server.operate({ _tag: "Start", cwd: folder })
    for (const [path, part] of [[`session/${other}`, ".conversation"], ["sessions", "h2"]] as const) {
      await page.goto(`${server.url}/#/${path}`)
      await page.locator(part).first().waitFor()
      await page.locator("[title*=onerror]").first().waitFor({ state: "attached" })
      expect(await page.evaluate("window.hacked")).toBeUndefined()
      expect(await page.locator("#page img").count()).toBe(0)
      expect(await page.locator("#page").innerHTML()).not.toContain("\u202e")
    }
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("has no serious fault of accessibility in any state", async () => {
    await using place = Process.scene()
    const model = place.script(
      { text: "# Plan\n\n- one\n\n```ts\nconst a = 1\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |", reasoning: "Thinking.", ...write("a.txt") },
      { text: "Done.", calls: [{ name: "update_todo", params: { items: [{ text: "one", state: "done" }, { text: "two", state: "in_progress" }] } }] },
      { text: "All done." }
    )
    const server = await Served.serve(place, model)
    const faults: Array<string> = []
    const check = async (page: Page, name: string): Promise<void> => {
      for (const fault of await seriousFaults(page)) faults.push(`${name}: ${fault}`)
    }
    const dark = await Served.openPage(browser, { colorScheme: "dark", viewport: { width: 1600, height: 900 } })
    const light = await Served.openPage(browser, { colorScheme: "light", viewport: { width: 390, height: 844 } })
    const session = await begin(server, place, dark.page, "do it")
    await light.page.goto(server.address)
    await light.page.goto(`${server.url}/#/session/${session}`)
    for (const { page } of [dark, light]) {
      await page.getByRole("button", { name: /^Allow once/, disabled: false }).waitFor()
      await check(page, "approval")
    }
    await press(dark.page, /^Allow once/)
    await dark.page.getByText("All done.").waitFor()
    await state(dark.page, "finished")
    for (const panel of ["todo", "files", "checkpoints", "subagents", "context", "tools", "usage", "replay"]) {
      for (const { page } of [dark, light]) {
        await page.goto(`${server.url}/#/session/${session}/${panel}`)
        await page.locator(".panel-body > *").first().waitFor()
        await page.getByRole("status").filter({ hasText: /Loading|Comparing|Counting/ }).waitFor({ state: "detached" })
        await check(page, panel)
      }
    }
    for (const { page } of [dark, light]) {
      await page.goto(`${server.url}/#/session/${session}?at=5`)
      await page.getByRole("button", { name: "Rewind to here" }).click()
      await check(page, "the past")
      for (const name of ["usage", "settings", "sessions"]) {
        await page.goto(`${server.url}/#/${name}`)
        if (name !== "sessions") await page.locator(".usage-table").first().waitFor()
        await check(page, name)
      }
    }
    expect(faults).toEqual([])
    expect([...dark.faults, ...light.faults]).toEqual([])
    await dark.context.close()
    await light.context.close()
    await server.stop()
  })

  it("verifies a replay, and compares the files of two moments", async () => {
    await using place = Process.scene()
    const server = await Served.serve(place, place.script(write("a.txt", "one\n"), write("a.txt", "two\n"), { text: "Done." }), ["--permission-mode", "acceptEdits"])
    const { context, faults, page } = await Served.openPage(browser)
    const session = await begin(server, place, page, "write")
    await page.getByText("Done.", { exact: true }).waitFor()
    await state(page, "finished")
    await page.goto(`${server.url}/#/session/${session}/replay`)
    await press(page, "Verify the replay")
    await page.getByText(/Replays exactly: \d+ events/).waitFor()
    await page.goto(`${server.url}/#/session/${session}/files`)
    await page.locator(".panel .diff", { hasText: "two" }).waitFor()
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })
})
