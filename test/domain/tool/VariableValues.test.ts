/** The value that the analysis takes a variable to have is the one that bash gives it, whatever sets it in between. */
import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { analyse, flatten } from "../../../src/domain/tool/CommandLine.ts"

/** Commands that set f or g, or only look as if they did. */
const pieces = [
  "f=src/a.ts", "f=x", "f=y/z", "f='a b'", "f=", "f=-n", "f=*", "f=~", "f=$g", "f=\"$g\"", "f=$g/b", "f=${g}.ts", "f=\"$(echo q)\"", "f=$((1+1))", "f+=w", "f[0]=v", "f=(k l)", "g=src", "g=$f", "g=a f=$g", "f=a g=$f",
  "f=t true", "f=t echo \"$f\"", "f=t :", "f=t eval true", "f=o > /dev/null", "read f <<< r", "read -r g f <<< 'r s'", "IFS= read -r f <<< r", "read -a f <<< 'm n'", "printf -v f p", "printf 'abc%n' f", "printf -- 'abc%5n' f", "printf '%s\\n' f", "mapfile f <<< x",
  "getopts a f -a", "for f in p q; do :; done", "for f in p q; do echo \"$f\"; done", "for g in p q; do f=$g; done", "while read f; do break; done <<< u", "export f=e", "export f", "declare f=d", "declare -u f", "declare -l f", "declare -i f", "declare -n f=g", "typeset f=d", "readonly f=r", "let f=7", "(( f = 8 ))",
  ": $((f = 9))", ": ${f:=h}", "unset f", "unset f; : ${f:=h}", "exec {f}>/dev/null", "true {f}</dev/null", "eval f=i", "eval 'read f <<< j'", "command read f <<< x", "builtin printf -v f x", "[[ $((f = 1)) ]]", "[[ abc =~ b ]]",
  "set -u", "set -e", "set -- 1 2", "set -a", "cd /", "true", "false", "! true", "( f=c )", "f=c | true", "true | f=c", "f=c &", "{ f=c; }", "if true; then f=c; fi", "if false; then f=c; fi", "case x in x) f=c;; esac", "until true; do f=c; done", "while false; do f=c; done", "h() { f=c; }", "h", "time f=c", "trap 'f=c' DEBUG", "source /dev/null"
]

/** What the analysis takes the variable for after the script; undefined if that stays unknown, or the script can't be read. */
const valueAfter = (script: string): string | undefined => {
  const cat = flatten(analyse(`${script}\ncat "$f"`).parts).findLast(({ name }) => name === "cat")
  const [touch] = cat?.touches ?? []
  return cat?.readOnly === true && touch?.word.kind === "literal" ? touch.path : undefined
}

it("in 3,000 random commands", () => {
  const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(Math.random() * all.length)]!
  const scripts = Array.from({ length: 3_000 }, () => {
    let script = Math.random() < 0.7 ? "f=src/a.ts" : pick(pieces)
    for (let more = Math.floor(Math.random() * 4); more > 0; more--) script += pick(["; ", "\n", " && ", " || ", "; true && ", "; false && "]) + pick(pieces)
    return script
  })
  const folder = mkdtempSync(join(tmpdir(), "dacapo-values-"))
  try {
    const program = scripts.map((script, i) => `( eval '${script.replaceAll("'", "'\\''")}' > /dev/null 2>&1; printf '%s:%s\\0' ${i} "$f" )`)
    writeFileSync(join(folder, "program"), program.join("\n"))
    const { stdout } = spawnSync("bash", ["--norc", "program"], { cwd: folder, encoding: "utf8", maxBuffer: 1e8, env: { PATH: process.env["PATH"], f: "inherited", g: "inherited" } })
    const actual = new Map(stdout.split("\0").filter((row) => row !== "").map((row) => [Number(row.slice(0, row.indexOf(":"))), row.slice(row.indexOf(":") + 1)]))
    let known = 0
    const wrong = scripts.flatMap((script, i) => {
      const [value, inBash] = [valueAfter(script), actual.get(i)]
      if (value === undefined || inBash === undefined) return []
      known++
      return value === inBash ? [] : [`${script} | ${value} | ${inBash} in bash`]
    })
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(known, 200)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
