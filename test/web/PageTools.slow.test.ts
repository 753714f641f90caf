/** More of the page in a real Chromium: typed views, rules with their trial, settings, two sessions side by side, several approvals, keys. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import * as Process from "../cli/support/Process.ts"
import { seriousFaults } from "./support/Accessibility.ts"
import * as Served from "./support/Served.ts"

const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })

const say = async (page: Page, text: string): Promise<void> => {
  await page.locator("#composer").fill(text)
  await page.locator("#composer").press("Enter")
}

const state = (page: Page, text: string) => page.locator(".session-header .state", { hasText: text }).first().waitFor()

/** A tool of the user's own that prints a view as JSON. */
const viewTool = (place: Process.Place, name: string, view: unknown) => {
  const folder = join(place.root, "home", "tools")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(place.cwd, `${name}.json`), JSON.stringify(view))
  writeFileSync(join(folder, `${name}.md`), `---\ndescription: Shows a view.\nresult: view\n---\n\n\`\`\`bash\ncat ${name}.json\n\`\`\`\n`)
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const attack = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>\u202e`

/** Longer than the pause after which a key answers an approval. */
const longPauseMs = 1_000

describe.runIf(Served.program !== undefined)("the page", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await Served.launch()
  })
  afterAll(() => browser?.close())

  it("draws typed views as what they are; hostile values are text; a form answers with a message", async () => {
    await using place = Process.scene()
    const views = {
      table: { type: "table", title: attack, columns: [{ label: attack }, { label: "n", align: "right" }], rows: [[attack, 1]] },
      bars: { type: "chart", kind: "bar", title: "Times", unit: attack, labels: [attack, "b"], series: [{ name: attack, values: [1, 2] }, { name: "b", values: [2, null] }] },
      line: { type: "chart", kind: "line", labels: ["a", "b", "c"], series: [{ name: "n", values: [1, null, 1e308] }] },
      progress: { type: "progress", items: [{ label: attack, done: 1, total: 4 }] },
      image: { type: "image", alt: attack, mediaType: "image/png", data: pixel },
      diff: { type: "diff", diff: `--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-${attack}\n+new\n` },
      form: { type: "form", title: "Release", fields: [{ name: "v", label: attack, kind: "text", required: true }, { name: "k", label: "Kind", kind: "choice", options: ["minor", attack] }, { name: "ok", label: "Sure", kind: "confirm" }] }
    }
    for (const [name, view] of Object.entries(views)) viewTool(place, name, view)
    const model = place.script(
      ...Object.keys(views).map((name) => ({ calls: [{ name, params: {} }] })),
      { text: "All shown." },
      { text: "Thanks.", expect: { contains: ["Release\n", "1.2.0\nKind: minor\nSure: yes"] } }
    )
    const server = await Served.serve(place, model, ["--allowedTools", "Bash(cat *)"])
    for (const viewport of [{ width: 1024, height: 768 }, { width: 390, height: 844 }]) {
      const { context, faults, page } = await Served.openPage(browser, { viewport })
      await page.goto(server.address)
      if (viewport.width === 1024) {
        const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
        await page.goto(`${server.url}/#/session/${session}`)
        await say(page, "show")
        await page.getByText("All shown.").waitFor()
      } else {
        await page.locator(".row").first().click()
        await page.getByText("Thanks.").waitFor()
      }
      await state(page, "finished")
      await page.getByRole("button", { name: /Send the answers|Sent/ }).waitFor()
      const shown = page.locator(".result-view")
      expect(await shown.count()).toBe(7)
      expect(await shown.locator("table.data").first().locator("tbody td").first().textContent()).toContain("<script>")
      expect(await shown.locator(".bar-mark").count()).toBe(4)
      expect(await shown.locator("polyline").count()).toBe(2)
      expect(await shown.locator("meter").count()).toBe(1)
      await page.waitForFunction("document.querySelector('.result-view img.attached')?.naturalWidth === 1")
      await shown.locator(".diff tr.removed", { hasText: "<script>" }).waitFor()
      expect(await page.evaluate("window.hacked")).toBeUndefined()
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width)
      expect(await seriousFaults(page)).toEqual([])
      if (viewport.width === 1024) {
        const form = page.locator(".result-form")
        expect(await form.getByRole("button", { name: "Send the answers" }).isDisabled()).toBe(true)
        await form.locator("input:not([type=checkbox])").fill("1.2.0")
        await form.locator("select").selectOption("minor")
        await form.getByLabel("Sure").check()
        await form.getByRole("button", { name: "Send the answers" }).click()
        await page.getByText("Thanks.").waitFor()
      }
      expect(faults).toEqual([])
      await context.close()
    }
    await server.stop()
  })

  it("tries rules on past sessions, adds and removes the user's own, and changes settings; what runs programs it can't change", async () => {
    await using place = Process.scene()
    const command = (text: string) => ({ calls: [{ name: "run_command", params: { command: text } }] })
    const first = await Process.run(place, ["-p", "--model", place.script(command("echo one"), command("git status"), { text: "Done." }), "--allowedTools", "Bash(echo *)", "go"])
    expect(first.code).toBe(0)
    const server = await Served.serve(place, place.script({ text: "Hi." }))
    const { context, faults, page } = await Served.openPage(browser)
    await page.goto(server.address)
    await page.goto(`${server.url}/#/settings`)
    const rules = page.locator("section", { has: page.getByRole("heading", { name: "Permission rules" }) })
    await rules.getByLabel("Decision").selectOption("deny")
    await rules.getByRole("textbox", { name: "Rule" }).fill("Bash(echo *)")
    await rules.getByRole("button", { name: "Try on past sessions" }).click()
    const trial = page.getByRole("region", { name: "Result of the trial" })
    await trial.locator("tr.changed", { hasText: "echo one" }).waitFor()
    expect(await trial.locator("tr", { hasText: "echo one" }).locator("td").allTextContents()).toEqual(expect.arrayContaining(["deny", "allow", "1"]))
    await rules.getByRole("button", { name: "Add to your settings" }).click()
    await rules.getByRole("button", { name: "Remove the rule Bash(echo *)" }).waitFor()
    const config = () => readFileSync(join(place.root, "home", "config.jsonc"), "utf8")
    expect(JSON.parse(config().replace(/^\s*\/\/.*$/gm, "")).permissions).toEqual({ deny: ["Bash(echo *)"] })
    await rules.getByRole("textbox", { name: "Rule" }).fill("Nonsense(")
    await rules.getByRole("button", { name: "Add to your settings" }).click()
    await page.getByRole("alert").waitFor()
    await page.getByRole("button", { name: "Dismiss" }).click()
    await rules.getByRole("button", { name: "Remove the rule Bash(echo *)" }).click()
    await rules.getByRole("button", { name: "Remove the rule Bash(echo *)" }).waitFor({ state: "detached" })
    const settings = page.locator("section", { has: page.getByRole("heading", { name: "Settings", exact: true }) })
    await settings.locator("select").selectOption("maxBudgetUsd")
    await settings.getByLabel("Value").fill("2.5")
    await settings.getByRole("button", { name: "Save" }).click()
    await settings.getByRole("cell", { name: "2.5", exact: true }).waitFor()
    expect(JSON.parse(config().replace(/^\s*\/\/.*$/gm, ""))).toMatchObject({ maxBudgetUsd: 2.5 })
    await settings.getByLabel("Value").fill("a lot")
    await settings.getByRole("button", { name: "Save" }).click()
    await page.getByRole("alert").waitFor()
    expect(await seriousFaults(page)).toEqual([])
    const post = (body: object): Promise<number> =>
      page.evaluate(`fetch("/page/settings", { method: "POST", headers: { "x-dacapo-page": "1", "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))} }).then((response) => response.status)`)
    for (const name of ["hooks", "providers", "mcpServers", "afterEdit", "sandbox", "storage", "permissions", "hooksMayAllow"]) {
      expect(await post({ _tag: "Setting", cwd: place.cwd, name, value: "{}" })).toBe(422)
    }
    expect(await post({ _tag: "Setting", cwd: place.cwd, name: "maxTurns", value: "7" })).toBe(200)
    const withoutHeader = await page.evaluate("fetch('/page/settings', { method: 'POST', body: '{}' }).then((response) => response.status)")
    expect(withoutHeader).toBe(401)
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("puts a fork beside its origin, says how far they are the same, and compares the files of any two moments", async () => {
    await using place = Process.scene()
    const model = place.script(write("a.txt", "one\n"), { text: "One." }, write("a.txt", "two\n"), { text: "Two." })
    const server = await Served.serve(place, model, ["--permission-mode", "acceptEdits"])
    const { context, faults, page } = await Served.openPage(browser, { viewport: { width: 1600, height: 900 } })
    await page.goto(server.address)
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await page.goto(`${server.url}/#/session/${session}`)
    await say(page, "first")
    await page.getByText("One.", { exact: true }).waitFor()
    await state(page, "finished")
    const events = Number(/\d+/.exec(await page.locator(".travel .facts").textContent() ?? "")![0])
    await say(page, "second")
    await page.getByText("Two.", { exact: true }).waitFor()
    await state(page, "finished")
    // The files at two chosen moments, neither of them the present.
    await page.goto(`${server.url}/#/session/${session}/files`)
    await page.locator(".panel .diff", { hasText: "two" }).waitFor()
    await page.getByRole("slider", { name: "To: event" }).fill(`${events - 1}`)
    await page.locator(".panel .diff", { hasText: "one" }).waitFor()
    expect(await page.locator(".panel .diff", { hasText: "two" }).count()).toBe(0)
    await page.getByRole("slider", { name: "From: event" }).fill(`${events - 1}`)
    await page.getByText("No file differs.").waitFor()
    await page.goto(`${server.url}/#/session/${session}?at=${events - 1}`)
    await page.getByRole("button", { name: "Fork side by side" }).click()
    await page.getByText(/The same up to event \d+\./).waitFor()
    expect(await page.getByText(/The same up to event/).textContent()).toContain(`event ${events - 1}.`)
    await say(page, "otherwise")
    const columns = page.locator(".column")
    expect(await columns.count()).toBe(2)
    await columns.nth(0).getByText("otherwise", { exact: true }).waitFor()
    await columns.nth(0).locator(".session-header .state", { hasText: "finished" }).waitFor()
    expect(await columns.nth(0).getByText("second", { exact: true }).count()).toBe(0)
    expect(await columns.nth(1).getByText("second", { exact: true }).count()).toBe(1)
    expect(await columns.nth(1).getByText("otherwise", { exact: true }).count()).toBe(0)
    expect(await page.getByLabel("Session beside this one").inputValue()).toBe(session)
    expect(await seriousFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("answers several waiting approvals at once, and leaves out what is not selected", async () => {
    await using place = Process.scene()
    execFileSync("sh", ["-c", "git init -q -b main && echo x > base && git add -A && git -c user.name=a -c user.email=a@b commit -qm first"], { cwd: place.cwd })
    const file = join(place.root, "parallel.json")
    const child = (prompt: string, path: string) => ({ prompt, turns: [write(path, "x\n"), { text: "Finished." }] })
    writeFileSync(file, JSON.stringify({
      turns: [{ calls: [{ name: "delegate", params: { tasks: ["one", "two"].map((name) => ({ name, prompt: `write ${name}`, mode: "edit", files: [`${name}.txt`] })) } }] }, { text: "All done." }],
      children: [child("write one", "one.txt"), child("write two", "two.txt")]
    }))
    const server = await Served.serve(place, `scripted/${file}`)
    const { context, faults, page } = await Served.openPage(browser)
    await page.goto(server.address)
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await page.goto(`${server.url}/#/session/${session}`)
    await say(page, "both")
    // In a repository each subagent has a worktree of its own, so both ask at the same time.
    await page.getByRole("button", { name: "Allow 2 once" }).waitFor()
    const [chosen] = await page.getByRole("checkbox", { name: /^Answer with the others/ }).all()
    await chosen!.uncheck()
    await page.getByRole("button", { name: "Allow 1 once" }).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await chosen!.check()
    // An answer in the first 300 ms has no effect; both have been there for longer than that.
    await page.getByRole("button", { name: "Allow 2 once" }).click()
    await page.locator(".approval").first().waitFor({ state: "detached" })
    await page.getByText("All done.").waitFor()
    expect(["one.txt", "two.txt"].map((name) => existsSync(join(place.cwd, name)))).toEqual([true, true])
    await page.goto(`${server.url}/#/session/${session}/subagents`)
    await page.getByText("2 of 2 subagents finished").waitFor()
    await page.locator(".panel .tree li").nth(1).waitFor()
    expect(await page.locator(".panel .tree li").count()).toBe(2)
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("works by keys alone: help, a new session, a task, an approval, tool calls, earlier moments", async () => {
    await using place = Process.scene()
    const server = await Served.serve(place, place.script(write("a.txt", "hi\n"), { text: "Done." }))
    const { context, faults, page } = await Served.openPage(browser)
    await page.goto(server.address)
    await page.locator("#new").waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.keyboard.press("Escape")
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" })
    await page.keyboard.press("c")
    await page.getByLabel("Folder").fill(place.cwd)
    await page.keyboard.press("Enter")
    await page.locator("#composer").waitFor()
    await page.locator("#main").focus()
    await page.keyboard.press("i")
    await page.keyboard.type("write it")
    await page.keyboard.press("Enter")
    await page.locator(".approval.takes-keys").waitFor()
    await page.locator("#main").focus()
    await page.keyboard.press("y")
    await page.getByText("Done.", { exact: true }).waitFor()
    await state(page, "finished")
    await page.keyboard.press("o")
    await page.locator(".tool[open] .diff").waitFor()
    await page.keyboard.press("{")
    await page.getByRole("button", { name: "Fork from here" }).waitFor()
    await page.keyboard.press("0")
    await page.getByRole("button", { name: "Fork from here" }).waitFor({ state: "detached" })
    await page.keyboard.press("/")
    await page.waitForFunction("document.activeElement.id === 'search'")
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })

  it("answers nothing by the key of an answer that is not offered", async () => {
    await using place = Process.scene()
    const command = "python3 - <<'EOF'\nprint(6 * 7)\nEOF"
    const server = await Served.serve(place, place.script({ calls: [{ name: "run_command", params: { command } }] }, { text: "Done." }))
    const { context, faults, page } = await Served.openPage(browser)
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await page.goto(`${server.address}`)
    await page.goto(`${server.url}/#/session/${session}`)
    await say(page, "compute it")
    await page.getByText("No rule is narrow enough to allow this for longer.").waitFor()
    await page.locator(".approval.takes-keys").waitFor()
    await page.locator("#main").focus()
    for (const key of ["s", "a", "y"]) {
      await page.keyboard.press(key)
      await page.waitForTimeout(longPauseMs)
    }
    await page.getByText("Done.", { exact: true }).waitFor()
    await state(page, "finished")
    const { events } = await server.operate({ _tag: "Replay", session, from: 0 })
    expect(events.map(({ event }: { readonly event: unknown }) => event).filter(({ _tag }: { readonly _tag: string }) => _tag === "ApprovalDecided"))
      .toMatchObject([{ decision: "allow", scope: "once" }])
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })
})
