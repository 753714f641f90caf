/** Ways in which bash sets a variable that programs read: a folder in PATH makes any program of that name run. */
import { assert, it } from "@effect/vitest"
import * as Risk from "../../../src/domain/approval/Risk.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import { runAll } from "../../fuzz/bash.ts"

const ways = [
  "PATH=x", "PATH+=x", "PATH[0]=x", "PATH=(x)", "read PATH <<< x", "read -r PATH <<< x", "read -ra PATH <<< x", "read -aPATH <<< x", "read -raPATH <<< x", "read -d '' -a PATH <<< x", "IFS= read PATH <<< x",
  "printf -v PATH x", "printf -vPATH x", "printf 'abc%n' PATH", "printf 'abc%5n' PATH", "printf 'abc%-n' PATH", "printf '%d%n' 1 PATH", "printf -- 'abc%n' PATH", "printf '%%%n' PATH", "f='abc%n'; printf \"$f\" PATH",
  "mapfile PATH <<< x", "readarray -t PATH <<< x", "getopts a PATH -a", "for PATH in x; do :; done", "export PATH=x", "declare PATH=x", "declare -a PATH=(x)", "typeset PATH=x", "let PATH=1", "(( PATH = 1 ))",
  ": $((PATH = 1))", "for i in $((PATH = 1)); do :; done", "case $((PATH = 1)) in *) ;; esac", "[[ $((PATH = 1)) ]]", ": <<< $((PATH = 1))", "unset PATH", "unset PATH; : ${PATH:=x}", "exec {PATH}>/dev/null",
  "true {PATH}</dev/null", "eval PATH=x", "eval 'read PATH <<< x'", "command read PATH <<< x", "builtin printf -v PATH x", "command printf 'abc%n' PATH", "while read PATH; do break; done <<< x", "if read PATH <<< x; then :; fi",
  "{ read PATH; } <<< x", "time read PATH <<< x", "! read PATH <<< x", "true && read -a PATH <<< x", "a=PATH; read $a <<< x", "a=PATH; read -a $a <<< x", "a=PATH; printf 'abc%n' $a", "( : ) & wait -n -p PATH"
]

/** What only looks like one of them, or sets a variable of the program itself. */
const harmless = ["read path <<< x", "read -ra parts <<< 'a b'", "read -r -a parts <<< x", "printf '%s\\n' PATH", "printf 'n: %d%%n\\n' 3", "printf '%snames' 3", "for path in x; do :; done", "path=x", "printf \"a$x\"", "echo '%n' PATH"]

const isSet = runAll([...ways, ...harmless].map((way) => `old=$PATH; ${way}; [[ $PATH == "$old" ]] || : > changed`)).map(({ wrote }) => wrote.includes("changed"))
const level = (command: string) => Risk.assess(Access.command(command, "/project"), { roots: ["/project"], home: "/home/user", cwd: "/project" }).level

it("set it in bash", () => assert.deepStrictEqual(ways.filter((_, i) => isSet[i] !== true), []))

it("are never taken for reading alone", () => assert.deepStrictEqual(ways.filter((way) => level(way) === "low"), []))

it("differ from what sets nothing that programs read", () => {
  assert.deepStrictEqual(harmless.filter((_, i) => isSet[ways.length + i] === true), [])
  assert.deepStrictEqual(harmless.filter((way) => level(way) !== "low"), [])
})
