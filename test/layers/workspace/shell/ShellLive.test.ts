import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { execFile, spawn } from "node:child_process"
import { promisify } from "node:util"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Command, Shell } from "../../../../src/services/Shell.ts"
import * as ShellLive from "../../../../src/layers/workspace/shell/ShellLive.ts"
import { choose } from "../../../suite.ts"
import { environment, folder } from "../fixture.ts"

const secretive = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  ANTHROPIC_API_KEY: "sk-ant-1",
  GITHUB_TOKEN: "t",
  MY_SECRET_THING: "s",
  DB_PASSWORD: "p",
  BASH_ENV: "/dev/stdin",
  "BASH_FUNC_ls%%": "() { echo hijacked; }",
  CDPATH: "/",
  IFS: "x",
  KEPT: "kept"
}

/** A short grace: some of these commands ignore SIGTERM. */
const shell = ShellLive.layerWith({ graceMs: 300 }).pipe(Layer.provide(environment(secretive)))

const run = (command: string, options: Partial<Command> = {}) =>
  Effect.gen(function*() {
    return yield* (yield* Shell).run({
      command,
      cwd: tmpdir(),
      timeoutMs: 20_000,
      maxOutputCharacters: 48_000,
      onOutput: () => {},
      ...options
    })
  }).pipe(Effect.provide(shell))

/** A shell of its own, as each worktree has one, in the same process. */
const another = Effect.provide(
  Effect.gen(function*() {
    return yield* (yield* Shell).run({ command: "true", cwd: tmpdir(), timeoutMs: 20_000, maxOutputCharacters: 1000, onOutput: () => {} })
  }),
  Layer.fresh(shell)
)

/** Runs a command that says "ready" when its children stand. */
const started = (command: string, options: Partial<Command> = {}) =>
  Effect.gen(function*() {
    const ready = yield* Deferred.make<void>()
    let seen = ""
    const fiber = yield* Effect.forkChild(run(command, {
      ...options,
      onOutput: (text) => {
        seen += text
        if (seen.includes("ready")) Deferred.doneUnsafe(ready, Effect.void)
      }
    }))
    yield* Deferred.await(ready)
    return fiber
  })

/** Pids of living processes whose command line holds the word. */
const living = (word: string) =>
  fs.readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word) &&
        !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
    } catch {
      return false
    }
  })

let names = 0
const unique = () => `9${process.pid}${++names}`

describe("a command", () => {
  it.effect("gives its output, both streams in the order of writing, and its code", () =>
    Effect.gen(function*() {
      const ran = yield* run("for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done; exit 3")
      assert.deepStrictEqual(ran, {
        output: [1, 2, 3, 4, 5].map((i) => `out${i}\nerr${i}\n`).join(""),
        omittedCharacters: 0,
        code: 3,
        signal: null,
        hasTimedOut: false
      })
    }))

  it.effect("is not struck by the end of another shell's command in the same process", () =>
    Effect.gen(function*() {
      const fiber = yield* started("echo ready; sleep 0.7; echo whole")
      assert.strictEqual((yield* another).code, 0)
      const { code, output, signal } = yield* Fiber.join(fiber)
      assert.deepStrictEqual({ code, output, signal }, { code: 0, output: "ready\nwhole\n", signal: null })
    }))

  it.effect("can write to /dev/stderr and /dev/stdout", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* run("echo a > /dev/stderr; echo b | tee /dev/stderr > /dev/null")).output, "a\nb\n")
    }))

  it.effect("is told to bash as it stands", () =>
    Effect.gen(function*() {
      const ran = yield* run(`a=( 'x  y' "$0" ); echo "\${a[0]}" '$HOME' "it's" \\\\ <<< ''; echo $BASH_VERSINFO | wc -l; shopt -q login_shell || echo plain`)
      assert.strictEqual(ran.output, "x  y $HOME it's \\\n1\nplain\n")
    }))

  it.effect("has no input and no terminal", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* run("cat; tty; [ -t 1 ] || echo no; (: < /dev/tty) 2>/dev/null || echo none")).output, "not a tty\nno\nnone\n")
    }))

  it.effect("sees no secret and no variable that changes the shell", () =>
    Effect.gen(function*() {
      const { output } = yield* run("env; ls / > /dev/null && echo real; a='1 2'; set -- $a; echo $#")
      for (const gone of ["API_KEY", "GITHUB_TOKEN", "SECRET", "PASSWORD", "BASH_ENV", "BASH_FUNC", "CDPATH", "hijacked"]) {
        assert.notInclude(output, gone)
      }
      for (const there of ["KEPT=kept", "GIT_TERMINAL_PROMPT=0", "PAGER=cat", "EDITOR=true", "real", "2\n"]) {
        assert.include(output, there)
      }
    }))

  it.effect("tells the signal that ended it", () =>
    Effect.gen(function*() {
      const { code, signal } = yield* run("kill -SEGV $$")
      assert.deepStrictEqual([code, signal], [null, "SIGSEGV"])
    }))

  it.effect("that can't start says why", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(run("true", { cwd: "/nowhere" }))).reason, "NoFolder")
      assert.strictEqual((yield* Effect.flip(run(`: ${"x".repeat(200_000)}`))).reason, "Limits")
    }))
})

