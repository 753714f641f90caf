/** A server as a separate process: the SDK's transport, in an environment without secrets; nothing of it outlives the scope. */
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import type { Definition, Transport } from "../../../domain/mcp/Definition.ts"
import type * as CommandEnvironment from "../../../domain/tool/CommandEnvironment.ts"
import type { Confine } from "../../workspace/shell/SandboxedShell.ts"
import * as ProcessTree from "../../workspace/shell/ProcessTree.ts"
import * as ResolveStart from "../ResolveStart.ts"

export interface ProcessOptions {
  readonly definition: Definition
  readonly cwd: string
  readonly variables: CommandEnvironment.Variables
  /** The sandbox for commands, and so for servers; undefined if none was requested. */
  readonly confine: Confine | undefined
  /** A name unique to this run. */
  readonly marker: string
  /** Its output is no longer usable: it must be ended. */
  readonly broken: () => void
}

/** ms that a server has to exit by itself once its input is closed. */
const graceMs = 500

/** Limits: characters of its standard error, and invalid lines before it is given up. */
const limits = { stderrCharacters: 2_000, garbage: 1_000, message: 8 * 1024 * 1024 }

/** Negotiates on this process, instead of starting a second one for that: from the base class alone the SDK starts two. */
class OneProcess extends StdioClientTransport {}

/** A message exceeds the limit: the transport's own way of ending the process takes seconds, during which it would continue. */
const isTooLong = (error: Error): boolean => /maximum size/.test(error.message)

/** Starts when the client connects. */
export const wire = (
  transport: Extract<Transport, { readonly _tag: "Stdio" }>,
  { broken, confine, cwd, marker, variables }: ProcessOptions
) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const folder = transport.cwd ?? cwd
      const argv = [transport.command, ...transport.args]
      const [command = "", ...args] = confine === undefined ? argv : yield* confine(argv, folder)
      const server = new OneProcess({
        command,
        args,
        env: { ...ResolveStart.environment(transport, cwd, variables), [ProcessTree.variable]: marker },
        cwd: folder,
        stderr: "pipe",
        maxBufferSize: limits.message
      })
      let stderrText = ""
      server.stderr?.on("data", (chunk: Buffer) => {
        stderrText = (stderrText + chunk.toString()).slice(-limits.stderrCharacters)
      })
      let garbageCount = 0
      let pid: number | undefined
      const start = server.start.bind(server)
      return Object.assign(server, {
        stderrTail: () => stderrText,
        leader: () => pid,
        start: async () => {
          await start()
          pid = server.pid ?? undefined
          const previousHandler = server.onerror
          server.onerror = (error) => {
            previousHandler?.(error)
            if (++garbageCount === limits.garbage || isTooLong(error)) broken()
          }
        }
      })
    }),
    (server) =>
      Effect.gen(function*() {
        yield* Effect.ignore(Effect.timeout(Effect.tryPromise(() => server.close()), graceMs))
        const leader = server.leader()
        if (leader !== undefined) yield* ProcessTree.stop({ leader, marker }, graceMs)
      })
  )
