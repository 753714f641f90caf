import { describe, expect, it } from "@effect/vitest"
import * as Access from "../../../src/domain/tool/Access.ts"
import type { AfterEdit } from "../../../src/domain/tool/AfterEdit.ts"
import * as FollowUps from "../../../src/domain/tool/FollowUps.ts"

const commands = (rules: ReadonlyArray<AfterEdit>, ...access: ReadonlyArray<Access.Access>) =>
  FollowUps.followUps(rules, access, "/repo").map(({ command }) => command.command)

describe("what follows an edit", () => {
  it("formats the file by its name, quoted, and checks each thing once", () => {
    const rules = [{ files: "*.ts", format: "prettier --write", check: "tsc --noEmit" }, { files: "src/**", format: "fmt {file} --in-place", check: "lint {file}" }]
    expect(commands(rules, Access.edit("src/a b.ts"), Access.edit("-c.ts", "create"), Access.edit("d.md"), Access.edit("gone.ts", "delete"))).toEqual([
      "prettier --write 'src/a b.ts'",
      "fmt 'src/a b.ts' --in-place",
      "prettier --write ./-c.ts",
      "tsc --noEmit",
      "lint 'src/a b.ts'"
    ])
  })

  it("is nothing outside the working folder, or of other accesses", () => {
    const rules = [{ files: "**", format: "fmt" }]
    expect(commands(rules, Access.edit("/etc/hosts"), Access.edit("../a.ts"), Access.read("a.ts"), Access.command("ls"))).toEqual([])
  })

  const patterns: ReadonlyArray<readonly [pattern: string, path: string, matches: boolean]> = [
    ["*.ts", "deep/er/a.ts", true],
    ["*.{ts,tsx}", "a.tsx", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["**/.config/*", ".config/a", true],
    ["*.ts", "a.tsx", false]
  ]
  for (const [files, path, matches] of patterns) {
    it(`${files} ${matches ? "names" : "does not name"} ${path}`, () => expect(commands([{ files, check: "check" }], Access.edit(path))).toEqual(matches ? ["check"] : []))
  }
})
