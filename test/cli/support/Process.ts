/** The command line as a process of its own, with a scripted model, a home and a folder of its own. */
import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Replayed from "./Replayed.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** The command as users start it, built by test/build.ts. */
export const main = join(root, "bin", "dacapo")

/** What V8 made of the command is kept for all tests, as it is for a user from the second start on. */
const compiled = join(root, "node_modules", ".cache", "code")

/** A folder to work in beside a home and scripts. */
export interface Place {
  readonly root: string
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Writes a script and gives the model's name. */
  readonly script: (...turns: ReadonlyArray<object>) => string
}

/** A place that is removed when the test is over. */
export const place = (): Place & Disposable => {
  const root = mkdtempSync(join(tmpdir(), "dacapo-cli-"))
  const cwd = join(root, "project")
  mkdirSync(cwd)
  let scripts = 0
  return {
    root,
    cwd,
    environment: { PATH: process.env["PATH"] ?? "", HOME: root, DACAPO_HOME: join(root, "home"), TERM: "xterm", NODE_COMPILE_CACHE: compiled },
    script: (...turns) => {
      const file = join(root, `script-${++scripts}.json`)
      writeFileSync(file, JSON.stringify({ turns }))
      return `scripted/${file}`
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A place whose sessions all replay exactly, hash for hash, when the test is over; for logs that nobody damaged on purpose. */
export const scene = (): Place & AsyncDisposable => {
  const { [Symbol.dispose]: remove, ...made } = place()
  return {
    ...made,
    [Symbol.asyncDispose]: async () => {
      try {
        await Replayed.verify(join(made.root, "home", "data"))
      } finally {
        remove()
      }
    }
  }
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves when a stream has shown a text. */
  readonly shows: (stream: "stdout" | "stderr", wanted: string | RegExp) => Promise<void>
  /** What a stream has shown so far. */
  readonly said: (stream: "stdout" | "stderr") => string
}

/** `program` is what Node runs, with options of its own. */
export const start = (place: Place, args: ReadonlyArray<string>, stdin: "ignore" | "pipe" | string = "ignore", program: ReadonlyArray<string> = [main]): Running => {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: place.cwd,
    env: place.environment,
    stdio: [stdin === "ignore" ? "ignore" : "pipe", "pipe", "pipe"]
  })
  if (stdin !== "ignore" && stdin !== "pipe") child.stdin?.end(stdin)
  const text = { stdout: "", stderr: "" }
  const watchers = new Set<() => void>()
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (chunk: string) => {
      text[stream] += chunk
      watchers.forEach((watch) => watch())
    })
  }
  const ended = new Promise<Ended>((resolve) => child.on("close", (code, signal) => resolve({ code, signal, ...text })))
  return {
    child,
    ended,
    said: (stream) => text[stream],
    shows: (stream, wanted) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          if (!(typeof wanted === "string" ? text[stream].includes(wanted) : wanted.test(text[stream]))) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        void ended.then(() => reject(new Error(`It ended without "${wanted}": ${text.stdout}${text.stderr}`)))
        watch()
      })
  }
}

export const run = (...given: Parameters<typeof start>): Promise<Ended> => start(...given).ended

/** What a file says once a command has written a line into it. */
export const written = async (file: string): Promise<string> => {
  for (let attempts = 0; attempts < 1_200; attempts++) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : ""
    if (text.endsWith("\n")) return text.trim()
    await setTimeout(50)
  }
  throw new Error(`Nobody wrote ${file}`)
}