describe("output", () => {
  it.effect("is decoded where a character is cut between writes", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* run("printf '\\xe2\\x82'; sleep 0.05; printf '\\xac\\n'")).output, "€\n")
    }))

  it.effect("keeps head and tail, and counts what was cut", () =>
    Effect.gen(function*() {
      const { omittedCharacters, output } = yield* run("seq 1 20000", { maxOutputCharacters: 1000 })
      assert.isTrue(output.startsWith("1\n2\n"))
      assert.isTrue(output.endsWith("19999\n20000\n"))
      assert.include(output, `[… ${omittedCharacters} characters cut …]`)
      assert.strictEqual(omittedCharacters + output.replace(/\[….*\n/, "").length, 108_894)
    }))

  it.live("of a line that never ends makes us grow by less than 64 MB", () =>
    Effect.gen(function*() {
      const bytes = choose({ quick: 200_000_000, all: 1_000_000_000 })
      const { stdout } = yield* Effect.promise(() => promisify(execFile)(process.execPath, [join(import.meta.dirname, "flooded.ts"), `${bytes}`]))
      const { cut, grown, kept }: Record<string, number> = JSON.parse(stdout)
      assert.isBelow(kept!, 48_100)
      assert.isAbove(cut!, bytes - 100_000)
      assert.isBelow(grown!, 64 * 1024 * 1024)
    }))
})

/** Children that leave the group, the session's terminal, or their environment. */
const escaping = (seconds: string) => `
sleep ${seconds} &
nohup sleep ${seconds} >/dev/null 2>&1 &
setsid sleep ${seconds} >/dev/null 2>&1 &
(setsid sleep ${seconds} &) &
set -m; env -i /bin/sleep ${seconds} &
`

/** And those that do not listen, which takes the whole grace. */
const nasty = (seconds: string) => `
setsid nohup bash -c 'trap "" TERM HUP INT; sleep ${seconds} & wait; sleep ${seconds}' >/dev/null 2>&1 &
bash -c 'trap "" TERM; while :; do sleep ${seconds}; done' &
${escaping(seconds)}`

describe("what is shown while it comes", () => {
  it.effect("is bounded, and ends with the end", () =>
    Effect.gen(function*() {
      const shown: Array<string> = []
      yield* run("yes line | head -c 30000000; echo; echo last", { onOutput: (text) => shown.push(text) })
      assert.isTrue(shown.every((text) => text.length <= 16_384))
      assert.isBelow(shown.length, 200)
      assert.isTrue(shown.at(-1)!.endsWith("last\n"))
    }))

  it.effect("comes also where there is no room for a pipe's name", () =>
    Effect.gen(function*() {
      const ran = yield* Effect.flatMap(Shell, (shell) =>
        shell.run({ command: "echo a; echo b >&2", cwd: "/", timeoutMs: 9000, maxOutputCharacters: 100, onOutput: () => {} })).pipe(
          Effect.provide(ShellLive.layer.pipe(Layer.provide(environment({ PATH: process.env["PATH"], TMPDIR: "/nowhere" }))))
        )
      assert.deepStrictEqual([ran.output.split("\n").toSorted(), ran.code], [["", "a", "b"], 0])
    }))
})

describe("without bash", () => {
  const answer = (programs: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const bin = yield* folder()
      for (const program of programs) fs.symlinkSync(`/bin/${program}`, join(bin, program))
      return yield* Effect.flatMap(Shell, (shell) =>
        shell.run({ command: "echo ${BASH_VERSION:-none}", cwd: "/", timeoutMs: 9000, maxOutputCharacters: 100, onOutput: () => {} })).pipe(
          Effect.provide(ShellLive.layer.pipe(Layer.provide(environment({ PATH: bin }))))
        )
    })

  it.effect("sh runs it", () => Effect.gen(function*() {
    assert.strictEqual((yield* answer(["sh", "dash"])).code, 0)
  }))

  it.effect("and without sh nothing does", () => Effect.gen(function*() {
    assert.strictEqual((yield* Effect.flip(answer([]))).reason, "NoShell")
  }))
})

