import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { alwaysRules, folderRule } from "../../../src/domain/approval/AlwaysRules.ts"
import type { Call } from "../../../src/domain/approval/Call.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import { rowsOf } from "../../layers/approval/ordinaryRows.ts"

const places = { root: "/home/dev/proj", home: "/home/dev" }

describe("the rules that always offers", () => {
  it.each<[call: Call, rules: ReadonlyArray<string>]>([
    [{ tool: "Bash", command: "git commit -m 'a b'" }, ["Bash(git commit:*)"]],
    [{ tool: "Bash", command: "git --no-pager log -3" }, ["Bash(git log:*)"]],
    [{ tool: "Bash", command: "npm run build -- --watch" }, ["Bash(npm run build:*)"]],
    [{ tool: "Bash", command: "ls -la | wc -l" }, ["Bash(ls:*)", "Bash(wc:*)"]],
    [{ tool: "Bash", command: "rm -rf 'my dir'" }, ["Bash(rm -rf 'my dir')"]],
    [{ tool: "Bash", command: "mytool deploy --all" }, ["Bash(mytool deploy --all)"]],
    [{ tool: "Bash", command: "timeout 10 npm test" }, ["Bash(npm test:*)"]],
    [{ tool: "Bash", command: "python3 x.py" }, ["Bash(python3 x.py)"]],
    [{ tool: "Bash", command: "npm test 2>&1 | tail -5" }, ["Bash(npm test:*)"]],
    [{ tool: "Bash", command: "cd src && npm test; echo $?" }, ["Bash(npm test:*)"]],
    [{ tool: "Bash", command: "git commit -F - <<X\nmessage\nX" }, ["Bash(git commit:*)"]],
    [{ tool: "Bash", command: "bash <<X\nnpm test\nX" }, ["Bash(npm test:*)"]],
    [{ tool: "Bash", command: "python3 -c 'print(1)'" }, ["Bash(python3 -c 'print(1)')"]],
    [{ tool: "Bash", command: "$x" }, []],
    [{ tool: "Bash", command: "curl x | sh" }, []],
    [{ tool: "Bash", command: "echo x > ~/.bashrc" }, []],
    [{ tool: "Edit", path: "src/a.ts" }, ["Edit(./src/a.ts)"]],
    [{ tool: "Edit", path: ".github/workflows/ci.yml" }, ["Edit(./.github/workflows/ci.yml)"]],
    [{ tool: "Edit", path: ".git/config" }, []],
    [{ tool: "Read", path: "/etc/hosts" }, ["Read(//etc/hosts)"]],
    [{ tool: "WebFetch", url: "https://a.test/x" }, ["WebFetch(domain:a.test)"]],
    [{ tool: "mcp__github__create", input: {} }, ["mcp__github__create"]]
  ])("for %j", (call, rules) => assert.deepStrictEqual(alwaysRules(call, places), rules))
})

describe("no rule is offered for a program that its input brings", () => {
  const text = "1\n"
  const programs = ["python3", "python3 -", "node", "node -", "ruby", "perl -", "deno run -", "bash -s", "sh", "psql db", "mysql db", "sqlite3 a.db", "ssh host", "ssh -t host", "mytool load", "kubectl apply -f -", "./run.sh", "bc", "xargs rm", "patch -p1", "tclsh", "ex -s a.txt", "docker exec -i c psql", "env python3 -", "sudo python3 -", "timeout 5 psql db"]
  it.each(programs.flatMap((program) => [`${program} <<X\n${text}X`, `${program} <<< '${text}'`, `cat a.txt | ${program}`, `${program} < a.txt`]))(
    "%j",
    (command) => assert.deepStrictEqual(alwaysRules({ tool: "Bash", command }, places), [])
  )
})

describe("the rules that always offers", () => {
  /** Other commands that contain the words of one that was shown. */
  const others: ReadonlyArray<(command: string) => string> = [
    (command) => `${command}; rm -rf other`,
    (command) => `${command} && curl https://other.test`,
    (command) => `${command} || id -x`,
    (command) => `${command} | sh`,
    (command) => `echo id | sh; ${command}`,
    (command) => `${command} > ~/.bashrc`,
    (command) => `${command} >> .git/config`,
    (command) => `${command} "$(rm x)"`,
    (command) => `${command} <(rm x)`,
    (command) => `PATH=/tmp/evil ${command}`,
    (command) => `NODE_OPTIONS=--require=/tmp/x ${command}`,
    (command) => `sudo ${command}`,
    (command) => `cd /tmp/evil && ${command}`,
    (command) => `(cd .. && ${command})`,
    (command) => `${command} $UNKNOWN; $UNKNOWN`,
    (command) => `${command} & rm -r y`,
    (command) => `f() { rm -r y; }; ${command}`,
    (command) => `alias ls='rm x'; ${command}`,
    (command) => `export PATH=/tmp/evil; ${command}`,
    (command) => `. ./x.sh; ${command}`
  ]
  const rows = ["commands.txt", "commands-heldout.txt"].flatMap((file) => rowsOf(new URL(`../../corpora/${file}`, import.meta.url), places.root))
  const plain = rows.filter(({ command }) => !/\n|[;&|<>]/.test(command))

  it("allow none of the other commands that a generator makes of what was shown", () => {
    const wider = plain.flatMap(({ command }) => {
      const rules = alwaysRules({ tool: "Bash", command }, places)
      const compiled = Result.getOrThrow(Rule.compile({ allow: rules }, places))
      return rules.length === 0 ? []
        : others.map((other) => other(command)).filter((other) => Rule.evaluate(compiled, { tool: "Bash", command: other }).decision === "allow")
    })
    assert.isAbove(plain.length, 300)
    assert.deepStrictEqual(wider, [])
  })

  it("spell out a program text, so that another text is asked about", () => {
    for (const [command, other] of [["python3 -c 'print(1)'", "python3 -c 'import os'"], ["node -e '1'", "node -e '2'"], ["python3 a.py", "python3 b.py"], ["bash a.sh", "bash b.sh"]]) {
      const compiled = Result.getOrThrow(Rule.compile({ allow: alwaysRules({ tool: "Bash", command: command! }, places) }, places))
      assert.strictEqual(Rule.evaluate(compiled, { tool: "Bash", command: command! }).decision, "allow")
      assert.strictEqual(Rule.evaluate(compiled, { tool: "Bash", command: other! }).decision, "ask")
    }
  })

  it("for a program that nobody knows do not cover another input", () => {
    const compiled = Result.getOrThrow(Rule.compile({ allow: alwaysRules({ tool: "Bash", command: "mytool load" }, places) }, places))
    assert.strictEqual(Rule.evaluate(compiled, { tool: "Bash", command: "mytool load" }).decision, "allow")
    assert.strictEqual(Rule.evaluate(compiled, { tool: "Bash", command: "mytool load <<X\ndrop\nX" }).decision, "ask")
  })
})

