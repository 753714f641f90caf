/**
 * What people and programs wait for, as whole processes beside bare Node in the same run: the table of "at most" figures.
 * The model server is on loopback and answers at once; the terminal is a real one (`script` of util-linux).
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { anthropic } from "../src/layers/testing/servers/anthropic.ts"
import * as Server from "../src/layers/testing/servers/Server.ts"
import { median, report, type Row } from "./measure.ts"

const dacapo = fileURLToPath(new URL("../bin/dacapo", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "dacapo-faces-"))
/** Empty, so that the first request lists no files. */
const project = join(folder, "project")
mkdirSync(project)
writeFileSync(join(folder, "bare.mjs"), "")
const env = { ...process.env, DACAPO_HOME: join(folder, "home"), ANTHROPIC_API_KEY: "sk-ant-bench", TERM: "xterm-256color" }
const MiB = 2 ** 20
const mebibyte = "words and more ".repeat(Math.ceil(MiB / 15)).slice(0, MiB)
const lines = `${"words and more ".repeat(5)}\n`.repeat(Math.ceil(MiB / 76)).slice(0, MiB)

/** When each request came, and how long its body was. */
const asked: Array<{ readonly at: number; readonly bytes: number }> = []
/** Answers by their text: made once, because a mebibyte of frames takes as long to make as to read. */
const answers = new Map<string, string>()
const server = await Effect.runPromise(Server.start(anthropic, (request) => {
  asked.push({ at: performance.now(), bytes: JSON.stringify(request.body).length })
  const body = JSON.stringify(request.body)
  const text = body.includes("in lines") ? lines : body.includes("a whole mebibyte") ? mebibyte : body.includes("four of them") ? mebibyte.repeat(4) : "Done."
  const answer = answers.get(text) ?? anthropic.frames({ text, chunkSize: 20 }, request).join("")
  answers.set(text, answer)
  return Server.ScriptedResponse.Raw({ parts: [answer], headers: { "content-type": "text/event-stream" } })
}).pipe(Effect.provideService(Scope.Scope, Effect.runSync(Scope.make()))))

/** ms of the processor that ended children used (Linux: ticks of 10 ms). */
const used = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ")
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** The most memory that a process held, in MiB, looked at until it is gone. */
const peak = (child: ChildProcess) => {
  let most = 0
  const timer = setInterval(() => {
    try {
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024)
    } catch {
      clearInterval(timer)
    }
  }, 10)
  return () => {
    clearInterval(timer)
    return most
  }
}

interface Measured {
  readonly wall: number
  readonly cpu: number
  readonly memory: number
  /** ms until the first request came. */
  readonly request: number
}

