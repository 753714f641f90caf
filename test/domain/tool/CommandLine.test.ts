import { assert, describe, it } from "@effect/vitest"
import { analyse, flatten } from "../../../src/domain/tool/CommandLine.ts"

const named = (command: string) => flatten(analyse(command).parts).map(({ words }) => words.map(({ text }) => text).join(" "))

describe("the parts of a command", () => {
  it.each<[command: string, parts: ReadonlyArray<string>]>([
    ["a && b | c; d & e", ["a", "b", "c", "d", "e"]],
    ["(a; { b; }) > out", ["a", "b", ""]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for x in $(a); do b; done", ["a", "b"]],
    ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
    ["case $(a) in $(b)) c;; d) e;; esac", ["a", "b", "c", "e"]],
    ["f() { a; }; f", ["a", "f"]],
    ["echo $(a `b` \"${x:-$(c)}\" $((1 + $(d)))) <(e)", ["b", "c", "d", "a   ", "e", "echo  "]],
    ["a <<E\n$(b) `c`\nE", ["b", "c", "a"]],
    ["a <<'E'\n$(b)\nE", ["a"]],
    ["a <<< $(b) > $(c)", ["b", "c", "a"]],
    ["x=$(a) b", ["a", "b"]],
    ["[[ $(a) == b ]] && ((1 + $(c)))", ["a", "[[  b", "c"]],
    ["sudo -u root env A=1 timeout -k 1 5 nice a b", ["sudo -u root env A=1 timeout -k 1 5 nice a b", "env A=1 timeout -k 1 5 nice a b", "timeout -k 1 5 nice a b", "nice a b", "a b"]],
    ["bash -xec 'a; bash -c \"b\"'", ["bash -xec a; bash -c \"b\"", "a", "bash -c b", "b"]],
    ["find . -exec a {} \\; -o -ok b {} +", ["find . -exec a {} ; -o -ok b {} +", "a ", "b "]],
    ["xargs -I{} a x{}y", ["xargs -I{} a x{}y", "a x"]],
    ["trap 'a' EXIT", ["trap a EXIT", "a"]],
    ["eval a \"b c\"", ["eval a b c", "a b c"]],
    ["{a,b}{1,2} c", ["a1 a2 b1 b2 c"]],
    ["a{1..3} \"b {1..2}\"", ["a1 a2 a3 b {1..2}"]]
  ])("%s", (command, parts) => assert.deepStrictEqual(named(command), parts))

  it("have no name where only bash knows what the braces make", () => {
    assert.deepStrictEqual(["{2},}", "{a},b}", "{a},{b,c}"].map((command) => analyse(command).parts[0]?.name), [undefined, undefined, undefined])
  })

  it("say where each may run", () => {
    const folders = flatten(analyse("a; cd x && b; (cd y && c); d").parts).map(({ folders, name }) => [name, folders])
    assert.deepStrictEqual(folders, [["a", [""]], ["cd", [""]], ["b", ["x"]], ["cd", ["", "x"]], ["c", ["y", "x/y"]], ["d", ["", "x"]]])
  })

  it("say through which programs each was found", () => {
    assert.deepStrictEqual(flatten(analyse("sudo timeout 5 a").parts).map(({ wrappers }) => wrappers), [[], ["sudo"], ["sudo", "timeout"]])
  })
})

describe("arguments to execute directly", () => {
  it.each<[command: string, argv: ReadonlyArray<string> | undefined]>([
    ["git commit -m 'a b' \"c\"", ["git", "commit", "-m", "a b", "c"]],
    ["ls {a,b}", ["ls", "a", "b"]],
    ["ls *.ts", undefined],
    ["ls ~/x", undefined],
    ["ls $x", undefined],
    ["ls > f", undefined],
    ["A=1 ls", undefined],
    ["ls; ls", undefined],
    ["ls &", undefined],
    ["! ls", undefined],
    ["time ls", undefined],
    ["(ls)", undefined],
    ["cd x", undefined],
    ["echo x", undefined],
    ["ls 'a", undefined]
  ])("%s", (command, argv) => assert.deepStrictEqual(analyse(command).argv, argv))
})

describe("faults", () => {
  it.each<[command: string, fault: RegExp]>([
    ["", /no command/],
    [" \n\t", /no command/],
    ["# only a comment", /no command/],
    ["echo 'a", /can't be parsed/],
    ["echo \"a", /can't be parsed/],
    ["echo $(a", /can't be parsed/],
    ["if a; then b", /can't be parsed/],
    ["a <<E\nb", /is not terminated/],
    ["echo a\\", /ends in a backslash/],
    ["echo a\u202e", /do not show/],
    ["echo a\u0007", /do not show/],
    ["echo a\r", /do not show/],
    ["echo\u00a0a", /do not show/],
    ["echo \ud800", /do not show/],
    ["echo $'a\\\nb'", /continues a line/],
    ["a; $\\\n\"6\"", /within an operator/],
    ["a <\\\n(b)", /within an operator/],
    ["f() { a; }", /defines the function/],
    ["coproc a", /coprocess/],
    ["((x++))", /evaluates its variables/],
    ["select x in a; do b; done", /waits for input/],
    ["for PATH in a; do b; done", /sets PATH/],
    ["for i in 1 2; do cd ..; done", /loop changes the working directory/]
  ])("%j", (command, fault) => assert.match(analyse(command).faults.join(), fault))
})
