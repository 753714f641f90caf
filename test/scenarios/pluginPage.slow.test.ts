/** A plugin with all parts on the page of `dacapo serve`: what it adds is listed and works, and is gone once it is removed. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import * as Process from "../cli/support/Process.ts"
import * as Served from "../web/support/Served.ts"

const fixture = fileURLToPath(new URL("../fixtures/plugin/", import.meta.url))

describe.runIf(Served.program !== undefined)("a plugin on the page", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await Served.launch()
  })
  afterAll(() => browser?.close())

  it("is listed with what it adds; its command, tools, hook and renderer work; once removed it is gone", async () => {
    await using place = Process.scene()
    const folder = join(place.root, "author")
    cpSync(fixture, folder, { recursive: true })
    execFileSync("npm", ["pack", "--ignore-scripts", "--silent"], { cwd: folder, env: { PATH: process.env["PATH"], HOME: place.root } })
    const { stdout } = await Process.run(place, ["plugin", "install", join(folder, "dacapo-plugin-release-tools-1.2.0.tgz")])
    await Process.run(place, ["trust"])
    await Process.run(place, ["plugin", "enable", "release-tools", "--allow-code", /sha256-[0-9a-f]{64}/.exec(stdout)![0]])
    const call = (name: string, params: object, more: object = {}) => ({ calls: [{ name, params }], ...more })
    const model = place.script(
      call("plugin__release-tools__bump", { version: "1.2.3" }, { expect: { contains: ["Plan the release 5.0 step by step."] } }),
      call("plugin__release-tools__tag_release", { version: "1.2.4" }, { expect: { lastResult: "1.2.4" } }),
      call("write_file", { path: "CHANGES", content: "x\n" }, { expect: { lastResult: "tagged 1.2.4" } }),
      { text: "All planned." }
    )
    const server = await Served.serve(place, model)
    const { context, faults, page } = await Served.openPage(browser)
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await page.goto(server.address)
    await page.locator(`a[href="#/session/${session}"]`).click()
    await page.locator("#composer").fill("/release-tools:plan 5.0")
    await page.locator("#composer").press("Enter")
    for (const text of ["plugin__release-tools__bump", "scripts/tag.sh", "CHANGES"]) {
      await page.locator(".approval", { hasText: text }).getByRole("button", { name: /^Allow once/, disabled: false }).click()
    }
    await page.getByText("All planned.").waitFor()
    await page.locator("summary", { hasText: "bump" }).first().click()
    await page.getByText("next version: 1.2.4").waitFor()
    expect(readFileSync(join(place.cwd, "VERSION"), "utf8")).toBe("1.2.4\n")
    expect(readFileSync(join(place.cwd, "edits.log"), "utf8")).toBe("edited\n")
    const plugins = page.locator("section", { has: page.getByRole("heading", { name: "Plugins" }) })
    await page.goto(`${server.url}/#/settings`)
    await plugins.getByText("release-tools 1.2.0").waitFor()
    const row = await plugins.locator("tbody tr").innerText()
    for (const text of ["active", "/release-tools:announce", "/release-tools:plan", "/release-tools:ship:check", "plugin__release-tools__bump", "plugin__release-tools__tag_release", "plugin_release-tools_versions"]) {
      expect(row).toContain(text)
    }
    expect((await Process.run(place, ["plugin", "remove", "release-tools"])).code).toBe(0)
    await page.reload()
    await plugins.getByText("No plugins.").waitFor()
    expect(existsSync(join(place.root, "home", "data", "plugins"))).toBe(false)
    expect(faults).toEqual([])
    await context.close()
    await server.stop()
  })
})