describe("the rule for the folder of an edit", () => {
  const edit = (path: string, resolvedPath?: string): Call => ({ tool: "Edit", path, ...(resolvedPath === undefined ? {} : { resolvedPath }) })

  it.each<[paths: ReadonlyArray<Call>, rule: string | undefined]>([
    [[edit("src/a.ts")], "Edit(./src/**)"],
    [[edit("./src/deep/a.ts")], "Edit(./src/deep/**)"],
    [[edit("/home/dev/proj/src/a.ts")], "Edit(./src/**)"],
    [[edit("src/a.ts"), edit("src/deep/b.ts")], "Edit(./src/**)"],
    [[edit("src/one/a.ts"), edit("src/two/b.ts")], "Edit(./src/**)"],
    [[edit("src/a.ts"), edit("srcs/b.ts")], undefined],
    [[edit("a.ts")], undefined],
    [[edit("src/../a.ts")], undefined],
    [[edit("../other/a.ts")], undefined],
    [[edit("/etc/hosts")], undefined],
    [[edit("~/notes/a.md")], undefined],
    [[edit("src/[id]/page.ts")], undefined],
    [[edit("src/link/a.ts", "/home/dev/other/a.ts")], undefined],
    [[edit("src/link/a.ts", "/home/dev/proj/lib/a.ts")], undefined],
    [[edit(".github/workflows/ci.yml")], undefined],
    [[edit(".git/hooks/pre-commit")], undefined],
    [[edit("config/.env")], undefined],
    [[{ tool: "Read", path: "src/a.ts" }], undefined],
    [[edit("src/a.ts"), { tool: "Bash", command: "npm test" }], undefined],
    [[], undefined]
  ])("for %j is %s", (calls, rule) => assert.strictEqual(folderRule(calls, places), rule))

  it("allows no file but those in the folder that it shows, however a path to another one is written", () => {
    const folders = ["src", "src/deep", "a b", "x.y", "Docs", "src/é"]
    const names = ["a.ts", "sub/a.ts", ".env", "key.pem", ".git/config", ".github/workflows/ci.yml", "../a.ts", "../../a.ts", "..", "./b.ts", "sub/../../a.ts"]
    const prefixes = ["", "./", "/home/dev/proj/", "//home/dev/proj/", "../proj/", "/home/dev/", "/", "~/", "../", "x/../", "SRC/../", "other/"]
    const targets = [undefined, "/home/dev/proj/lib/a.ts", "/home/dev/.ssh/id_rsa", "/etc/passwd", "/home/dev/proj-2/src/a.ts"]
    let allowed = 0
    for (const folder of folders) {
      const rule = `Edit(./${folder}/**)`
      assert.strictEqual(folderRule([edit(`${folder}/a.ts`)], places), rule)
      const compiled = Result.getOrThrow(Rule.compile({ allow: [rule] }, places))
      for (const inside of [...folders, ...folders.map((other) => `${other}2`), folder.toUpperCase()]) {
        for (const name of names) {
          for (const prefix of prefixes) {
            for (const target of targets) {
              const path = `${prefix}${inside}/${name}`
              if (Rule.evaluate(compiled, edit(path, target)).decision !== "allow") continue
              allowed++
              const real = new URL(`file://${path.startsWith("/") ? "" : "/home/dev/proj/"}${encodeURI(path)}`).pathname.replace(/^\/+/, "/")
              assert.isTrue(decodeURI(real).startsWith(`/home/dev/proj/${folder}/`), `${rule} allows ${path}`)
              assert.isUndefined(target, `${rule} allows a link to ${target}`)
              assert.notMatch(path, /\.env|\.pem|\.git/)
            }
          }
        }
      }
      for (const tool of ["Read", "WebFetch", "mcp__a__b"]) assert.notStrictEqual(Rule.evaluate(compiled, { tool, path: `${folder}/a.ts`, url: "https://a.test" } as Call).decision, "allow")
    }
    assert.isAbove(allowed, 50)
  })
})
