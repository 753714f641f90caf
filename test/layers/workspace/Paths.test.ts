/** Every way out of the workspace that the corpus knows, tried on real files. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import * as NodeWorkspace from "../../../src/layers/workspace/files/NodeWorkspace.ts"
import type { FileError } from "../../../src/domain/workspace/FileError.ts"
import { Workspace } from "../../../src/services/Workspace.ts"
import corpus from "../../corpora/paths.json" with { type: "json" }
import { contents, environment, folder, write } from "./fixture.ts"

const workspaceAt = (root: string) => NodeWorkspace.layer({ roots: [root] }).pipe(Layer.provide(environment()))

interface Row {
  readonly id: string
  readonly op: string
  readonly path: string
  readonly expected: string
  readonly why: string
  readonly category: string
  readonly fs?: string
  readonly setup?: ReadonlyArray<Record<string, unknown>>
}

/** Rows that rules and approval answer, and one that only Windows knows. */
const elsewhere = (row: Row): boolean =>
  row.id === "pe-074" || (row.expected === "ask" && (row.category === "protected" || row.category === "case-and-form"))

const rows = (corpus.rows as unknown as ReadonlyArray<Row>).filter((row) => !elsewhere(row))

/** The row's base folder: a workspace, the outside with a secret, a home. */
const base = Effect.map(folder({ "ws/present.txt": "present", "outside/secret.txt": "SECRET", "home/.bashrc": "HOME" }), (root) => ({
  ws: join(root, "ws"),
  out: join(root, "outside"),
  home: join(root, "home")
}))

