/** Tools at size: 100,000 files listed and searched, definitions of many files, a thousand sessions at rest in one process. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { arch, platform, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { fdir } from "fdir"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TreeSitter from "web-tree-sitter"
import * as Languages from "../src/domain/definitions/Languages.ts"
import { createAgent } from "../src/layers/createAgent.ts"
import * as DefinitionsLive from "../src/layers/definitions/TreeSitter.ts"
import * as NodeWorkspace from "../src/layers/workspace/files/NodeWorkspace.ts"
import { Definitions } from "../src/services/Definitions.ts"
import { Environment } from "../src/services/Environment.ts"
import { Workspace } from "../src/services/Workspace.ts"
import { median, report, time } from "./measure.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const rg = createRequire(import.meta.url).resolve(`@vscode/ripgrep-${platform()}-${arch()}/bin/rg`)
const made = mkdtempSync(join(tmpdir(), "dacapo-bench-"))

const once = async (run: () => unknown): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** Median ms of three runs after one that warms the disk's cache. */
const clocked = async (run: () => unknown): Promise<number> => {
  await run()
  return median([await once(run), await once(run), await once(run)])
}

/** A thousand folders of a hundred files, ten levels in all; one file in a thousand holds the needle. */
const fill = (folder: string): void => {
  for (let i = 0; i < 1000; i++) {
    const inside = join(folder, `area${i % 10}`, `part${i % 100}`, `unit${i}`)
    mkdirSync(inside, { recursive: true })
    for (let k = 0; k < 100; k++) {
      const needle = (i * 100 + k) % 1000 === 7 ? "export const needle = true\n" : ""
      writeFileSync(join(inside, `file${k}.ts`), `export const value${k} = ${i}\n${needle}${"// a line of a comment, as files have them\n".repeat(10)}`)
    }
  }
}

/** Our file tools over a folder; without `path` there is no program beside us, and the engine of our own searches. */
const workspace = <A, E>(folder: string, path: string, use: (workspace: Workspace["Service"]) => Effect.Effect<A, E>): Promise<A> => {
  const folders = { home: folder, config: folder, data: folder, state: folder, cache: folder }
  const environment = Layer.succeed(Environment, { variables: { PATH: path }, folders, platform: path === "" ? "none" : platform(), version: "0" })
  return Effect.runPromise(Effect.flatMap(Workspace, use).pipe(Effect.provide(NodeWorkspace.layer({ roots: [folder] }).pipe(Layer.provide(environment)))))
}

const files = async (): Promise<void> => {
  const folder = join(made, "tree")
  fill(folder)
  const ripgrep = (...args: ReadonlyArray<string>) => spawnSync(rg, args, { cwd: folder, maxBuffer: 1 << 28 })
  const path = process.env["PATH"] ?? ""
  const list = (limit: number) => workspace(folder, path, ({ list }) => list(".", { depth: Infinity, limit }))
  const search = (path: string, regex: string) => workspace(folder, path, ({ search }) => search(".", regex, { context: 0, limit: 300 }))
  const listed = await clocked(() => list(Infinity))
  const byRg = await clocked(() => ripgrep("--files", "--hidden"))
  const byFdir = await clocked(() => new fdir().withRelativePaths().crawl(folder).withPromise())
  const needle = await clocked(() => ripgrep("--line-number", "--hidden", "needle", "."))
  report("100,000 files in 1,000 folders", "ms", [
    { claim: "listing all, ignore files honoured", ours: listed, limit: byRg * 1.5, peer: { name: "rg --files", value: byRg } },
    { claim: "the same, beside one that honours none", ours: listed, limit: byFdir * 1.5, peer: { name: "fdir", value: byFdir } },
    { claim: "what one call of list_files shows (200)", ours: await clocked(() => list(200)), peer: { name: "fdir", value: byFdir } },
    { claim: "searching them, 100 hits", ours: await clocked(() => search(path, "needle")), peer: { name: "rg", value: needle } },
    { claim: "searching them, the first 300 of many hits", ours: await clocked(() => search(path, "comment")), peer: { name: "rg", value: needle } },
    { claim: "searching them without rg", ours: await clocked(() => search("", "needle")), limit: needle * 3, peer: { name: "rg", value: needle } },
    { claim: "the same for an expression that is asked of each line", ours: await clocked(() => search("", String.raw`const\s+needle`)), limit: needle * 3, peer: { name: "rg", value: needle } }
  ])
}