const run = async (command: string, args: ReadonlyArray<string>): Promise<Measured> => {
  asked.length = 0
  const [start, before] = [performance.now(), used()]
  const child = spawn(command, args, { cwd: project, env, stdio: "ignore" })
  const memory = peak(child)
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`)
  return { wall: performance.now() - start, cpu: used() - before, memory: memory(), request: (asked[0]?.at ?? start) - start }
}

const task = (prompt: string) => ["-p", "--model", "anthropic/claude-sonnet-4-6", "--base-url", server.url, prompt]
const programs = {
  bare: () => run(process.execPath, [join(folder, "bare.mjs")]),
  version: () => run(dacapo, ["--version"]),
  help: () => run(dacapo, ["--help"]),
  question: () => run(dacapo, task("Say done")),
  mebibyte: () => run(dacapo, task("Say a whole mebibyte"))
}
const rounds = Number(process.env["ROUNDS"] ?? 7)
const measured = Object.fromEntries(Object.keys(programs).map((name) => [name, [] as Array<Measured>])) as Record<keyof typeof programs, Array<Measured>>
let body = 0
for (let round = 0; round <= rounds; round++) {
  for (const [name, program] of Object.entries(programs) as ReadonlyArray<readonly [keyof typeof programs, () => Promise<Measured>]>) {
    const figures = await program()
    if (name === "question") body = asked[0]!.bytes
    if (round > 0) measured[name].push(figures)
  }
}
const figure = (name: keyof typeof programs, what: keyof Measured) => median(measured[name].map((each) => each[what]))
const node = (what: keyof Measured) => ({ name: "bare node", value: figure("bare", what) })

/** ms from each key, typed while an answer streams into a terminal, until the screen shows it; so many keys, or fewer where the answer is over. */
const typing = async (prompt: string, most = 40): Promise<ReadonlyArray<number>> => {
  const command = [dacapo, "--model", "anthropic/claude-sonnet-4-6", "--base-url", server.url, `'${prompt}'`].join(" ")
  const terminal = spawn("script", ["-qfc", `stty cols 100 rows 40; ${command}`, "/dev/null"], { cwd: project, env, stdio: ["pipe", "pipe", "ignore"] })
  let shown = ""
  let seen = (_: string): void => {}
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown = (shown + text).slice(-60_000)
    seen(text)
  })
  const shows = (text: string) => new Promise<void>((resolve) => {
    seen = () => shown.includes(text) ? resolve() : undefined
    seen("")
  })
  await shows("words and more")
  const times: Array<number> = []
  for (let typed = "q"; typed.length <= most; typed += "q") {
    shown = ""
    const start = performance.now()
    terminal.stdin.write("q")
    await shows(typed)
    if (shown.includes("Enter sends")) break
    times.push(performance.now() - start)
  }
  terminal.kill("SIGTERM")
  await once(terminal, "exit")
  return times
}
const keys: Array<Row> = []
for (const [answer, prompt] of [["1 MiB in lines", "Say it in lines"], ["1 MiB in one line", "Say a whole mebibyte"], ["4 MiB in one line", "Say four of them"]] as const) {
  const times = await typing(prompt)
  keys.push({ claim: `${answer}, median of ${times.length}`, ours: median(times), limit: 50 }, { claim: `${answer}, the slowest`, ours: Math.max(...times), limit: 50 })
}

/** Bytes of what npm installs of us, without what is optional. */
const size = (from: string): number =>
  readdirSync(from, { recursive: true, withFileTypes: true }).reduce((sum, entry) =>
    entry.isFile() && !entry.parentPath.includes("grammars") ? sum + statSync(join(entry.parentPath, entry.name)).size : sum, 0)
const dist = size(fileURLToPath(new URL("../dist", import.meta.url)))

report("Start-up, whole processes", "ms, medians", [
  { claim: "bare node", ours: figure("bare", "wall") },
  { claim: "--version", ours: figure("version", "wall"), limit: figure("bare", "wall") + 15, peer: node("wall") },
  { claim: "--help", ours: figure("help", "wall"), peer: node("wall") },
  { claim: "start to first request, one-shot", ours: figure("question", "request"), limit: 200, peer: node("wall") },
  { claim: "one-shot, whole", ours: figure("question", "wall"), limit: 300, peer: node("wall") },
  { claim: "1 MiB of answer in 20-character deltas", ours: figure("mebibyte", "wall"), limit: 1_200, peer: node("wall") }
] satisfies ReadonlyArray<Row>)
report("Processor", "ms, medians", [
  { claim: "one-shot", ours: figure("question", "cpu"), peer: node("cpu") },
  { claim: "1 MiB of answer", ours: figure("mebibyte", "cpu"), limit: 1_500, peer: node("cpu") }
])
report("Memory, at most", "MiB, medians", [
  { claim: "one-shot", ours: figure("question", "memory"), limit: 100, peer: node("memory") },
  { claim: "1 MiB of answer", ours: figure("mebibyte", "memory"), limit: 140, peer: node("memory") }
])
report("A key, while an answer streams into a terminal, until it is seen", "ms", keys)
report("Sizes", "kB", [
  { claim: "first request body, our tools and prompt", ours: body / 1_000, limit: 9 },
  { claim: "installed, without grammars", ours: dist / 1_000, limit: 60 * MiB / 1_000 }
])
rmSync(folder, { recursive: true, force: true })
process.exit(0)
