/** Writes and traps whose every word the text shows. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inWorld } from "./world.ts"

const decisions = (commands: ReadonlyArray<string>, options: Parameters<Parameters<Parameters<typeof inWorld>[0]>[0]["judge"]>[1]) =>
  inWorld(({ judge }) =>
    Effect.map(
      Effect.forEach(commands, (command) => Effect.map(judge(command, options), (decision) => [command, decision] as const)),
      (all) => (decision: string) => all.filter(([, actual]) => actual !== decision).map(([command]) => command)
    ))

describe("a redirection to a file that a variable names", () => {
  it.effect("runs in acceptEdits where each value is known and inside", () =>
    Effect.gen(function*() {
      const others = yield* decisions([
        "for n in 1 2 3; do echo \"export const n = $n\" > src/$n.ts; done",
        "for n in 1 2 3; do echo x >> \"src/new/${n}.ts\"; done",
        "f=src/new.ts; echo x > $f",
        "for d in src docs; do for n in 1 2; do echo x > $d/$n.txt; done; done"
      ], { mode: "acceptEdits" })
      assert.deepStrictEqual(others("allow"), [])
    }))

  it.effect("asks where one of them is protected, outside, a link or unknown, and without the mode", () =>
    Effect.gen(function*() {
      const others = yield* decisions([
        "for n in 1 ../../x; do echo x > src/$n; done",
        "for n in a .env; do echo x > $n; done",
        "for n in link.txt; do echo x > src/$n; done",
        "for n in .git/config; do echo x > $n; done",
        "for n in $(cat notes.txt); do echo x > src/$n.ts; done",
        "for n in 1 2; do n=../../x; echo x > src/$n; done",
        "for n in 1 2; do read n < notes.txt; echo x > src/$n; done",
        "for f in src/*.ts; do echo x > $f.bak; done",
        "for f in src/*.ts; do echo x > $f; done",
        "n=1; n=$(cat notes.txt); echo x > src/$n",
        "trap 'n=../../x' DEBUG; for n in 1 2; do echo x > src/$n.ts; done"
      ], { mode: "acceptEdits" })
      assert.deepStrictEqual(others("ask"), [])
      assert.deepStrictEqual((yield* decisions(["for n in 1 2; do echo x > src/$n.ts; done"], {}))("ask"), [])
    }))
})

describe("a trap", () => {
  const allow = ["Bash(rm -f x)"]

  it.effect("at the end runs if its commands would", () =>
    Effect.gen(function*() {
      const others = yield* decisions([
        "trap 'rm -f x' EXIT",
        "trap 'rm -f x' EXIT INT TERM; ls",
        "trap -- 'rm -f x; rm -f x' SIGINT 0",
        "trap 'cat src/a.ts' EXIT; ls",
        "trap 'cat src/a.ts || true; exit 1' HUP"
      ], { allow })
      assert.deepStrictEqual(others("allow"), [])
      assert.deepStrictEqual((yield* decisions(["trap 'echo bye' EXIT; ls"], {}))("allow"), [])
    }))

  it.effect("asks where they would, where they may run in another folder, and where they change what follows", () =>
    Effect.gen(function*() {
      const others = yield* decisions([
        "trap 'rm -f y' EXIT",
        "trap 'rm -rf x' EXIT",
        "trap 'cat .env' EXIT",
        "trap 'rm -f x' EXIT; cd src",
        "cd src; trap 'rm -f x' EXIT",
        "trap 'cd src; rm -f x' EXIT",
        "trap 'rm -f x' DEBUG",
        "trap 'rm -f x' $SIGNAL",
        "trap 'rm -f x' EXIT ERR",
        "trap 'rm -f x'",
        "trap \"rm -f $x\" EXIT",
        "trap 'rm -f $x' EXIT",
        "trap 'x=.env' INT; for x in a b; do cat $x; done",
        "trap 'for x in .env; do :; done' INT; for x in a b; do cat $x; done",
        "trap 'echo ${x:=.env}' INT",
        "trap 'printf -v x .env' INT",
        "trap 'read x < notes.txt' INT",
        "trap '((x=1))' INT",
        "trap 'eval \"$X\"' EXIT",
        "trap 'source notes.txt' EXIT",
        "trap 'PATH=. ls' EXIT",
        "trap 'f() { rm -f x; }' EXIT",
        "trap 'rm -f x &' EXIT",
        "command trap 'x=.env' DEBUG",
        "trap 'ls > src/a.ts' EXIT"
      ], { allow })
      assert.deepStrictEqual(others("ask"), [])
    }))
})
