/** Commands in a real sandbox. Where the machine has none, what is tested is that nothing runs without it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { createServer } from "node:http"
import { once } from "node:events"
import { type AddressInfo, createServer as createSocketServer } from "node:net"
import { join } from "node:path"
import type * as Sandbox from "../../../src/domain/tool/Sandbox.ts"
import * as SandboxedShell from "../../../src/layers/workspace/shell/SandboxedShell.ts"
import * as ShellLive from "../../../src/layers/workspace/shell/ShellLive.ts"
import { Shell } from "../../../src/services/Shell.ts"
import { contents, environment, type Files, folder } from "./fixture.ts"

const variables = { PATH: process.env["PATH"], HOME: process.env["HOME"] }
const platform = process.platform
const works = Result.isSuccess(await Effect.runPromise(Effect.result(SandboxedShell.probe({ platform, variables }))))
if (!works) console.log("No sandbox works on this machine: its tests check that commands are refused instead.")

const run = (command: string, root: string, asked: Partial<Sandbox.SandboxOptions> = {}, data?: string) =>
  Effect.gen(function*() {
    const shell = yield* Shell
    return yield* shell.run({ command, cwd: root, timeoutMs: 20_000, maxOutputCharacters: 48_000, onOutput: () => {} })
  }).pipe(Effect.provide(ShellLive.layerSandboxed({ mode: "workspace-write", network: false, ...asked }, [root]).pipe(Layer.provide(environment(variables, data === undefined ? {} : { data })))))

/** A Node in the folder: that of the tests may lie in /tmp, of which a sandbox has its own. */
const nodeIn = (root: string): string => {
  fs.copyFileSync(fs.realpathSync(process.execPath), join(root, "node"), fs.constants.COPYFILE_FICLONE)
  return "./node"
}

/** The same command in the sandbox, and in another folder of the same files without one: what it does to them. */
const both = (command: string, files: Files, inside = ".") =>
  Effect.gen(function*() {
    const [confined, free] = [yield* folder(files), yield* folder(files)]
    const before = contents(confined)
    yield* run(command, join(confined, inside))
    yield* run(command, join(free, inside), { mode: "danger-full-access" })
    const changed = (root: string) => {
      const after = contents(root)
      return Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]).sort()
    }
    return { confined: changed(confined), free: changed(free) }
  })

