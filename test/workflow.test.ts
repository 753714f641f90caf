/** The example workflow: its step runs as it stands, on a change, and says whether something must be mended. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as ParseArgs from "../src/cli/args/ParseArgs.ts"
import * as Process from "./cli/support/Process.ts"

const workflow = readFileSync("examples/ci/dacapo.yml", "utf8")

/** The script of a step that has several lines. */
const script = (name: string): string =>
  /^ {8}run: \|\n((?: {10}.*\n)+)/m.exec(workflow.slice(workflow.indexOf(`- name: ${name}`)))![1]!.replace(/^ {10}/gm, "")

/** A repository with a change on a branch, as a checkout of a pull request has it. */
const change = ({ cwd }: Process.Place) => {
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@here", ...args], { cwd })
  mkdirSync(join(cwd, ".github"))
  cpSync("examples/ci/review.schema.json", join(cwd, ".github", "review.schema.json"))
  writeFileSync(join(cwd, "tax.ts"), "export const tax = 7\n")
  git("init", "-q", "-b", "main")
  git("add", ".")
  git("commit", "-qm", "first")
  git("update-ref", "refs/remotes/origin/main", "HEAD")
  writeFileSync(join(cwd, "tax.ts"), "export const tax = 70\n")
  git("commit", "-qam", "second")
}

/** Runs the step as a runner does, with `problems` as what the model finds. */
const review = (place: Process.Place, problems: ReadonlyArray<object>) => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
  writeFileSync(join(place.root, "model.json"), JSON.stringify({
    model: { price },
    turns: [{ text: JSON.stringify({ problems }), expect: { contains: ["+export const tax = 70"] } }]
  }))
  const bin = fileURLToPath(new URL("../bin", import.meta.url))
  return spawnSync("bash", ["--noprofile", "--norc", "-e", "-c", script("Review")], {
    cwd: place.cwd,
    encoding: "utf8",
    env: { ...place.environment, PATH: `${bin}:${place.environment["PATH"]}`, BASE: "main", DACAPO_MODEL: `scripted/${place.root}/model.json` }
  })
}

describe("the example workflow", () => {
  it("reviews a change, and leaves what was found as JSON of the schema beside the messages", () => {
    using place = Process.place()
    change(place)
    const problems = [{ file: "tax.ts", line: 1, what: "Seventy is no tax." }]
    expect(review(place, problems)).toMatchObject({ status: 0, stderr: "" })
    expect(JSON.parse(readFileSync(join(place.cwd, "review.json"), "utf8"))).toEqual({ problems })
    const lines = readFileSync(join(place.cwd, "review.jsonl"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(lines.filter(({ type }) => type === "result")).toMatchObject([{ subtype: "success", structured_output: { problems } }])
  })

  it("names only existing flags, and no secret except the key", () => {
    const words = script("Review").replace(/\\\n/g, " ").split("dacapo ")[1]!.split(" > ")[0]!.match(/"[^"]*"|\S+/g)!
    expect(ParseArgs.parse(words).problem).toBeUndefined()
    expect([...workflow.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name)).toEqual(["ANTHROPIC_API_KEY"])
  })
})
