/** The files for CI and containers: their steps run as they stand, and what only GitHub and Docker run is checked for what they say. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Yaml from "effect/encoding/Yaml"
import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ParseArgs from "../src/cli/args/ParseArgs.ts"
import * as JsonText from "../src/layers/settings/JsonText.ts"
import * as Process from "./cli/support/Process.ts"

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

const read = (name: string) => readFileSync(`examples/ci/${name}`, "utf8")
const action = Yaml.parse(read("action.yml")) as {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>
  readonly runs: { readonly using: string; readonly steps: ReadonlyArray<Step & { readonly shell?: string }> }
}
const workflow = Yaml.parse(read("dacapo.yml")) as {
  readonly permissions: object
  readonly jobs: Readonly<Record<string, { readonly steps: ReadonlyArray<Step & { readonly with?: Readonly<Record<string, unknown>> }> }>>
}
const steps: ReadonlyArray<Step> = [...action.runs.steps, ...Object.values(workflow.jobs).flatMap(({ steps }) => steps)]
const step = (name: string) => action.runs.steps.find((one) => one.name === name)!
const sandboxWorks = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]).status === 0
const dockerWorks = spawnSync("docker", ["info"]).status === 0

/** A repository with a change on a branch, as a checkout of a pull request has it. */
const change = ({ cwd }: Process.Place) => {
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@here", ...args], { cwd })
  writeFileSync(join(cwd, "tax.ts"), "export const tax = 7\n")
  git("init", "-q", "-b", "main")
  git("add", ".")
  git("commit", "-qm", "first")
  git("update-ref", "refs/remotes/origin/main", "HEAD")
  writeFileSync(join(cwd, "tax.ts"), "export const tax = 70\n")
  git("commit", "-qam", "second")
}

/** Runs a step of the action as a runner does, with its inputs and a scripted model. */
const runStep = (place: Process.Place, name: string, inputs: Readonly<Record<string, string>>, turns: ReadonlyArray<object>) => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
  writeFileSync(join(place.root, "model.json"), JSON.stringify({ model: { price }, turns }))
  mkdirSync(join(place.root, "temp"))
  const all: Readonly<Record<string, string>> = { ...Object.fromEntries(Object.entries(action.inputs).map(([key, input]) => [key, input.default])), model: `scripted/${place.root}/model.json`, base: "main", ...inputs }
  const environment = Object.entries(step(name).env ?? {}).map(([key, text]) => [key, text.replace(/^\$\{\{ inputs\.([\w-]+) \}\}$/, (_, input: string) => all[input]!)] as const)
  const ended = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step(name).run!], {
    cwd: place.cwd,
    encoding: "utf8",
    env: {
      ...place.environment,
      PATH: `${fileURLToPath(new URL("../bin", import.meta.url))}:${place.environment["PATH"]}`,
      GITHUB_ACTION_PATH: fileURLToPath(new URL("../examples/ci", import.meta.url)),
      GITHUB_OUTPUT: join(place.root, "output"),
      RUNNER_TEMP: join(place.root, "temp"),
      ...Object.fromEntries(environment)
    }
  })
  return { ...ended, temp: (file: string) => readFileSync(join(place.root, "temp", file), "utf8"), output: () => readFileSync(join(place.root, "output"), "utf8") }
}

