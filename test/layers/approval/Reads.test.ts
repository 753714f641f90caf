/** No program of the tables reads a file outside without a question, however its path is written; and ordinary work is not asked about. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Operands, Tool } from "../../../src/domain/tool/shell/Tool.ts"
import { fileTools, textTools } from "../../../src/domain/tool/shell/TextTools.ts"
import * as fs from "node:fs"
import { join } from "node:path"
import { write } from "../workspace/fixture.ts"
import { inWorld, marker } from "./world.ts"

/** How a program of each kind is given a file to read; undefined where no operand is one. */
const given: Readonly<Record<Operands, string | undefined>> = {
  awk: "'{print $1}' PATH",
  filter: "PATH",
  find: "PATH -name '*.ts'",
  jq: ". PATH",
  pattern: "foo PATH",
  read: "PATH",
  sed: "-n 1,20p PATH",
  yq: ". PATH",
  any: undefined, comparison: undefined, clone: undefined, copy: undefined, enter: undefined, format: undefined, free: undefined, link: undefined, mode: undefined, move: undefined, name: undefined, new: undefined, none: undefined, objects: undefined, one: undefined,
  page: undefined, printf: undefined, pairs: undefined, processes: undefined, script: undefined, sets: undefined, setting: undefined, switch: undefined, test: undefined, text: undefined,
  url: undefined, variables: undefined, write: undefined
}

const tables: ReadonlyArray<readonly [string, Tool]> = Object.entries({ ...fileTools, ...textTools }).filter(([, { readOnly, refusal, subs }]) => readOnly && refusal === undefined && subs === undefined)

/** Every reader with each way to give it a file: as an operand, and as the value of an option. */
const readers = tables.flatMap(([name, { requiredOptions, operands, options, pathsOnlyOptions }]) => [
  ...given[operands] === undefined ? [] : [`${name} ${[...requiredOptions][0] ?? ""} ${given[operands]}`],
  ...[...options.kindByName].filter(([, kind]) => kind === "read" || kind === "archive").flatMap(([option]) => [
    `${name} ${[...requiredOptions][0] ?? ""} ${option} PATH`,
    ...option.startsWith("--") ? [`${name} ${option}=PATH`] : [],
    ...given[operands] === undefined ? [] : [`${name} ${[...requiredOptions][0] ?? ""} ${option} src/a.ts ${pathsOnlyOptions.has(option) ? "PATH" : given[operands]}`]
  ])
])

/** Ways to write a path that leads out of the folder, or to a file that is secret. */
const paths = [
  // As it stands
  "ROOT/outside/secret.txt", "../outside/secret.txt", "src/../../outside/secret.txt", "./././../outside/secret.txt", "../project/../outside/secret.txt", "/etc/passwd", "//etc/passwd", "/",
  // Through links
  "src/link.txt", "src/chain.txt", "src/linkdir/secret.txt", "src/linkdir/../outside/secret.txt", "src/deep/../link.txt", "src/dotted", "src/loop.txt", "src/linkdir",
  // Protected
  ".env", "./.env", "src/../.env", "ROOT/project/.env", "'.env'", ".en\\v",
  // Known at run time alone
  "\"$X\"", "$X", "\"${X:-/etc/passwd}\"", "\"${HOME:-}/secret.txt\"", "\"$PWD/../outside/secret.txt\"", "\"${PWD%/*}/outside/secret.txt\"", "$(echo /etc/passwd)", "\"$(echo ../outside/secret.txt)\"",
  "`echo /etc/passwd`", "\"src/$X\"", "src/$X", "\"$@\"", "$1", "${X[0]}", "${!X}", "$((1+1))", "src/$'\\x2e\\x2e'/../../outside/secret.txt",
  // Homes
  "~/secret.txt", "\"$HOME/secret.txt\"", "\"$HOME\"/secret.txt", "${HOME}/secret.txt", "~root/.profile", "~+/../outside/secret.txt", "~-/x",
  // Patterns
  "../outside/*", "../*/secret.txt", "src/li*", "src/l[i]nk.txt", "src/?ink.txt", "src/linkd*/secret.txt", "src/*/secret.txt", "src/*.txt", ".e*", ".en?", ".[e]nv", "*/../.env", "/et*/passwd", "~/*.txt", "\"$HOME\"/*", "src/l*r/*",
  // Braces
  "{src/a.ts,../outside/secret.txt}", "src/{a.ts,link.txt}", "{.env,x}", "/{etc,x}/passwd", "src/{a,${X}}", "..{/outside,}/secret.txt",
  // Quotes
  "'../outside/secret.txt'", "\"../outside/secret.txt\"", "\\.\\./outside/secret.txt", "$'../outside/secret.txt'", "$'\\x2e\\x2e/outside/secret.txt'", "..''/outside/secret.txt", "\"..\"/'outside'/secret.txt",
  // Devices and processes
  "/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self/cwd/../outside/secret.txt", "/dev/fd/3", "/proc/1/cmdline"
]