describe("go, which fetches another version of itself where a module asks for one", () => {
  it.effect("stays the installed one in a command that only reads", () =>
    Effect.gen(function*() {
      const bin = yield* folder({ go: "#!/bin/sh\necho $GOTOOLCHAIN\n" })
      fs.chmodSync(join(bin, "go"), 0o755)
      const toolchains = (reads: boolean, ...commands: ReadonlyArray<string>) =>
        Effect.forEach(commands, (command) =>
          Effect.flatMap(Shell, (shell) => shell.run({ command, cwd: "/", timeoutMs: 9000, maxOutputCharacters: 100, onOutput: () => {}, reads }))).pipe(
            Effect.map((results) => results.map(({ output }) => output.trim())),
            Effect.provide(ShellLive.layer.pipe(Layer.provide(environment({ PATH: `${bin}:${process.env["PATH"]}`, GOTOOLCHAIN: "auto" }))))
          )
      assert.deepStrictEqual(yield* toolchains(true, "go version", "timeout 5 go env", "go version | head -1", "go build"), ["local", "local", "local", "auto"])
      assert.deepStrictEqual(yield* toolchains(false, "go version"), ["auto"])
    }))
})

describe("no child outlives its command", () => {
  it.effect("when it is interrupted", () =>
    Effect.gen(function*() {
      const seconds = unique()
      const fiber = yield* started(`${nasty(seconds)} sleep 0.3; echo ready; sleep ${seconds}`)
      assert.isAtLeast(living(seconds).length, 8)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(living(seconds), [])
    }))

  it.effect("when its time is over, and what it said is kept", () =>
    Effect.gen(function*() {
      const seconds = unique()
      const ran = yield* run(`echo before; ${escaping(seconds)} sleep ${seconds}`, { timeoutMs: 400 })
      // With job control on, bash may tell of a job that ended: that stands behind.
      assert.deepStrictEqual({ ...ran, output: ran.output.slice(0, 7) }, { output: "before\n", omittedCharacters: 0, code: null, signal: null, hasTimedOut: true })
      assert.deepStrictEqual(living(seconds), [])
    }))

  it.effect("when it ends by itself and leaves children that hold its output", () =>
    Effect.gen(function*() {
      const seconds = unique()
      const ran = yield* run(`sleep ${seconds} & setsid sleep ${seconds} & echo done; exit 0`)
      assert.deepStrictEqual([ran.output, ran.code], ["done\n", 0])
      assert.deepStrictEqual(living(seconds), [])
    }))

  it.effect("when the one who ran it is killed: the next start ends it", () =>
    Effect.gen(function*() {
      const seconds = unique()
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, [join(import.meta.dirname, "killed.ts"), seconds], { stdio: ["ignore", "pipe", "inherit"] })),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      yield* Effect.callback<void>((resume) => void agent.stdout.once("data", () => resume(Effect.void)))
      yield* Effect.callback<void>((resume) => {
        agent.once("exit", () => resume(Effect.void)).kill("SIGKILL")
      })
      assert.isAtLeast(living(seconds).length, 2)
      yield* run("true")
      // The kill is sent before the command runs; a process takes a moment to go.
      while (living(seconds).length > 0) yield* Effect.promise(() => new Promise(setImmediate))
    }))

  it.live("after many cancels, each at another moment", () =>
    Effect.gen(function*() {
      const seconds = unique()
      const layer = yield* Layer.build(shell)
      let state = 7
      const chance = (below: number) => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) % below
      const commands = [`sleep ${seconds}`, `sleep ${seconds} & sleep ${seconds}`, `setsid sleep ${seconds} & wait`, `(sleep ${seconds} | sleep ${seconds})`, `yes ${seconds}`]
      const cancelled = Effect.gen(function*() {
        const { run } = yield* Shell
        const fiber = yield* Effect.forkChild(run({ command: commands[chance(commands.length)]!, cwd: "/", timeoutMs: 600_000, maxOutputCharacters: 100, onOutput: () => {} }), { startImmediately: true })
        // So many turns of the event loop later: before it started, while it starts, while it runs.
        for (let turns = chance(40); turns > 0; turns--) yield* Effect.promise(() => new Promise(setImmediate))
        yield* Fiber.interrupt(fiber)
      })
      yield* Effect.forEach(Array.from({ length: choose({ quick: 100, all: 1000 }) }), () => cancelled, { concurrency: 4, discard: true }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(living(seconds), [])
    }), 300_000)

  it.effect("that ignores SIGTERM, or waits for a terminal that is not there", () =>
    Effect.gen(function*() {
      const seconds = unique()
      const deaf = yield* run(`trap '' TERM INT HUP; sleep ${seconds}; sleep ${seconds}`, { timeoutMs: 200 })
      assert.isTrue(deaf.hasTimedOut)
      const asks = yield* run("read -p 'Name? ' name </dev/tty; echo \"got $name\"; ssh-keygen -y 2>&1 | head -1; cat")
      assert.include(asks.output, "got \n")
      assert.deepStrictEqual(living(seconds), [])
    }))

  it.effect("however many there are", () =>
    Effect.gen(function*() {
      const seconds = unique()
      const fiber = yield* started(`for i in $(seq 64); do setsid sleep ${seconds} & done; sleep 0.2; echo ready; wait`)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(living(seconds), [])
    }))
})
