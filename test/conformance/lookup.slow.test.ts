/** The live diagnostics pass the suite, with a scripted language server over stdio. */
import { describe, it } from "@effect/vitest"
import * as Layer from "effect/Layer"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Session from "../../src/domain/session/Session.ts"
import * as Composition from "../../src/layers/Composition.ts"
import * as DiagnosticsLive from "../../src/layers/diagnostics/DiagnosticsLive.ts"
import * as Live from "../../src/layers/Live.ts"
import * as diagnostics from "../../src/layers/testing/conformance/diagnostics.ts"
import * as MemoryTrust from "../../src/layers/testing/MemoryTrust.ts"
import * as ScriptedApproval from "../../src/layers/testing/ScriptedApproval.ts"
import * as ScriptedApprover from "../../src/layers/testing/ScriptedApprover.ts"
import { Environment } from "../../src/services/Environment.ts"

const place = mkdtempSync(join(tmpdir(), "dacapo-lookup-"))
process.on("exit", () => rmSync(place, { recursive: true, force: true }))
const [root, bin] = [join(place, "project"), join(place, "bin")]
for (const folder of [root, bin]) mkdirSync(folder)
const server = fileURLToPath(new URL("../scenarios/support/languageServer.mjs", import.meta.url))
writeFileSync(join(bin, "server.mjs"), `process.argv[1] = ${JSON.stringify(join(bin, "server.mjs"))}\nawait import(${JSON.stringify(server)})\n`)
writeFileSync(join(bin, "typescript-language-server"), `#!/bin/sh\nexec ${process.execPath} ${join(bin, "server.mjs")} "$@"\n`)
chmodSync(join(bin, "typescript-language-server"), 0o755)

const environment = Layer.succeed(Environment, {
  variables: { PATH: `${bin}:${process.env["PATH"]}` },
  folders: { home: place, config: place, data: place, state: place, cache: place },
  platform: "linux",
  version: "0"
})

describe("DiagnosticsLive", () => {
  const layer = Composition.layer({
    ...Live.parts({ roots: [root] }),
    approver: ScriptedApprover.layer([]),
    approval: ScriptedApproval.layer(),
    environment,
    trust: MemoryTrust.layer([root]),
    diagnostics: DiagnosticsLive.layer({ sandbox: { mode: "danger-full-access", network: true } })
  })
  for (const { name, run } of diagnostics.cases(layer, { ...Session.empty, id: "s", cwd: root })) it.live(name, () => run)
})