describe.runIf(works)("a command in the sandbox", () => {
  it.live("changes its folder and nothing else", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      const beside = yield* folder()
      const { code, output } = yield* run(`echo in > in.txt; echo out > ${beside}/out.txt; echo sys > /etc/dacapo-test; cat in.txt`, root)
      assert.strictEqual(code, 0)
      assert.include(output, "in\n")
      assert.isTrue(fs.existsSync(join(root, "in.txt")))
      assert.isFalse(fs.existsSync(join(beside, "out.txt")) || fs.existsSync("/etc/dacapo-test"))
    }))

  it.live("changes nothing at all where it may only read", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      fs.writeFileSync(join(root, "a.txt"), "as it was")
      const { output } = yield* run("cat a.txt; echo new > a.txt; rm a.txt; touch b.txt; mkdir c", root, { mode: "read-only" })
      assert.include(output, "as it was")
      assert.deepStrictEqual(fs.readdirSync(root), ["a.txt"])
      assert.strictEqual(fs.readFileSync(join(root, "a.txt"), "utf8"), "as it was")
    }))

  it.live("can't touch what is protected, whether or not it is there, and leaves no trace of the guard", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      fs.mkdirSync(join(root, ".git", "hooks"), { recursive: true })
      fs.writeFileSync(join(root, ".env"), "A=1")
      yield* run("echo x > .git/hooks/pre-commit; echo x > .env; rm -rf .git; mv .git g; mkdir -p .dacapo && echo x > .dacapo/config.jsonc; mkdir .husky; echo x > .claude/settings.json", root)
      assert.deepStrictEqual(fs.readdirSync(root).sort(), [".env", ".git"])
      assert.deepStrictEqual([fs.readFileSync(join(root, ".env"), "utf8"), fs.readdirSync(join(root, ".git/hooks"))], ["A=1", []])
    }))

  it.live("puts no other repository in the place of one, though it may change all around it", () =>
    Effect.gen(function*() {
      const files = { "packages/a/.git/config": "mine", "packages/a/x.ts": "x", "packages/b/y.ts": "y" }
      const { confined, free } = yield* both(
        "mv packages other; mv packages/a packages/c; mkdir -p packages/a/.git; echo hostile > packages/a/.git/config; mv packages/b packages/d; echo z > packages/a/z.ts; rm packages/a/x.ts",
        files
      )
      assert.include(free, "packages/a/.git/config")
      assert.deepStrictEqual(confined, ["packages/a/x.ts", "packages/a/z.ts", "packages/b/y.ts", "packages/d/y.ts"])
    }))

  it.live("makes no file that programs obey where there is none yet", () =>
    Effect.gen(function*() {
      const made = [".cursor/a", ".devcontainer/a", ".envrc", ".gitattributes", ".github/workflows/a.yml", ".husky/a", ".idea/a", ".mcp.json", ".npmrc", ".vscode/a"]
      const { confined, free } = yield* both(`for file in ${made.join(" ")} plain.txt; do mkdir -p $(dirname $file); echo x > $file; done`, {})
      assert.deepStrictEqual({ confined, free }, { confined: ["plain.txt"], free: [...made, "plain.txt"] })
    }))

  it.live("keeps to that in a worktree of ours, whose own place is protected and says nothing of what is in it", () =>
    Effect.gen(function*() {
      const inside = ".dacapo/worktrees/work"
      const names = [".github/ci.yml", ".vscode/tasks.json", "AGENTS.md", "etc/conf", "plain.txt"]
      const files = Object.fromEntries(names.map((name) => [`${inside}/${name}`, "before"]))
      const { confined, free } = yield* both(`for file in ${names.join(" ")}; do echo x > $file; done`, files, inside)
      assert.deepStrictEqual(free, names.map((name) => `${inside}/${name}`))
      assert.deepStrictEqual(confined, [`${inside}/etc/conf`, `${inside}/plain.txt`])
    }))

  it.live("changes no repository inside of the folder, however far down", () =>
    Effect.gen(function*() {
      const hook = "a/b/lib/.git/hooks/pre-commit"
      const { confined, free } = yield* both(`echo x > ${hook}; mv a/b/lib/.git a/b/lib/moved; echo x > a/b/lib/plain.txt`, { [hook]: "before", "a/b/lib/c.txt": "c" })
      assert.deepStrictEqual(confined, ["a/b/lib/plain.txt"])
      assert.include(free, hook)
    }))

  it.live("sees nothing of our own folders through a link either, nor inside of the folder", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "kept/keys.json": "mark-of-key", "plain.txt": "plain" })
      fs.symlinkSync("kept", join(root, "link"))
      const command = "cat link/keys.json kept/keys.json plain.txt"
      const { output } = yield* run(command, root, {}, join(root, "link"))
      assert.include(output, "plain")
      assert.notInclude(output, "mark-of-key")
      assert.include((yield* run(command, root)).output, "mark-of-key")
    }))

  it.live("speaks to no program through its Unix socket, wherever that lies", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      const socket = join(root, "socket")
      yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createSocketServer((connection) => connection.end("hi")).listen(socket)
          await once(server, "listening")
          return server
        }),
        (server) => Effect.sync(() => server.close())
      )
      const ask = `${nodeIn(root)} -e 'require("net").connect("socket").on("data", (data) => console.log("said " + data)).on("error", ({ code }) => console.log(code))'`
      assert.strictEqual((yield* run(ask, root)).output, "EPERM\n")
      assert.strictEqual((yield* run(ask, root, { network: true })).output, "said hi\n")
    }))

  it.live("runs programs that speak to their children through pipes", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      const fork = `const { fork } = require("child_process"); if (process.send) process.send("child"); else fork("fork.js").on("message", (said) => console.log("said " + said))`
      fs.writeFileSync(join(root, "fork.js"), fork)
      assert.strictEqual((yield* run(`${nodeIn(root)} fork.js`, root)).output, "said child\n")
    }))

  it.live("reaches no port of this machine, unless the network is allowed", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      let asked = 0
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer((_, response) => (asked++, response.end("hi"))).listen(0, "127.0.0.1")
          await once(server, "listening")
          return server
        }),
        (server) => Effect.sync(() => server.close())
      )
      const ask = `exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`
      assert.notStrictEqual((yield* run(ask, root)).code, 0)
      assert.strictEqual(asked, 0)
      assert.include((yield* run(ask, root, { network: true })).output, "hi")
    }))

  it.live("leaves no process, however it hides", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      const { output } = yield* run(`for i in 1 2 3; do env -i setsid setsid sleep 987654 >/dev/null 2>&1 & done; trap '' TERM; echo started`, root)
      assert.include(output, "started")
      const left = fs.readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && (() => {
        try {
          return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("987654\0")
        } catch {
          return false
        }
      })())
      assert.deepStrictEqual(left, [])
    }))

  it.live("has a /tmp of its own, which lasts from one command to the next and not longer", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      const layer = ShellLive.layerSandboxed({ mode: "workspace-write", network: false }, [root]).pipe(Layer.provide(environment(variables)))
      yield* Effect.gen(function*() {
        const shell = yield* Shell
        const said = (command: string) => shell.run({ command, cwd: root, timeoutMs: 20_000, maxOutputCharacters: 1000, onOutput: () => {} })
        yield* said("echo kept > /tmp/dacapo-note")
        assert.include((yield* said("cat /tmp/dacapo-note")).output, "kept")
      }).pipe(Effect.provide(layer))
      assert.isFalse(fs.existsSync("/tmp/dacapo-note"))
    }))

  it.live("ends with its own exit code", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* run("exit 7", yield* folder())).code, 7)
    }))
})

describe("an unavailable sandbox", () => {
  it.live("fails with what is missing, and nothing runs", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      const error = yield* Effect.flip(SandboxedShell.probe({ platform: "sunos", variables }))
      assert.include(error, "not supported")
      if (!works) {
        const refused = yield* Effect.flip(run("touch ran", root))
        assert.strictEqual(refused._tag, "SandboxError")
        assert.deepStrictEqual(fs.readdirSync(root), [])
      }
    }))
})
