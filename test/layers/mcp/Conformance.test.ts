import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Serving from "../../../src/layers/mcp/Serving.ts"
import * as IdsLive from "../../../src/layers/settings/IdsLive.ts"
import { make } from "./servers/conformance.ts"

const suite = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url))

/** Runs the suite in a folder of its own, which it fills with results. */
const conformance = (...args: ReadonlyArray<string>): Effect.Effect<{ readonly code: number; readonly output: string }> =>
  Effect.callback((resume) => {
    const folder = mkdtempSync(join(tmpdir(), "efferent-conformance-"))
    const child = execFile(process.execPath, [suite, ...args], { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      rmSync(folder, { recursive: true, force: true })
      resume(Effect.succeed({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, output: `${stdout}${stderr}` }))
    })
    return Effect.sync(() => void child.kill())
  })

describe("the protocol's conformance suite", () => {
  it.live("passes every scenario against a server on our server layer", () =>
    Effect.gen(function*() {
      const url = yield* Serving.http(make, 0)
      const { code, output } = yield* conformance("server", "--url", url, "--suite", "active")
      assert.strictEqual(code, 0, output)
      assert.match(output, /Total: \d+ passed, 0 failed/)
    }).pipe(Effect.scoped, Effect.provide(IdsLive.layer)))
})
