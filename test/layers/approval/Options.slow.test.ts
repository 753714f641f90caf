/** The tables know which options take a file: the real programs of this machine are given one at every option. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { analyse } from "../../../src/domain/tool/CommandLine.ts"
import { fileTools, textTools } from "../../../src/domain/tool/shell/TextTools.ts"
import { git } from "../../../src/domain/tool/shell/GitTool.ts"
import type { Tool } from "../../../src/domain/tool/shell/Tool.ts"
import { repository } from "../workspace/hostileGit.ts"
import { folder } from "../workspace/fixture.ts"

const marker = "MARKER-5f1c"

const isThere = (name: string) => spawnSync("bash", ["-c", `type -P ${name}`]).status === 0

/** Those that show other files of the machine, wait, or need more than words. */
const readers = Object.entries({ ...fileTools, ...textTools }).filter(([name, { readOnly, refusal, subs }]) => readOnly && refusal === undefined && subs === undefined && !["sleep", "tail", "man"].includes(name) && isThere(name))

/** The subcommands of a tool that only read, with their own. */
const subcommands = (name: string, { subs = new Map<string, Tool>() }: Tool): ReadonlyArray<readonly [string, Tool]> =>
  [...subs].filter(([, { readOnly }]) => readOnly).flatMap(([sub, tool]) => [[`${name} ${sub}`, tool] as const, ...subcommands(`${name} ${sub}`, tool)])

/** FILE at every option, as a word of its own and attached, among the operands that the program may need. */
const commandsOf = (tools: ReadonlyArray<readonly [string, Tool]>, forms: ReadonlyArray<string>) =>
  tools.flatMap(([name, { options }]) =>
    [...options.kindByName.keys()].filter((option) => option !== "-#").flatMap((option) =>
      [`${option} FILE`, `${option}FILE`, `${option}=FILE`].flatMap((given) => forms.map((form) => `${name} ${form.replace("GIVEN", given)}`))))

/** Judged a mere read that names no file of this name. */
const isBlind = (command: string): boolean => {
  const { faults, parts } = analyse(command.replace("FILE", "file"))
  return faults.length === 0 && parts.every(({ readOnly, touches }) => readOnly && !touches.some(({ path }) => path.includes("file")))
}

describe("an option of a reader", () => {
  it.effect("takes no file that the analysis does not see", () =>
    Effect.gen(function*() {
      const cwd = yield* folder({ file: `${marker}\n${marker}\n`, "empty/.keep": "" })
      const run = (commands: ReadonlyArray<string>) => {
        const script = commands.map((command, i) => `printf '\\n=%s=' ${i}\n${command.replace("FILE", "../file")} < /dev/null 2>&1`).join("\n")
        // Some programs search the folder in which they run.
        const { stdout } = spawnSync("timeout", ["120", "bash", "-c", script], { cwd: `${cwd}/empty`, encoding: "utf8", maxBuffer: 1 << 28 })
        return commands.filter((_, i) => stdout.split(`\n=${i}=`)[1]?.split("\n=")[0]?.includes(marker) === true)
      }
      assert.deepStrictEqual(run(["cat FILE", "grep -e x FILE", "sort -r FILE", "head -n 1 FILE"]), ["cat FILE", "sort -r FILE", "head -n 1 FILE"])
      const blind = commandsOf(readers, ["GIVEN", ". GIVEN"]).filter(isBlind)
      assert.isAbove(blind.length, 100)
      assert.deepStrictEqual(run(blind), [])
      repository(`${cwd}/repository`)
      const inRepository = (commands: ReadonlyArray<string>) => run(commands.map((command) => `git -C ../repository ${command.replace(/^git /, "")}`))
      assert.lengthOf(inRepository(["git blame -SFILE a.t", "git blame --contents FILE a.t", "git blame a.t"]), 2)
      const blindGit = commandsOf(subcommands("git", git), ["GIVEN", "GIVEN a.t"]).filter(isBlind)
      assert.isAbove(blindGit.length, 500)
      assert.deepStrictEqual(inRepository(blindGit), [])
    }), 150_000)
})