const arrange = ({ setup = [] }: Row, ws: string, fill: (path: string) => string) =>
  Effect.gen(function*() {
    const at = (path: unknown) => {
      const filled = fill(String(path)).replace(/^\.agentignore$/, ".dacapoignore")
      return filled.startsWith("/") ? filled : join(ws, filled)
    }
    for (const step of setup) {
      if ("mkdir" in step) fs.mkdirSync(at(step["mkdir"]), { recursive: true })
      if ("file" in step) write("/", { [at(step["file"])]: String(step["text"]) })
      const pair = (step["symlink"] ?? step["hardlink"] ?? step["sparse"]) as [string, string] | undefined
      if ("symlink" in step) fs.symlinkSync(fill(pair![1]), at(pair![0]))
      if ("hardlink" in step) fs.linkSync(at(pair![1]), at(pair![0]))
      if ("sparse" in step) execFileSync("truncate", ["-s", pair![1], at(pair![0])])
      if ("fifo" in step) execFileSync("mkfifo", [at(step["fifo"])])
      if ("socket" in step) {
        yield* Effect.acquireRelease(
          Effect.callback<ReturnType<typeof createServer>>((resume) => {
            const server = createServer().listen(at(step["socket"]), () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.sync(() => server.close())
        )
      }
    }
  })

const perform = (
  workspace: Workspace["Service"],
  { op, path }: { readonly op: string; readonly path: string }
): Effect.Effect<string | ReadonlyArray<string> | void, FileError> =>
  op === "read" ? Effect.map(workspace.readText(path), ({ text }) => text)
  : op === "write" ? workspace.writeText(path, "changed")
  : op === "delete" ? workspace.remove(path)
  : op === "rename" ? workspace.writeText(path.split(" -> ")[1]!, "changed")
  : path.startsWith("content:") ? Effect.map(workspace.search(".", path.slice("content:".length), { context: 0, limit: 100 }), ({ hits }) => hits.map((hit) => hit.path))
  : Effect.map(workspace.search(path, "x", { context: 0, limit: 100 }), ({ hits }) => hits.map((hit) => hit.path))

/** Puts the link in the folder's place and takes it away again, without end. */
const swapping = `
  const { renameSync } = require("node:fs")
  const cell = new Int32Array(new SharedArrayBuffer(4))
  process.stdout.write("on")
  for (;;) for (const swap of [[["d", "d3"], ["d2", "d"]], [["d", "d2"], ["d3", "d"]]]) {
    for (const [from, to] of swap) renameSync(from, to)
    Atomics.wait(cell, 0, 0, 0.2) // ms in each state, so that both are met on a machine of any load
  }
`

describe("the corpus of paths", () => {
  for (const row of rows) {
    it.effect(`${row.id}: ${row.op} ${row.path.slice(0, 40).replace(/\n/g, "\\n")} (${row.why})`, () =>
      Effect.gen(function*() {
        const { home, out, ws } = yield* base
        const fill = (text: string) => text.replaceAll("$WS", ws).replaceAll("$OUT", out).replaceAll("$HOME", home).replaceAll("AGENT", "dacapo")
        yield* arrange(row, ws, fill)
        const before = [contents(out), contents(home)]
        const path = fill(row.path).replace(/^@mention:/, "")
        const result = yield* Effect.result(
          Effect.flatMap(Workspace, (workspace) => perform(workspace, { op: row.op, path })).pipe(Effect.provide(workspaceAt(ws)))
        )
        assert.deepStrictEqual([contents(out), contents(home)], before, "nothing outside changed")
        if (Result.isFailure(result)) assert.notInclude(JSON.stringify(result.failure), "SECRET")
        if (row.expected === "allow") {
          assert.strictEqual(Result.isFailure(result) ? result.failure.reason : "done", /not.found/.test(row.why) ? "NotFound" : "done")
        } else if (row.id === "pe-122") {
          assert.deepStrictEqual(Result.getOrUndefined(result), [".dacapoignore", "p/private/ok.txt", "src/build/x"])
        } else if (row.op === "search" && row.path.startsWith("content:")) {
          assert.deepStrictEqual(Result.getOrUndefined(result), [])
        } else if (row.id === "pe-062" || row.id === "pe-127" || row.id === "pe-128") {
          // Written in a way that harms nothing outside: a new file takes the name. The race itself is told below.
          assert.isTrue(Result.isSuccess(result))
        } else {
          assert.isTrue(Result.isFailure(result))
        }
      }))
  }

  it.effect("pe-127: a folder that is swapped for a link, over and over, never lets a write or a read out", () =>
    Effect.gen(function*() {
      const { out, ws } = yield* base
      write(ws, { "d/f.txt": "inside" })
      write(out, { "f.txt": "SECRET" })
      fs.symlinkSync(out, join(ws, "d2"))
      // Another process, so that it runs between any two of our system calls.
      const swapper = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["-e", swapping], { cwd: ws, stdio: ["ignore", "pipe", "ignore"] })
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      yield* Effect.callback<void>((resume) => void swapper.stdout.once("data", () => resume(Effect.void)))
      const seen = new Set<string>()
      yield* Effect.gen(function*() {
        const workspace = yield* Workspace
        // At least so often, and until the swap was met in the act.
        for (let i = 0; i < 300 || !seen.has("Outside"); i++) {
          const wrote = yield* Effect.result(workspace.writeText("d/f.txt", "inside"))
          const read = yield* Effect.result(workspace.readText("d/f.txt"))
          seen.add(Result.isFailure(wrote) ? wrote.failure.reason : "written")
          seen.add(Result.isFailure(read) ? read.failure.reason : read.success.text)
        }
      }).pipe(Effect.provide(workspaceAt(ws)))
      assert.deepStrictEqual(contents(out), { "f.txt": "SECRET", "secret.txt": "SECRET" })
      assert.isFalse(seen.has("SECRET"))
      assert.isTrue(seen.has("Outside"))
    }))
})

describe("a root that is a link", () => {
  it.effect("is the folder that it leads to, under both names", () =>
    Effect.gen(function*() {
      const { ws } = yield* base
      const link = join(dirname(ws), "link")
      fs.symlinkSync(ws, link)
      yield* Effect.gen(function*() {
        const workspace = yield* Workspace
        for (const path of ["present.txt", join(link, "present.txt"), join(ws, "present.txt")]) {
          assert.strictEqual((yield* workspace.readText(path)).text, "present")
          assert.strictEqual((yield* workspace.stat(path)).path, "present.txt")
        }
      }).pipe(Effect.provide(workspaceAt(link)))
    }))
})