/** Ways to give a program a file beside its words; `READ` reads its input, `FILE` a path. */
const around = [
  "READ < PATH", "READ <<< \"$(cat PATH)\"", "READ <<< \"$(< PATH)\"", "READ <<E\n$(cat PATH)\nE", "READ <(cat PATH)", "cat PATH | READ", "echo PATH | xargs cat", "X=PATH; cat \"$X\"",
  "for f in PATH; do cat \"$f\"; done", "for f in PATH src/a.ts; do for g in 1; do cat \"$f\"; done; done", "for f in src/a.ts; do f=PATH; cat \"$f\"; done",
  "for f in src/a.ts; do for f in PATH; do :; done; cat \"$f\"; done", "while read -r f; do cat \"$f\"; done <<< PATH", "echo \"$(cat PATH)\"", "{ cat PATH; }", "( cat PATH )",
  "true && cat PATH", "! cat PATH", "cat -- PATH", "cat src/a.ts PATH", "if true; then cat PATH; fi", "case x in x) cat PATH;; esac"
]

const silent = (commands: ReadonlyArray<string>) =>
  inWorld(({ judge, root }) =>
    Effect.filter(commands.map((command) => command.replaceAll("ROOT", root)), (command) => Effect.map(judge(command), (decision) => decision === "allow")))

const lines = (commands: ReadonlyArray<string>, paths: ReadonlyArray<string>) => commands.flatMap((command) => paths.map((path) => command.replace("PATH", () => path)))