/** Definitions of our own larger sources, as the tool reads them, beside tree-sitter with the same grammar and query. */
const definitions = async (): Promise<void> => {
  const language = Languages.of("a.ts")!
  const texts = spawnSync(rg, ["--files", "src", "-g", "*.ts"], { cwd: root, encoding: "utf8" }).stdout.split("\n")
    .filter((path) => path !== "").map((path) => readFileSync(join(root, path), "utf8"))
  const grammars = join(root, "dist", "grammars")
  await TreeSitter.Parser.init({ locateFile: (file: string) => join(grammars, file) })
  const grammar = await TreeSitter.Language.load(join(grammars, `tree-sitter-${language.grammar}.wasm`))
  const query = new TreeSitter.Query(grammar, language.query)
  const parser = new TreeSitter.Parser()
  parser.setLanguage(grammar)
  const bare = time(() => {
    for (const text of texts) {
      const tree = parser.parse(text)!
      query.matches(tree.rootNode)
      tree.delete()
    }
  })
  const ours = await Effect.runPromise(Effect.gen(function*() {
    const { of } = yield* Definitions
    const all = Effect.forEach(texts, (text) => of(language, text), { discard: true })
    return yield* Effect.promise(() => clocked(() => Effect.runPromise(all)))
  }).pipe(Effect.provide(DefinitionsLive.layer)))
  report(`Definitions of ${texts.length} TypeScript files`, "ms", [
    { claim: "all, with their nesting", ours, limit: bare * 1.5, peer: { name: "tree-sitter alone", value: bare } }
  ])
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** MB that the process holds, once nothing more can be collected. */
const held = async (): Promise<{ readonly rss: number; readonly heap: number }> => {
  for (let i = 0; i < 5; i++) {
    collect()
    await new Promise(setImmediate)
  }
  const { heapUsed, rss } = process.memoryUsage()
  return { rss: rss / 1024 / 1024, heap: heapUsed / 1024 / 1024 }
}

/** Sessions that have done a task of a few turns each, all open. */
const sessions = async (count: number): Promise<void> => {
  const folder = join(made, "project")
  mkdirSync(folder)
  process.env["DACAPO_HOME"] = join(made, "home")
  writeFileSync(join(folder, "notes.md"), "A line of notes.\n".repeat(100))
  const read = { calls: [{ name: "read_file", params: { path: "notes.md" } }] }
  writeFileSync(join(folder, "script.json"), JSON.stringify({ turns: [read, read, { text: "Read." }] }))
  await using agent = createAgent({ cwd: folder, model: `scripted/${join(folder, "script.json")}` })
  const task = async () => (await agent.session()).run("Read the notes")
  await task()
  const empty = await held()
  const start = performance.now()
  for (let done = 0; done < count; done += 20) await Promise.all(Array.from({ length: 20 }, task))
  const each = (performance.now() - start) / count
  const full = await held()
  report(`${count} sessions at rest in one process, each after a task of three turns`, "MB", [
    { claim: "resident memory above the same process with one", ours: full.rss - empty.rss, limit: 250 },
    { claim: "of it on the heap", ours: full.heap - empty.heap }
  ])
  report("The same", "ms", [{ claim: "a task of three turns, twenty at once", ours: each }])
}

try {
  await files()
  await definitions()
  await sessions(1000)
} finally {
  rmSync(made, { recursive: true, force: true })
}
