/** The live implementation and the fake of each optional search pass the same suite. */
import { describe, it } from "@effect/vitest"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Problem from "../../src/domain/diagnostics/Problem.ts"
import * as Session from "../../src/domain/session/Session.ts"
import * as TreeSitter from "../../src/layers/definitions/TreeSitter.ts"
import * as CodeSearchLive from "../../src/layers/search/CodeSearchLive.ts"
import * as WebSearchLive from "../../src/layers/search/WebSearchLive.ts"
import * as codeSearch from "../../src/layers/testing/conformance/codeSearch.ts"
import * as diagnostics from "../../src/layers/testing/conformance/diagnostics.ts"
import type { Case } from "../../src/layers/testing/conformance/ServiceCase.ts"
import * as webSearch from "../../src/layers/testing/conformance/webSearch.ts"
import * as MemoryCodeSearch from "../../src/layers/testing/MemoryCodeSearch.ts"
import * as MemoryDiagnostics from "../../src/layers/testing/MemoryDiagnostics.ts"
import * as MemoryWebSearch from "../../src/layers/testing/MemoryWebSearch.ts"
import * as MemoryWorkspace from "../../src/layers/testing/MemoryWorkspace.ts"
import { Environment } from "../../src/services/Environment.ts"
import { Fetch } from "../../src/services/Fetch.ts"

const suite = (name: string, cases: ReadonlyArray<Case>) =>
  describe(name, () => {
    for (const { name, run } of cases) it.live(name, () => run)
  })

const results = [{ title: "SQLite", url: "https://nodejs.org/api/sqlite.html", text: "Node has it." }]
suite("MemoryWebSearch", webSearch.cases(MemoryWebSearch.layer({ "node sqlite": { results }, broken: "It is down." })))

const folder = mkdtempSync(join(tmpdir(), "dacapo-lookup-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const environment = Layer.succeed(Environment, {
  variables: { TAVILY_API_KEY: "secret" },
  folders: { home: folder, config: folder, data: folder, state: folder, cache: folder },
  platform: "linux",
  version: "0"
})

const tavily: typeof globalThis.fetch = async (_, init) => {
  const { query } = JSON.parse(String(init?.body)) as { readonly query: string }
  return query === "broken" ? Response.json({ detail: "It is down." }, { status: 503 })
    : Response.json({ results: query === "nothing at all" ? [] : results.map(({ text, ...result }) => ({ ...result, content: text })) })
}
suite("WebSearchLive", webSearch.cases(
  WebSearchLive.layer({ route: "tavily" }).pipe(Layer.provide([environment, Layer.succeed(Fetch, tavily)])),
  { route: "tavily" }
))

const workspace = (files: Readonly<Record<string, string>>) => Layer.suspend(() => MemoryWorkspace.layer(MemoryWorkspace.files(files), "/w"))
suite("MemoryCodeSearch", codeSearch.cases(Layer.provide(MemoryCodeSearch.layer(), workspace(codeSearch.files))))
suite("CodeSearchLive", codeSearch.cases(
  CodeSearchLive.layer(true).pipe(Layer.provide([TreeSitter.layer, environment, workspace(codeSearch.files)]))
))

const judge: MemoryDiagnostics.Judge = (path, text) =>
  !path.endsWith(".ts") ? [] : text.split("\n").flatMap((line, i): ReadonlyArray<Omit<Problem.Problem, "path">> => {
    const at = line.indexOf("BAD")
    return at < 0 ? [] : [{ line: i + 1, column: at + 1, severity: "error", message: `BAD in ${line}` }]
  })
suite("MemoryDiagnostics", diagnostics.cases(
  Layer.provideMerge(MemoryDiagnostics.layer(judge), workspace({})),
  { ...Session.empty, cwd: "/w" }
))
