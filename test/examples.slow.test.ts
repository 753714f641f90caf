/** The examples run as they stand, against the built package. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const run = (example: string, ...args: ReadonlyArray<string>): string => {
  const home = mkdtempSync(join(tmpdir(), "dacapo-example-"))
  try {
    const project = join(home, "project")
    cpSync("examples/demo/project", project, { recursive: true })
    return execFileSync(process.execPath, [join("examples", example), ...args.map((arg) => arg.replace("PROJECT", project))], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: home, DACAPO_HOME: join(home, "dacapo") },
      stdio: ["ignore", "pipe", "pipe"]
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

describe("the examples", () => {
  it("embed an agent", () => {
    expect(run("embed.ts", "PROJECT", "Fix it", `scripted/${join(process.cwd(), "examples/demo/script.json")}`)).toMatch(/^finished: .+ \(\$0\.0375\)\n$/)
  })

  it("embed an agent with promises", () => {
    expect(run("promises.ts", "PROJECT", "Fix it", `scripted/${join(process.cwd(), "examples/demo/script.json")}`)).toMatch(/^finished: .+ \(\$0\.0375\)\n$/)
  })

  it("add a tool", () => {
    expect(run("custom-tool.ts")).toBe("You rolled six.\n")
  })

  it("add a provider", () => {
    expect(run("custom-provider.ts")).toContain("IS ANYONE THERE?")
  })

  it("use a model of the AI SDK", () => {
    expect(run("ai-sdk.ts")).toBe("You said: Is anyone there?\n")
  })

  it("serve programs that use Effect's AI modules", () => {
    expect(run("effect-ai.ts")).toBe("2 doors\nTwo doors.\n")
  })

  it("replace services", () => {
    expect(run("replace-services.ts")).toBe("It passes.\n")
  })

  it("serve tenants with keys of their own, many sessions at once", () => {
    expect(run("tenants.ts")).toBe("Alice: 25 × alice\nBob: 25 × bob--\n")
  })

  it("replay a bug, and find where a change diverges", () => {
    expect(run("replay-a-bug.ts")).toMatch(/^\d+ events replayed, all equal\ndiverges at event \d+\n$/)
  })
})
