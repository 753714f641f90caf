/** The package as npm would install it: packed, unpacked into an empty project beside Effect, run, imported, and its types resolved. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

const root = resolve(import.meta.dirname, "..")
const project = mkdtempSync(join(tmpdir(), "dacapo-packed-"))
const installed = join(project, "node_modules", "dacapo")
const environment = { PATH: process.env["PATH"] ?? "", HOME: project, DACAPO_HOME: join(project, "home") }

/** What npm installs beside us for an embedder comes from this checkout: no network is needed. */
const link = (name: string) => {
  const to = join(project, "node_modules", name)
  mkdirSync(resolve(to, ".."), { recursive: true })
  symlinkSync(join(root, "node_modules", name), to)
}

beforeAll(() => {
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", project], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
  mkdirSync(installed, { recursive: true })
  execFileSync("tar", ["-xzf", join(project, filename), "-C", installed, "--strip-components", "1"])
  for (const name of ["effect", "@types/node"]) link(name)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const dacapo = (...args: ReadonlyArray<string>) =>
  execFileSync(join(installed, "bin", "dacapo"), args, { cwd: project, env: environment, encoding: "utf8" })

/** Bytes of a folder. */
const size = (folder: string, skip: ReadonlyArray<string> = []): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !skip.some((part) => name.includes(part)))
    .reduce((sum, name) => {
      const stat = statSync(join(folder, name))
      return sum + (stat.isFile() ? stat.size : 0)
    }, 0)

describe("the packed package", () => {
  it("runs the demo in an empty project", () => {
    expect(dacapo("--version")).toMatch(/^\d+\.\d+\.\d+\n$/)
    const said = dacapo("demo")
    expect(said).toContain("✓ The project's tests pass")
    expect(said).toContain("✓ The session replays exactly")
  })

  it("is imported by its three names, and its schemas by theirs", () => {
    const code = `
      import { Agent, createAgent, Live } from "dacapo"
      import { XmlTools } from "dacapo/domain"
      import { Scripted, Replay } from "dacapo/testing"
      import result from "dacapo/schemas/result.json" with { type: "json" }
      console.log([Agent, createAgent, Live, XmlTools, Scripted, Replay, result].every(Boolean))
    `
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: project, encoding: "utf8" })).toBe("true\n")
  })

  it("has types that resolve for an embedder, without ours of anything else", () => {
    writeFileSync(join(project, "embed.ts"), [
      "import { Agent, Approver, createAgent, Live } from \"dacapo\"",
      "import { XmlTools } from \"dacapo/domain\"",
      "import { Scripted } from \"dacapo/testing\"",
      "import * as Effect from \"effect/Effect\"",
      "import * as Layer from \"effect/Layer\"",
      "export const approver = Layer.succeed(Approver, { ask: () => Effect.succeed({ decision: \"deny\", scope: \"once\", by: \"nobody\" }), question: () => Effect.succeed({ by: \"nobody\" }) })",
      "export const state = Effect.flatMap(Agent, (agent) => agent.state(\"id\")).pipe(Effect.provide(Live.layer({ roots: [\"/\"], approver })))",
      "export const parts: ReadonlyArray<{ readonly _tag: string }> = XmlTools.parse(\"\", { tools: [] })",
      "export const all = [createAgent, Scripted]",
      ""
    ].join("\n"))
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--lib", "es2024,esnext.disposable,dom", "--types", "node", "--skipLibCheck", "false", "embed.ts"]
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
    let said = ""
    try {
      execFileSync(process.execPath, [tsc, ...options], { cwd: project, encoding: "utf8" })
    } catch (error) {
      said = String((error as { readonly stdout: string }).stdout)
    }
    // Effect's own declarations are not ours to check.
    expect(said.split("\n").filter((line) => line !== "" && !/node_modules\/(effect|@types)\//.test(line) && !line.startsWith(" "))).toEqual([])
  })

  it("is found in order by publint", async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
    expect(messages.map((message) => formatMessage(message, { name: "dacapo" } as never))).toEqual([])
  })

  it("has correct types, by are-the-types-wrong", async () => {
    const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"))!
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(join(project, tarball))))
    // An ES module is all that there is: `require` gets it from Node itself, and node10's resolution knows no exports.
    const known = new Set(["CJSResolvesToESM"])
    const problems = analysis.types === false ? ["no types"] : analysis.problems.filter((problem) =>
      !known.has(problem.kind) && !("resolutionKind" in problem && problem.resolutionKind === "node10"))
    expect(problems).toEqual([])
  })

  it("takes no more room than it may: 60 MiB without the grammars", () => {
    expect(size(installed, ["grammars"])).toBeLessThan(60 * 2 ** 20)
  })
})
