/**
 * The terminal: a diff of 5,000 changed lines as rows, complete and as far as a call shows it, in processor time; and what the command
 * uses while it waits for a model that has not answered yet, in a real terminal (`script` of util-linux).
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as BlockLines from "../src/cli/render/text/BlockLines.ts"
import * as DiffLines from "../src/cli/render/text/DiffLines.ts"
import * as MarkdownLines from "../src/cli/render/text/MarkdownLines.ts"
import * as Theme from "../src/cli/render/text/Theme.ts"
import type { Block } from "../src/cli/render/view/Block.ts"
import { text } from "../src/cli/render/view/DisplayText.ts"
import { cpuTime, report } from "./measure.ts"

const theme = Theme.of("always", true, { COLORTERM: "truecolor", TERM: "xterm-256color" })
const hunks = Array.from({ length: 500 }, (_, i) => {
  const line = i * 20 + 1
  const code = (n: number) => `  const value${n} = compute("${n}", { total: ${n} }) // line ${n}`
  return [
    `@@ -${line},10 +${line},10 @@`,
    ...Array.from({ length: 5 }, (_, j) => `-${code(line + j)}`),
    ...Array.from({ length: 5 }, (_, j) => `+${code(line + j + 1)}`)
  ].join("\n")
})
const diff = text(["--- a/src/basket.ts", "+++ b/src/basket.ts", ...hunks].join("\n"))
const renderer = { theme, columns: 100, markdown: MarkdownLines.lines } as BlockLines.Renderer
const call = { _tag: "Tool", id: "c", name: "edit_file", kind: "edit", status: "succeeded", label: text("src/basket.ts"), result: text(""), display: diff } as unknown as Block

report("A diff of 5,000 lines", "ms of processor time", [
  { claim: `all ${DiffLines.rows(diff, theme).length} rows`, ours: cpuTime(() => DiffLines.rows(diff, theme)), limit: 50 },
  { claim: `below a call, as far as it is shown (${BlockLines.blockLines(call, renderer).length} rows)`, ours: cpuTime(() => BlockLines.blockLines(call, renderer)), limit: 50 }
])

/** Seconds over which the waiting command is measured. */
const seconds = Number(process.env["SECONDS_WAITING"] ?? 20)

const folder = mkdtempSync(join(tmpdir(), "dacapo-terminal-"))
let asked = (): void => {}
const isAsked = new Promise<void>((resolve) => void (asked = resolve))
const server = createServer((request) => void request.resume().on("end", asked)).listen(0, "127.0.0.1")
await once(server, "listening")
const dacapo = fileURLToPath(new URL("../bin/dacapo", import.meta.url))
const command = [`echo $$ >${folder}/pid; exec`, dacapo, "--model", "anthropic/claude-sonnet-4-6", "--base-url", `http://127.0.0.1:${(server.address() as AddressInfo).port}`, "'Say done'"].join(" ")
const terminal = spawn("script", ["-qfc", `stty cols 100 rows 40; ${command}`, "/dev/null"], {
  cwd: folder,
  env: { ...process.env, DACAPO_HOME: join(folder, "home"), ANTHROPIC_API_KEY: "sk-ant-bench", TERM: "xterm-256color" },
  stdio: ["pipe", "ignore", "ignore"]
})
await isAsked
await sleep(3_000)
/** ms of processor time of all threads. */
const used = () => {
  const tasks = `/proc/${readFileSync(join(folder, "pid"), "utf8").trim()}/task`
  return readdirSync(tasks).reduce((sum, thread) => sum + Number(readFileSync(`${tasks}/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6, 0)
}
const [from, start] = [used(), performance.now()]
await sleep(seconds * 1_000)
const share = 100 * (used() - from) / (performance.now() - start)
terminal.kill("SIGTERM")
await once(terminal, "exit")
server.closeAllConnections()
server.close()
rmSync(folder, { recursive: true, force: true })
report("While the model has not answered", "% of one processor", [{ claim: `over ${seconds} s`, ours: share, limit: 1 }])
process.exit(0)