describe("the example action", () => {
  it("reviews a change, and leaves what was found as JSON of the schema beside the messages", () => {
    using place = Process.place()
    change(place)
    const problems = [{ file: "tax.ts", line: 1, what: "Seventy is no tax." }]
    const review = runStep(place, "Review", {}, [{ text: JSON.stringify({ problems }), expect: { contains: ["+export const tax = 70"] } }])
    expect(review).toMatchObject({ status: 0, stderr: "" })
    expect(JSON.parse(review.temp("dacapo.json"))).toEqual({ problems })
    expect(review.output()).toBe(`result=${place.root}/temp/dacapo.json\nproblems=1\n`)
    const lines = review.temp("dacapo.jsonl").trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(lines.filter(({ type }) => type === "result")).toMatchObject([{ subtype: "success", structured_output: { problems } }])
  })

  it("fixes in the sandbox and leaves a patch, or stops where there is no sandbox", () => {
    using place = Process.place()
    change(place)
    const turns = [
      { calls: [{ name: "edit_file", params: { path: "tax.ts", old_text: "70", new_text: "7" } }, { name: "run_command", params: { command: `touch ${place.root}/outside; cat tax.ts` } }] },
      { text: "Fixed." }
    ]
    const fix = runStep(place, "Fix", { task: "fix", prompt: "Fix the tax; $(touch injected) `touch injected`" }, [{ calls: [{ name: "read_file", params: { path: "tax.ts" } }] }, ...turns])
    if (!sandboxWorks) return expect(fix.status).toBe(44)
    expect(fix).toMatchObject({ status: 0, stderr: "" })
    expect(existsSync(join(place.root, "outside"))).toBe(false)
    expect(fix.temp("dacapo.txt")).toContain("Fixed.")
    expect(fix.temp("dacapo.patch")).toContain("-export const tax = 70\n+export const tax = 7\n")
    expect(fix.temp("dacapo.patch").match(/^diff --git/gm)).toHaveLength(1)
    expect(fix.output()).toBe(`result=${place.root}/temp/dacapo.txt\npatch=${place.root}/temp/dacapo.patch\n`)
  })

  it("pins every action of others to a commit, and pastes no expression into a script", () => {
    const uses = steps.flatMap(({ uses }) => uses ?? [])
    expect(uses.length).toBeGreaterThan(4)
    for (const name of uses.filter((name) => !name.startsWith("./"))) expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
    for (const { run = "" } of steps) expect(run).not.toContain("${{")
    for (const { run, shell } of action.runs.steps) if (run !== undefined) expect(shell).toBe("bash")
    expect([action.runs.using, workflow.permissions]).toEqual(["composite", { contents: "read" }])
  })

  it("names only existing flags and inputs, and no secret except the key", () => {
    for (const name of ["Review", "Fix"]) {
      const words = step(name).run!.replace(/\\\n/g, " ").split("dacapo ")[1]!.split(" > ")[0]!.match(/"[^"]*"|\S+/g)!.map((word) => word === "\"$BUDGET\"" ? "1" : word)
      expect(ParseArgs.parse(words).problem).toBeUndefined()
    }
    const referenced = steps.flatMap(({ env = {} }) => Object.values(env)).flatMap((text) => [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name = ""]) => name))
    expect(referenced.filter((name) => action.inputs[name] === undefined)).toEqual([])
    const given = Object.values(workflow.jobs).flatMap(({ steps }) => steps.filter(({ uses }) => uses === "./.github/actions/dacapo").flatMap((one) => Object.keys(one.with ?? {})))
    expect(given.filter((name) => action.inputs[name] === undefined)).toEqual([])
    expect([...new Set([...read("dacapo.yml").matchAll(/secrets\.(\w+)/g)].map(([, name]) => name))]).toEqual(["ANTHROPIC_API_KEY"])
  })
})

describe("the container", () => {
  const instructions = read("Dockerfile").replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n/g, " ").split("\n").filter((line) => line.trim() !== "").map((line) => /^(\w+) +(.*)$/.exec(line)!)
  const of = (name: string) => instructions.filter(([, instruction]) => instruction === name).map(([, , text = ""]) => text)
  const folder = mkdtempSync(join(tmpdir(), "dacapo-image-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("runs as an ordinary user, from a pinned version, with bubblewrap inside", () => {
    expect(instructions.every(([, name = ""]) => ["FROM", "RUN", "ARG", "COPY", "USER", "WORKDIR", "ENTRYPOINT", "CMD"].includes(name))).toBe(true)
    expect(of("FROM")).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-[\w-]+$/)])
    expect(of("USER")).toEqual(["node"])
    expect(of("RUN")[0]).toMatch(/--no-install-recommends .*\bbubblewrap\b/)
    expect(JSON.parse(of("ENTRYPOINT")[0]!)).toEqual(["dacapo"])
    const position = (name: string) => instructions.findIndex(([, one]) => one === name)
    expect(position("USER")).toBeGreaterThan(position("COPY"))
    expect(read("Dockerfile")).not.toMatch(/\b(?:curl|wget|sudo|chmod 777)\b/)
  })

  it("is the one of the devcontainer, which gives it no capability and no key of its own", () => {
    const container = Result.getOrThrow(JsonText.parse(read(".devcontainer/devcontainer.json"))) as { readonly build: object; readonly remoteUser: string; readonly runArgs: ReadonlyArray<string>; readonly remoteEnv: Readonly<Record<string, string>> }
    expect(container).toMatchObject({ build: { dockerfile: "Dockerfile" }, remoteUser: "node" })
    expect(container.runArgs).toContain("--cap-drop=ALL")
    expect(container.runArgs.join(" ")).not.toMatch(/--privileged|docker\.sock/)
    for (const [name, value] of Object.entries(container.remoteEnv)) expect(value).toBe(`\${localEnv:${name}}`)
  })

  it.runIf(dockerWorks)("is built by Docker and shows its version", { timeout: 600_000 }, () => {
    const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
    copyFileSync("examples/ci/Dockerfile", join(folder, "Dockerfile"))
    const tag = `dacapo-test-${process.pid}`
    execFileSync("docker", ["build", "--quiet", "--tag", tag, "--build-arg", `PACKAGE=${filename}`, folder])
    try {
      expect(execFileSync("docker", ["run", "--rm", tag, "--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/)
      expect(execFileSync("docker", ["run", "--rm", "--entrypoint", "id", tag, "-u"], { encoding: "utf8" }).trim()).not.toBe("0")
    } finally {
      execFileSync("docker", ["rmi", "--force", tag])
    }
  })
})
