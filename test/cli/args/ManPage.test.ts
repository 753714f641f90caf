/** The manual page: what the package ships is what the tables say, and man(1) formats it without a warning. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Commands from "../../../src/cli/Commands.ts"
import * as ExitCode from "../../../src/cli/process/ExitCode.ts"
import * as Flags from "../../../src/cli/args/Flags.ts"
import * as ManPage from "../../../src/cli/args/ManPage.ts"

const { man, version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly man: string; readonly version: string }
const page = ManPage.page(Commands.list, version)
const hasGroff = spawnSync("groff", ["--version"]).status === 0

describe("the manual page", () => {
  it("is built into the package from the tables", () => expect(readFileSync(man, "utf8")).toBe(page))

  it("names every command, every visible flag with all its names, and every exit code", () => {
    const plain = page.replaceAll("\\-", "-")
    for (const { name } of Commands.list.filter(({ name }) => name !== "run")) expect(plain).toContain(`\n.SS dacapo ${name}\n`)
    for (const [, { names }] of Flags.visible) for (const name of names) expect(plain).toMatch(new RegExp(`(?<=[ ,])${name}(?![\\w-])`))
    for (const { exit } of Object.values(ExitCode.endings)) expect(plain).toContain(`\n.B ${exit}\n`)
  })

  it.runIf(hasGroff)("is formatted without a warning", () => {
    const { status, stderr, stdout } = spawnSync("groff", ["-man", "-Tutf8", "-ww"], { input: page, encoding: "utf8" })
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout.replaceAll(/.\x08/g, "")).toContain("--permission-mode")
  })
})
