import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SearchPattern from "../../../src/layers/workspace/files/SearchPattern.ts"
import { living } from "../workspace/living.ts"
import { inMemory, onDisk, text } from "./world.ts"

let names = 0
const unique = () => `8${process.pid}${++names}`

/** A server that says that it is ready, then what it is asked for, and that nothing but a signal ends. */
const server = `${process.execPath} -e '
const { createServer } = require("node:http")
const server = createServer((request, response) => { console.log("GET " + request.url); response.end("hello") })
server.listen(0, "127.0.0.1", () => console.log("\\x1b[32mready\\x1b[0m on port", server.address().port))
'`

const portIn = (said: string): number => Number(/It listens on port (\d+) \(http:\/\/localhost:\1\)/.exec(said)?.[1])

describe("a command in the background", () => {
  it.live("continues, reports its port, and can be read and searched meanwhile", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        const begun = yield* call("run_command", { command: server, background: true })
        assert.strictEqual(begun.status, "succeeded")
        const port = portIn(text(begun))
        assert.isAbove(port, 0)
        assert.match(text(begun), /^Started in the background\. call_1 is running\./)
        const ready = text(yield* call("command_output", { id: "call_1", search: "^ready", wait: 20 }))
        assert.include(ready, `1: ready on port ${port}`)
        yield* call("command_output", { id: "call_1" })
        assert.include(text(yield* call("run_command", { command: `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET /page HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3` })), "hello")
        const news = text(yield* call("command_output", { id: "call_1", search: "GET /page", wait: 20 }))
        assert.match(news, /^call_1 is running\. It listens on port \d+ .*\n2: GET \/page$/)
        assert.match(text(yield* call("command_output", { id: "call_1" })), /\nLines 2 to 2:\nGET \/page$/)
        assert.match(text(yield* call("command_output", { id: "call_1" })), /\n\(no new output\)$/)
        assert.match(text(yield* call("stop_command", { id: "call_1" })), /^Stopped call_1\. Ended by SIGTERM\.\n\(no new output\)$/)
        assert.match(text(yield* call("stop_command", { id: "call_1" })), /^call_1 had already ended\. Ended by SIGTERM\./)
      })))

  it.live("that can't start says so at once", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        const outcome = yield* call("run_command", { command: "no-such-server --port 1", background: true })
        assert.deepStrictEqual([outcome.status, text(outcome).split("\n")[0]], ["failed", "Exit code 127."])
      })))

  it.live("is gone with all that it started when the session is", () =>
    Effect.gen(function*() {
      const seconds = unique()
      yield* onDisk({}, ({ call }) =>
        Effect.gen(function*() {
          yield* call("run_command", { command: `trap '' TERM; sleep ${seconds} & setsid sleep ${seconds} & echo begun; wait`, background: true })
          yield* call("command_output", { id: "call_1", search: "begun", wait: 20 })
          assert.isAtLeast(living(seconds).length, 3)
        }))
      assert.deepStrictEqual(living(seconds), [])
    }))

  it.live("is one of sixteen at most", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        yield* Effect.forEach(Array.from({ length: 16 }), () => call("run_command", { command: "sleep 600", background: true }), { concurrency: "unbounded" })
        const outcome = yield* call("run_command", { command: "echo one more" })
        assert.deepStrictEqual(outcome.status, "failed")
        assert.include(text(outcome), "call_7 (sleep 600)")
      })))
})

describe("the id of a command that is gone", () => {
  it.effect("is told so, with what runs", () =>
    inMemory({ answers: { serve: { hasTimedOut: true, ports: [3000, 3001] } } }, ({ call }) =>
      Effect.gen(function*() {
        const nothing = yield* call("command_output", { id: "call_9_0" })
        assert.strictEqual(nothing.status, "failed")
        assert.match(text(nothing), /^The command call_9_0 no longer exists, .* commands stop with dacapo.* No background command is running\. Run it again/)
        assert.match(text(yield* call("run_command", { command: "serve", background: true })), /It listens on port 3000, 3001 \(http:\/\/localhost:3000\)\./)
        assert.include(text(yield* call("stop_command", { id: "call_9_0" })), "Running: call_2 (serve).")
      })))
})

