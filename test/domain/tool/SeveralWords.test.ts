/** Patterns and unquoted expansions that become several words: an option, an operand or a program where one value was meant. */
import { assert, it } from "@effect/vitest"
import * as Risk from "../../../src/domain/approval/Risk.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as Result from "effect/Result"
import { runAll } from "../../fuzz/bash.ts"

/** Run `c1`, or write `out`, once the folder has files of these names. */
const hostile: Readonly<Record<string, ReadonlyArray<string>>> = {
  "v='1 c1'; nice -n $v ls": [],
  "v='1 c1'; timeout $v ls": [],
  "v='5 1 c1'; timeout -k $v 3 ls": [],
  "v='L c1'; stdbuf -o $v ls": [],
  "nice -n * ls": ["1", "c1"],
  "timeout * ls": ["1", "c1"],
  "timeout 1* ls": ["1", "1s"],
  "v='pipefail -c c1'; bash -o $v -c ls": [],
  "bash -o p* -c ls": ["pipefail", "pipefail-"],
  "find *": ["-delete"],
  "find ? -name x": ["a", "b"],
  "sort -k * a": ["1", "-oout"],
  "sort -t * a": ["1", "-oout"],
  "awk -v * 1 a": ["a=1", "BEGIN{system(\"c1\")}"],
  "awk -F * 1 a": [",", "BEGIN{system(\"c1\")}"],
  "jq --arg * . a": ["x", "y"],
  "date -d *": ["now", "-s2020"],
  "read -p * v <<< x": ["a", "PATH"],
  "xxd -s * a": ["0", "in", "out"],
  "xxd [io]*": ["in", "out"],
  "uniq [io]*": ["in", "out"],
  "git symbolic-ref H*": ["HEAD", "HX"],
  "git log -n *": ["1", "--output=out"],
  "rg -g *.ts x": ["--pre=c1.ts", "a.ts"],
  "test -f *": ["a", "-o", "-v", "x[$(c1)]"],
  "[ a = * ]": ["a", "-o", "-v", "x[$(c1)]"],
  "f='%n PATH'; printf a$f": [],
  "printf a*": ["a%n", "apath"]
}

/** Of the same form, with one value. */
const harmless = [
  "nice -n 1 ls", "v=1; nice -n \"$v\" ls", "timeout 5 ls src/*.ts", "timeout -k 5 3 ls", "bash -o pipefail -c ls", "find src -name '*.ts'", "find s* -name x", "sort -k 1 src/*.ts", "awk -v a=1 1 src/*.ts",
  "jq --arg x y . a", "date -d now", "read -p a v <<< x", "xxd -s 0 in", "uniq in", "git symbolic-ref HEAD", "git log -n 1", "git log --author=*", "rg -g '*.ts' x", "test -f a", "[ -f a* ]", "head -n 1 *.ts", "cut -d , -f 1 *.ts", "f='%n'; printf \"a$f\"", "printf '%s' *", "ls *", "grep --include=*.ts -r x src"
]

const level = (command: string) => Risk.assess(Access.command(command, "/project"), {
  roots: ["/project"],
  home: "/home/user",
  cwd: "/project"
}).level

/** Without what the workspace knows of the files that a pattern matches, one counts as leading anywhere inside. */
const isSilent = (command: string) => level(command) === "low"

const real = Object.entries(hostile).filter(([command]) => /^(?:v=|nice|timeout \*|bash -o \$|find \*$|sort|xxd|uniq|f=)/.test(command))

it("run or write in bash what was not named", () => {
  const files = (names: ReadonlyArray<string>) => names.map((name) => `: > '${name}'; `).join("")
  const runs = runAll([...real.map(([command, names]) => `${files(names)}${command}`), "f='%n PATH'; old=$PATH; printf a$f; [[ $PATH == \"$old\" ]] || c1"])
  const isQuiet = (i: number) => runs[i]!.ran.length === 0 && runs[i]!.wrote.length === real[i]![1].length
  assert.deepStrictEqual(real.filter(([command], i) => !/^(?:sort|xxd|uniq|f=)/.test(command) && isQuiet(i)).map(([command]) => command), [])
  assert.include(runs.at(-1)!.ran, "c1")
})

it("are never taken for reading alone", () => assert.deepStrictEqual(Object.keys(hostile).filter(isSilent), []))

it("are covered by no rule for the program that runs another", () => {
  const rules = Result.getOrThrow(Rule.compile({ allow: ["Bash(*)"], deny: ["Bash(c1:*)"] }, { root: "/project", home: "/home/user" }))
  const wrapped = Object.keys(hostile).filter((command) => /nice|timeout|bash|stdbuf/.test(command))
  assert.deepStrictEqual(wrapped.filter((command) => Rule.evaluate(rules, { tool: "Bash", command }).decision === "allow"), [])
})

it("differ from one value", () => assert.deepStrictEqual(harmless.filter((command) => !isSilent(command)), []))
