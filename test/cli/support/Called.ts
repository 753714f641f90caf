/** The command line as a caller sees it: arguments and input go in, text of two streams and an exit code come out. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { OutputError } from "../../../src/cli/process/CliError.ts"
import { Host } from "../../../src/cli/process/Host.ts"
import * as UnattendedApprover from "../../../src/cli/headless/UnattendedApprover.ts"
import * as Program from "../../../src/cli/Program.ts"
import { Redactor } from "../../../src/services/Redactor.ts"
import { AgentLayers } from "../../../src/cli/process/AgentLayers.ts"
import * as Played from "./Played.ts"

export interface Call {
  readonly tasks?: ReadonlyArray<ReadonlyArray<Played.Act>>
  readonly stdin?: Uint8Array | string
  readonly variables?: Readonly<Record<string, string>>
  /** Standard output has no listener after so many writes. */
  readonly deaf?: number
  /** Shared by several calls, so that the sessions of one are there in the next. */
  readonly runtime?: ReturnType<typeof Played.runtime>
  /** In place of a played runtime. */
  readonly layers?: Layer.Layer<AgentLayers>
  readonly cwd?: string
}

export interface Called {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

const bytes = (text: Uint8Array | string): Uint8Array => typeof text === "string" ? new TextEncoder().encode(text) : text

/** A process that was called so, whose output goes to `said`. */
export const processHost = (args: ReadonlyArray<string>, call: Call, said: { stdout: string; stderr: string }): Layer.Layer<Host> => {
  let writes = 0
  const output = (to: "stdout" | "stderr") => {
    const write = (text: string) =>
      Effect.suspend(() => {
        if (to === "stdout" && call.deaf !== undefined && writes++ >= call.deaf) {
          return Effect.fail(new OutputError({ code: "EPIPE", message: "closed" }))
        }
        said[to] += text
        return Effect.void
      })
    return { tty: false, columns: () => 80, write, data: write }
  }
  return Layer.succeed(Host, {
    args,
    cwd: call.cwd ?? process.cwd(),
    environment: {
      variables: { DACAPO_MODEL: "scripted/demo", ...call.variables },
      folders: { home: "/home/me", config: "/nowhere", data: "/nowhere", state: "/nowhere", cache: "/nowhere" },
      platform: "linux",
      version: "1.2.3"
    },
    node: "24.0.0",
    defect: () => undefined,
    signal: () => undefined,
    terminal: { stdin: process.stdin, stdout: process.stdout, atExit: () => () => {}, sleep: Effect.void },
    stdin: {
      tty: call.stdin === undefined,
      all: Effect.sync(() => bytes(call.stdin ?? "")),
      lines: Stream.fromIterable(new TextDecoder().decode(bytes(call.stdin ?? "")).split("\n")),
      piped: Effect.sync(() => call.stdin === undefined ? null : bytes(call.stdin))
    },
    stdout: output("stdout"),
    stderr: output("stderr")
  })
}

/** The whole program over a played runtime. */
export const dacapo = (args: ReadonlyArray<string>, call: Call = {}): Effect.Effect<Called> =>
  Effect.gen(function*() {
    const said = { stdout: "", stderr: "" }
    const host = processHost(args, call, said)
    const runtime = call.runtime ?? Played.runtime(call.tasks ?? [])
    const wiring = call.layers ?? Layer.succeed(AgentLayers, {
      records: Layer.provide(runtime, Layer.provide(UnattendedApprover.layer("deny"), host)),
      layer: ({ approver }) => Layer.provide(runtime, approver)
    })
    const exit = yield* Effect.exit(Effect.provide(Program.main, Layer.mergeAll(host, wiring, Layer.succeed(Redactor, Played.redactor))))
    return { exit: Exit.isSuccess(exit) ? exit.value : -1, ...said }
  })

/** Every line of JSON on standard output. */
export const objects = ({ stdout }: Called): ReadonlyArray<Record<string, unknown>> =>
  stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