describe("output that is too long to show", () => {
  it.live("can be paged and searched, whole", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        const said = text(yield* call("run_command", { command: "seq 1 100000" }))
        assert.isAtMost(said.length, 48_400)
        assert.match(
          said,
          /^Exit code 0\. \d+ characters were cut from the middle of the output: page through or search all 100000 lines with command_output \(id call_1\)\.\n1\n2\n[^]*characters cut[^]*\n99999\n100000$/
        )
        const page = text(yield* call("command_output", { id: "call_1", start_line: 50_000 }))
        assert.match(page, /^Exit code 0\.\n50000 \| 50000\n50001 \| 50001\n[^]*\n51999 \| 51999\n\[100000 lines so far. Continue with start_line 52000\.\]$/)
        const found = text(yield* call("command_output", { id: "call_1", search: "^77{2}\\d7$" }))
        assert.strictEqual(found, `Exit code 0.\n${Array.from({ length: 10 }, (_, i) => `777${i}7: 777${i}7`).join("\n")}`)
        assert.include(text(yield* call("command_output", { id: "call_1", search: "7" })), "lines match. These are the first 300.]")
        assert.include(text(yield* call("command_output", { id: "call_1", search: "x" })), "None of the 100000 lines match.")
        assert.strictEqual((yield* call("command_output", { id: "call_1", search: "(" })).mistake, true)
        assert.include(text(yield* call("command_output", { id: "call_1", start_line: 200_000 })), "Line 200000 does not exist yet: the output has 100000 lines so far.")
      })))

  it.live("is kept of the last commands that have ended, and of the last short ones", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        for (let i = 0; i < 9; i++) yield* call("run_command", { command: "seq 1 20000" })
        yield* call("run_command", { command: "echo short" })
        assert.deepStrictEqual(
          yield* Effect.forEach([1, 2, 9, 10], (n) => Effect.map(call("command_output", { id: `call_${n}`, start_line: 9 }), ({ status }) => status)),
          ["failed", "succeeded", "succeeded", "succeeded"]
        )
      })))

  it.live("may hold a search that never ends: that is said", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        yield* call("run_command", { command: `printf '%040d!\\n' 0; sleep 600`, background: true })
        const outcome = yield* Effect.provideService(call("command_output", { id: "call_1", search: "^(0+)+$" }), SearchPattern.LimitMs, 1000)
        assert.strictEqual(outcome.mistake, true)
        assert.include(text(outcome), "takes too long")
      })))
})

