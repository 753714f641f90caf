/** `dacapo serve` as a whole process: from its start to the first response, and its memory with ten sessions open. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, report } from "./measure.ts"

const dacapo = fileURLToPath(new URL("../bin/dacapo", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "dacapo-serve-"))
const script = join(folder, "script.json")
writeFileSync(script, JSON.stringify({ turns: [{ text: "Done." }] }))
writeFileSync(join(folder, "bare.mjs"), "")
const env = { ...process.env, DACAPO_HOME: join(folder, "home") }

/** A server that has answered its first request. */
const start = async () => {
  const since = performance.now()
  const child = spawn(process.execPath, [dacapo, "serve", "--model", `scripted/${script}`], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] })
  let text = ""
  for await (const chunk of child.stderr) if (/Bearer \S+\n/.test(text += chunk)) break
  const url = /at (http:\S+)\./.exec(text)![1]!
  const headers = { authorization: `Bearer ${/Bearer (\S+)/.exec(text)![1]}`, "content-type": "application/json" }
  await (await fetch(`${url}/sessions`, { headers })).text()
  return { child, url, headers, ms: performance.now() - since }
}

const memory = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024

const bare: Array<number> = []
const times: Array<number> = []
for (let round = 0; round < 7; round++) {
  const since = performance.now()
  await once(spawn(process.execPath, [join(folder, "bare.mjs")]), "exit")
  bare.push(performance.now() - since)
  const { child, ms } = await start()
  if (round > 0) times.push(ms)
  child.kill()
  await once(child, "exit")
}

const { child, headers, url } = await start()
const operate = async (operation: object): Promise<{ readonly session: string }> =>
  await (await fetch(`${url}/operations`, { method: "POST", headers, body: JSON.stringify(operation) })).json() as { readonly session: string }
const before = memory(child.pid!)
const sessions: Array<string> = []
for (let i = 0; i < 10; i++) {
  const cwd = join(folder, `project-${i}`)
  mkdirSync(cwd)
  const { session } = await operate({ _tag: "Start", cwd })
  await operate({ _tag: "Say", session, text: "hello" })
  sessions.push(session)
}
for (const session of sessions) {
  const abort = new AbortController()
  const response = await fetch(`${url}/sessions/${session}/events`, { headers, signal: abort.signal })
  let text = ""
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) if ((text += part).includes("TaskFinished")) break
  abort.abort()
}
const after = memory(child.pid!)
child.kill()
await once(child, "exit")
rmSync(folder, { recursive: true, force: true })

report("Server, whole process", "ms, medians; MiB", [
  { claim: "start to first response", ours: median(times), limit: 400, peer: { name: "bare node", value: median(bare) } },
  { claim: "memory without a session, MiB", ours: before },
  { claim: "memory with ten open sessions, MiB", ours: after }
])
