/** The package in a program of somebody else: packed, installed by npm beside the program's own Effect, type-checked and run. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")
const examples = join(root, "examples")
const program = mkdtempSync(join(tmpdir(), "dacapo-consumer-"))
const environment = { PATH: process.env["PATH"] ?? "", HOME: program, DACAPO_HOME: join(program, "home") }
/** A program of its own has its own `node`: the checkout's is not on its path. */
const npmEnvironment = { ...process.env, PATH: `${resolve(process.execPath, "..")}:${process.env["PATH"] ?? ""}` }

/** The programs of the documentation, each as a file. */
const copyPrograms = () => {
  for (const page of ["README.md", ...readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`)]) {
    const programs = [...readFileSync(join(root, page), "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code)
    for (const [i, code] of programs.filter((code) => code.includes("from \"dacapo")).entries())
      writeFileSync(join(program, `${basename(page, ".md")}-${i}.ts`), code)
  }
}

beforeAll(() => {
  const npm = (...args: ReadonlyArray<string>) => execFileSync("npm", args, { cwd: program, env: npmEnvironment, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  cpSync(join(root, "test/consumer"), program, { recursive: true })
  cpSync(examples, program, { recursive: true, filter: (file) => file === examples || file.endsWith(".ts") })
  copyPrograms()
  const [{ filename }] = JSON.parse(npm("pack", root, "--ignore-scripts", "--json"))
  npm("install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", `./${filename}`)
}, 600_000)
afterAll(() => rmSync(program, { recursive: true, force: true }))

/** What the compiler says about the program: nothing. */
const compile = (typescript: string, ...options: ReadonlyArray<string>) => {
  const { stderr, stdout } = spawnSync(process.execPath, [join("node_modules", typescript, "bin", "tsc"), "-p", ".", ...options], { cwd: program, encoding: "utf8" })
  return stdout + stderr
}

describe("the package in another program", () => {
  it("brings neither a Node nor what only this repository needs", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(program, "package-lock.json"), "utf8")).packages["node_modules/dacapo"]
    expect(existsSync(join(program, "node_modules/.bin/node"))).toBe(false)
    expect({ dependencies, devDependencies }).toEqual({})
  })

  it.each([
    ["typescript-5.9", "nodenext", ["--module", "nodenext"]],
    ["typescript-5.9", "bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
    ["typescript-7", "nodenext", ["--module", "nodenext"]],
    ["typescript-7", "bundler", ["--module", "esnext", "--moduleResolution", "bundler"]]
  ])("compiles with declarations, with the programs of the documentation: %s, %s", (typescript, _, options) => {
    expect(readdirSync(program)).toContain("embedding-0.ts")
    expect(compile(typescript, ...options)).toBe("")
  })

  it.each([
    ["custom-tool.ts", "You rolled six."],
    ["ai-sdk.ts", "You said: Is anyone there?"],
    ["custom-provider.ts", "IS ANYONE THERE?"],
    ["effect-ai.ts", "Two doors."],
    ["replace-services.ts", "It passes."],
    ["replay-a-bug.ts", "diverges at event"],
    ["tenants.ts", "25 × alice"]
  ])("runs %s", (example, output) => {
    expect(execFileSync(process.execPath, [example], { cwd: program, env: environment, encoding: "utf8" })).toContain(output)
  })

  it.each(["embed.ts", "promises.ts"])("runs %s with a task", (example) => {
    const project = join(program, "project")
    rmSync(project, { recursive: true, force: true })
    cpSync(join(examples, "demo/project"), project, { recursive: true })
    const args = [example, project, "Fix it", `scripted/${join(examples, "demo/script.json")}`]
    expect(execFileSync(process.execPath, args, { cwd: program, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
      .toMatch(/^finished: /)
  })
})
