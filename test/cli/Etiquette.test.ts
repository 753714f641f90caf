/** How a program behaves that people put into pipes, scripts and jobs: colour, closed streams, and nobody to ask. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as Theme from "../../src/cli/render/text/Theme.ts"
import * as Process from "./support/Process.ts"

describe("colour", () => {
  const rows: ReadonlyArray<readonly [mode: "auto" | "always" | "never", tty: boolean, variables: Readonly<Record<string, string>>, color: boolean]> = [
    ["auto", true, {}, true],
    ["auto", false, {}, false],
    ["auto", true, { NO_COLOR: "1" }, false],
    ["auto", true, { NO_COLOR: "" }, true],
    ["auto", false, { FORCE_COLOR: "1" }, true],
    ["auto", false, { CLICOLOR_FORCE: "1" }, true],
    ["auto", false, { FORCE_COLOR: "0" }, false],
    ["auto", true, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
    ["auto", true, { TERM: "dumb" }, false],
    ["always", false, { NO_COLOR: "1", TERM: "dumb" }, true],
    ["never", true, { FORCE_COLOR: "1" }, false]
  ]
  for (const [mode, tty, variables, color] of rows) {
    it(`is ${color ? "on" : "off"} with --color ${mode} and ${JSON.stringify(variables)}, ${tty ? "on a terminal" : "in a pipe"}`, () => {
      expect(Theme.of(mode, tty, variables).color).toBe(color)
    })
  }

  it("is not written to a pipe by default", async () => {
    using place = Process.place()
    await Process.run(place, ["-p", "--model", place.script({ text: "**Hello.**" }), "hi"])
    const show = (...more: ReadonlyArray<string>) => Process.run(place, ["sessions", "show", "latest", ...more])
    expect((await show()).stdout).not.toContain("\u001b")
    expect((await show("--color", "always")).stdout).toContain("\u001b[1m")
  })
})

describe("a run without a user", () => {
  /** What a shell runs, with the command and a model that answers as "$0" to "$4". */
  const shell = (place: Process.Place, line: string) => {
    const args = [process.execPath, Process.main, "--model", place.script({ text: "Hello." })]
    const { status, stderr, stdout } = spawnSync("sh", ["-c", line.replace("dacapo", "\"$0\" \"$1\" \"$2\" \"$3\""), ...args], { cwd: place.cwd, env: place.environment, encoding: "utf8", timeout: 20_000 })
    return { status, stdout, stderr }
  }
  const answered = { status: 0, stdout: "Hello.\n", stderr: "" }
  const rows: ReadonlyArray<readonly [string, string, { readonly status: number; readonly stdout: string; readonly stderr?: unknown }]> = [
    ["standard input that is closed", "dacapo -p hi <&-", answered],
    ["standard input that is closed, without -p", "dacapo hi <&-", answered],
    ["standard output that is closed", "dacapo -p hi >&-", { ...answered, stdout: "" }],
    ["no prompt, and standard input that is closed", "dacapo <&-", { status: 42, stdout: "", stderr: expect.stringContaining("No prompt.") }],
    ["a prompt behind a dash", "echo hi | dacapo -p -", answered],
    ["output into a pipe, without -p", "dacapo hi </dev/null | cat", answered]
  ]
  for (const [name, line, expected] of rows) {
    it(`neither hangs nor prompts: ${name}`, () => {
      using place = Process.place()
      expect(shell(place, line)).toMatchObject(expected)
    })
  }

  it("does not do what is hard to undo, and says how to confirm it", async () => {
    using place = Process.place()
    await Process.run(place, ["-p", "--model", place.script({ text: "Hello." }), "hi"])
    const refused = await Process.run(place, ["sessions", "rm", "latest"])
    expect(refused).toMatchObject({ code: 58, stdout: "", stderr: expect.stringMatching(/^dacapo: [^\n]+ Use --yes to confirm without a prompt\.\n$/) })
    expect(await Process.run(place, ["auth", "login"])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Name a provider") })
  })
})