describe("a program that reads", () => {
  it.effect("reads a plain file of the folder, and one that a link in the folder leads to, without a question", () =>
    Effect.gen(function*() {
      const plain = lines(readers, ["src/a.ts", "./notes.txt", "src/../notes.txt", "'src/a.ts'", "src/inside.ts", "{src/a.ts,notes.txt}"])
      const asked = new Set(plain)
      for (const command of yield* silent(plain)) asked.delete(command)
      assert.deepStrictEqual([...asked].filter((command) => !/^(?:xxd|uniq|date) .*,/.test(command)), [])
      assert.isAbove(readers.length, 60)
    }))

  it.effect("reads nothing else without one, however its path is written", () =>
    Effect.gen(function*() {
      const commands = lines(readers, paths)
      // The second of two words is not the option's value, and no file in that place.
      assert.deepStrictEqual((yield* silent(commands)).filter((command) => !/(?:tar .*|--exclude-from) [^ ]*[{].*[}]$/.test(command)), [])
    }))

  it.effect("reads nothing else by its input, a loop, or a command in it", () =>
    Effect.gen(function*() {
      const commands = lines(around.map((command) => command.replace("READ", "cat")), paths.filter((path) => !/[{(`]|\$[@1]|\n/.test(path)))
      // What is known to lead nowhere, or becomes an assignment's or an input's plain text
      assert.deepStrictEqual(yield* silent(commands), [])
    }))

  it.effect("reads plain files of the folder by its input, a loop, or a command in it", () =>
    Effect.gen(function*() {
      const commands = [
        "cat < src/a.ts", "cat <(cat src/a.ts)", "cat src/a.ts | cat", "for f in src/a.ts src/b.ts; do cat \"$f\"; done", "for f in src/*.ts; do wc -l \"$f\"; done", "for f in src/*.ts; do echo \"$f\"; head -3 \"$f\"; done", "for f in src/a.ts src/b.ts; do head -3 $f | tail -1; done",
        "for f in src/a.ts; do for g in 1; do cat \"$f\"; done; done", "echo \"$(cat src/a.ts)\"", "cat src/*.ts", "cat src/[ab].ts", "cat *.txt", "cat src/{a,b}.ts"
      ]
      assert.deepStrictEqual(yield* silent(commands), commands)
    }))
})

describe("ordinary commands", () => {
  it.effect("are not asked about", () =>
    Effect.gen(function*() {
      const commands = [
        "ls", "ls -la src", "ls -la", "pwd", "tree", "tree -L 2", "which node", "cat package.json", "cat src/a.ts src/b.ts", "grep -rn \"foo\" src", "grep -rn foo --include='*.ts' .", "grep -n foo src/a.ts", "rg foo", "rg -n foo src",
        "rg foo -g '*.ts'", "rg --files", "rg --files src", "rg -l foo", "find . -name '*.ts'", "find . -type f -name '*.ts' | head -20", "head -50 src/a.ts | tail -5", "wc -l src/*.ts", "sed -n 1,20p src/a.ts", "awk '{print $1}' notes.txt", "jq .name package.json",
        "jq -r '.scripts | keys[]' package.json", "diff src/a.ts src/b.ts", "sort notes.txt | uniq -c", "sort notes.txt | uniq -c | sort -rn | head", "cut -d , -f 1 notes.txt", "cut -d/ -f2 notes.txt", "grep -rn foo src 2>/dev/null", "ps aux", "ps -ef | grep node",
        "ps -eo pid,comm", "file src/a.ts", "stat src/a.ts", "du -sh src", "df -h", "date +%s", "echo hello", "xxd src/a.ts | head", "nl -ba src/a.ts", "tail -n +5 src/a.ts", "tail -n 20 notes.txt", "unzip -l data.zip", "md5sum src/a.ts", "basename src/a.ts",
        "cat src/a.ts; echo; cat src/b.ts", "test -f x && cat notes.txt", "grep -c foo src/a.ts src/b.ts", "grep -E 'a|b' -A 3 -B 2 src/a.ts", "tr a-z A-Z < notes.txt", "comm -12 notes.txt src/a.ts", "fd foo", "man ls", "uname -a", "whoami", "id"
      ]
      assert.deepStrictEqual(yield* silent(commands), commands)
    }))
})

describe("a tree", () => {
  it.effect("that holds a secret is not searched without a question, unless what is chosen leaves it out", () =>
    Effect.gen(function*() {
      const asks = ["grep -r . .", "grep -r foo", "grep -rn foo ./", "grep -R . src", "rg --hidden foo", "rg -u. foo", "rg -. foo", "rg -g '.e*' foo", "rg -L foo", "rg foo --glob='*'", "diff -r . src", "diff . src", "grep -d recurse . .", "grep -r foo --include='.e*' .", "rg foo /", "rg --files /", "grep -r foo *", "cat -- */*"]
      const silently = ["grep -r foo src", "grep -rn foo src/deep", "grep -rn foo . --exclude='.env'", "grep -r foo . --include='*.ts' --include='*.json'", "rg foo .", "rg foo -g '!x'", "rg foo --glob '*.{ts,json}'"]
      assert.deepStrictEqual(yield* silent([...asks, ...silently]), silently)
    }))

  it.effect("is not narrowed by an option for folders where the secret is a file, or the other way round", () =>
    inWorld(({ cwd, judge }) =>
      Effect.gen(function*() {
        fs.mkdirSync(join(cwd, "conf"))
        fs.writeFileSync(join(cwd, "conf/.env"), marker)
        const asks = ["grep -r . . --exclude-dir=.env", "grep -r . . --exclude-dir='.e*'", "grep -r . . --exclude=conf --exclude-dir=.env", "rg --hidden . -g '!.env/'", "diff -r . src -x .env/", "diff -r . src -x conf"]
        const silently = ["grep -r . . --exclude=.env", "grep -r . . --exclude-dir=conf/ --exclude='.env*'", "grep -r . conf --exclude=.env", "rg --hidden . -g '!.env'", "diff -r conf src/deep --exclude=.env", "grep -rn foo . --include='*.ts' --exclude-dir=node_modules"]
        assert.deepStrictEqual(yield* Effect.filter([...asks, ...silently], (command) => Effect.map(judge(command), (decision) => decision === "allow")), silently)
      })))

  it.effect("is read with the hidden names that an ignore file includes again", () =>
    inWorld(({ cwd, judge }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* judge("rg foo"), "allow")
        for (const [file, text] of [[".ignore", "!.env"], [".gitignore", "*\n!/.e*\n"], [".rgignore", "!*\r\n"], ["../.ignore", "!project/.env"], [".git/info/exclude", "!.env"]] as const) {
          write(cwd, { [file]: text })
          assert.strictEqual(yield* judge("rg foo"), "ask", file)
          fs.rmSync(join(cwd, file))
        }
        write(cwd, { ".gitignore": "node_modules\n!.eslintrc\n!docs/.keep\n# !.env\n" })
        assert.strictEqual(yield* judge("rg foo"), "allow")
      })))

  it.effect("is searched as far as deny rules let it: what they close counts where it is", () =>
    inWorld(({ judge }) =>
      Effect.gen(function*() {
        const deny = ["Read(src/deep/**)"]
        assert.strictEqual(yield* judge("grep -rn foo src", { deny }), "deny")
        assert.strictEqual(yield* judge("cat src/d*/c.ts", { deny }), "deny")
        assert.strictEqual(yield* judge("cat src/a.ts", { deny }), "allow")
        assert.strictEqual(yield* judge("grep -rn foo src", { deny: ["Read(secrets/**)", "Read(.env)"] }), "allow")
        assert.strictEqual(yield* judge("grep -rn foo .", { deny: ["Read(.env)"] }), "deny")
        assert.strictEqual(yield* judge("cat src/dotted", { deny: ["Read(.env)"], allow: ["Bash(cat:*)"] }), "deny")
        assert.strictEqual(yield* judge("cat src/dotted", { deny: ["Read(.env)"], mode: "bypassPermissions" }), "deny")
      })))
})

describe("the folder that a command starts in", () => {
  it.effect("is judged like any that it names", () =>
    inWorld(({ judge }) =>
      Effect.gen(function*() {
        const decide = (cwd: string) => Effect.all(["ls", "cat secret.txt", "grep -r x"].map((command) => judge(command, { cwd })))
        assert.deepStrictEqual(yield* decide("src/linkdir"), ["ask", "ask", "ask"])
        assert.deepStrictEqual(yield* decide("../outside"), ["ask", "ask", "ask"])
        assert.deepStrictEqual(yield* decide("src/deep"), ["allow", "allow", "allow"])
      })))
})

describe("programs that are no readers", () => {
  it.effect("ask: those that use the network, and those that show variables", () =>
    Effect.gen(function*() {
      const commands = [
        "ping -c 1 a.test", "host a.test", "nslookup a.test", "dig a.test", "whois a.test", "traceroute a.test", "ps eww", "ps e", "ps auxe", "ps -auxe", "ps axe -ww", "ps -u auxe", "ps -C fo e", "ps -o environ", "env", "printenv", "printenv HOME", "set", "export -p", "declare -p",
        "jq -n env", "jq -n '$ENV.HOME'", "jq -n 'input_filename' src/a.ts", "jq 'import \"a\" as $x {search:\"/\"}; $x' package.json", "jq 'include \"a\"; .' package.json", "jq -L / . package.json", "jq -n --rawfile x /etc/passwd '$x'", "jq -n --slurpfile x ../outside/secret.txt '$x'", "jq --from-file src/a.ts .", "jq -f ../outside/secret.txt .", "jq \"$X\" package.json",
        "jq -n '$ ENV'", "jq -n '$#x\nENV.HOME'", "awk 1 1a=x", "objdump -S src/a.o", "objdump -dl src/a.o", "cloc --vcs='touch x' .", "cloc .", "git grep --untracked foo", "git blame -S../outside/secret.txt notes.txt",
        "git blame -S ../outside/secret.txt notes.txt", "git log -O../outside/secret.txt", "git diff -O ../outside/secret.txt", "git blame -S1a=x notes.txt", "git grep foo -- 1a=x", "tr -d../outside/secret.txt",
        "yq 'load(\"/etc/passwd\")' package.json", "yq e 'load_str(\"x\")' package.json", "yq 'strload(\"x\")' package.json", "yq -n 'env(HOME)'", "yq eval 'eval(.x)' package.json", "date -f /etc/passwd", "date -f notes.txt", "file -f notes.txt", "sort --files0-from=notes.txt", "wc --files0-from=notes.txt",
        "man ./src/a.ts", "man /etc/passwd", "nm @/etc/passwd", "strings @../outside/secret.txt", "strings @notes.txt", "nm -C @src/a.ts", "unzip data.zip", "tar -tf host:x", "fold -b /etc/passwd", "echo /etc/*", "ls ..", "awk 'BEGIN{while((getline x < \"/etc/passwd\")>0) print x}'", "sed -n 'r /etc/passwd' src/a.ts", "printf -v x %s y"
      ]
      assert.deepStrictEqual(yield* silent(commands), [])
    }))
})