describe("a command that takes longer than its timeout", () => {
  it.live("continues in the background in a headless run, and the model waits for it or ends it", () =>
    onDisk({}, ({ call, write }) =>
      Effect.gen(function*() {
        const outcome = yield* call("run_command", { command: "echo begun; until [ -e done ]; do sleep 0.05; done; echo over; exit 3", timeout: 0.3 })
        assert.deepStrictEqual([outcome.status, text(outcome)], [
          "succeeded",
          "It exceeded its timeout of 0.3 s and continues in the background. call_1 is running. Read its output with command_output, stop it with stop_command (id call_1). It is stopped when the session ends.\nLines 1 to 1:\nbegun"
        ])
        yield* write("done", "")
        assert.strictEqual(text(yield* call("command_output", { id: "call_1", wait: 30 })), "Exit code 3.\nLines 2 to 2:\nover")
      })))

  const slow = { command: "echo begun; sleep 600", timeout: 0.3 }
  const said = (words: string) => ({ reply: { by: "user", text: words } as const })

  it.live("is stopped when the user says so, with what it said", () =>
    onDisk(said("stop it"), ({ call }) =>
      Effect.gen(function*() {
        const outcome = yield* call("run_command", slow)
        assert.deepStrictEqual([outcome.status, text(outcome)], ["failed", "The user stopped it after 0.3 s.\nbegun"])
      })))

  it.live("is put in the background when the user says so, or anything else", () =>
    Effect.forEach(["Put it in the background", "what is this?"], (words) =>
      onDisk(said(words), ({ call }) =>
        Effect.gen(function*() {
          assert.include(text(yield* call("run_command", slow)), "continues in the background. call_1 is running.")
        }))))

  it.live("is waited for again as often as the user says so, and the question is taken back when it ends", () => {
    const asked: Array<string> = []
    const reply = Effect.suspend(() => {
      asked.push("asked")
      return asked.length === 3 ? Effect.onInterrupt(Effect.never, () => Effect.sync(() => void asked.push("taken back"))) : Effect.succeed({ by: "user", text: "Keep waiting" } as const)
    })
    return onDisk({ reply }, ({ call, write }) =>
      Effect.gen(function*() {
        const waiting = yield* Effect.forkChild(call("run_command", { command: "until [ -e done ]; do sleep 0.05; done; echo over", timeout: 0.3 }))
        while (asked.length < 3) yield* Effect.sleep(20)
        yield* write("done", "")
        assert.strictEqual(text(yield* Fiber.join(waiting)), "Exit code 0.\nover")
        assert.deepStrictEqual(asked, ["asked", "asked", "asked", "taken back"])
      }))
  })

  it.live("leaves no child when it is cancelled, also while the question is open", () =>
    Effect.gen(function*() {
      const open = yield* Deferred.make<void>()
      const seconds = unique()
      yield* onDisk({ reply: Effect.andThen(Deferred.succeed(open, undefined), Effect.never) }, ({ call }) =>
        Effect.gen(function*() {
          const waiting = yield* Effect.forkChild(call("run_command", { command: `setsid sleep ${seconds} & sleep ${seconds}`, timeout: 0.3 }))
          yield* Deferred.await(open)
          assert.isAtLeast(living(seconds).length, 2)
          yield* Fiber.interrupt(waiting)
          assert.deepStrictEqual(living(seconds), [])
        }))
    }))
})

describe("what a model sees of a command that draws or asks", () => {
  it.live("a progress bar in its last state, without colours", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        const bar = `for i in $(seq 0 10 100); do printf '\\r\\033[32m[%3d%%]\\033[0m' $i; done; echo; echo done`
        assert.strictEqual(text(yield* call("run_command", { command: bar })), "Exit code 0.\n[100%]\ndone")
      })))

  it.live("a password prompt ends at once, however the program asks", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        const ask = `read -s -p 'Password: ' p; echo "1 $?"; read p </dev/tty; echo "2 $?"; ${process.execPath} -e 'process.stdin.on("data", () => {}).on("end", () => console.log(3))'`
        const said = text(yield* call("run_command", { command: ask }))
        for (const line of ["1 1", "2 1", "3"]) assert.include(said.split("\n"), line)
      })))

  it.live("an answer at once where it asks for a password at a terminal, whatever it says there", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        const seconds = unique()
        const known = yield* call("run_command", { command: `printf '[sudo] password for ada: '; sleep ${seconds}`, terminal: true })
        assert.match(text(known), /^It asked "\[sudo\] password for ada:" on its terminal and was stopped, because nobody can type there\./)
        const hidden = yield* call("run_command", { command: `stty -echo; echo 'Speak, friend'; sleep ${seconds}`, terminal: true })
        assert.deepStrictEqual([hidden.status, text(hidden).split(" on its")[0]], ["failed", "It asked for something that it does not show"])
        const both = yield* call("run_command", { command: `stty -echo; printf 'Magic word? '; sleep ${seconds}`, terminal: true })
        assert.match(text(both), /^It asked "Magic word\?" on its terminal/)
        assert.deepStrictEqual(living(seconds), [])
        assert.match(text(yield* call("run_command", { command: "printf 'Loading: '; sleep 3; echo done", terminal: true })), /^Exit code 0\.\nLoading: done$/)
      })))

  it.live("a terminal where the call asks for one, and the exit code all the same", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        assert.match(text(yield* call("run_command", { command: "tty; echo \"$0 $TERM\"; exit 4", terminal: true })), /^Exit code 4\.\n\/dev\/\S+\nbash xterm-256color$/)
        assert.match(text(yield* call("run_command", { command: "tty" })), /^Exit code 1\.\nnot a tty/)
      })))
})
