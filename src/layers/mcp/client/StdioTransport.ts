/** A server as a process of its own: the SDK's transport, in an environment without secrets, of which nothing outlives the scope. */
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import type { Definition, Transport } from "../../../domain/mcp/Definition.ts"
import * as CommandEnvironment from "../../../domain/tool/CommandEnvironment.ts"
import * as ProcessTree from "../../workspace/shell/ProcessTree.ts"

export interface Surroundings {
  readonly definition: Definition
  readonly cwd: string
  readonly variables: CommandEnvironment.Variables
  /** A name of this run alone. */
  readonly marker: string
  /** What it says can't be taken any more: it is to be ended. */
  readonly broken: () => void
}

/** ms that a server has to end by itself once its input is closed. */
const grace = 500

/** Characters of its standard error that are kept, and lines that are no messages before it is given up. */
const limits = { words: 2_000, garbage: 1_000, message: 8 * 1024 * 1024 }

/** Negotiates on this process, not on a second one that is started to be asked: of the base class alone the SDK starts two. */
class OneProcess extends StdioClientTransport {}

/** A message past the limit: the transport's own way of ending the process takes seconds, in which it would go on. */
const isTooLong = (error: Error): boolean => /maximum size/.test(error.message)

/** Starts when the client connects. */
export const wire = (transport: Extract<Transport, { readonly _tag: "Stdio" }>, { broken, cwd, marker, variables }: Surroundings) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const server = new OneProcess({
        command: transport.command,
        args: [...transport.args],
        env: { ...CommandEnvironment.scrub(variables), ...transport.env, [ProcessTree.variable]: marker },
        cwd: resolve(cwd, transport.cwd ?? "."),
        stderr: "pipe",
        maxBufferSize: limits.message
      })
      let words = ""
      server.stderr?.on("data", (chunk: Buffer) => {
        words = (words + chunk.toString()).slice(-limits.words)
      })
      let garbage = 0
      let pid: number | undefined
      const start = server.start.bind(server)
      return Object.assign(server, {
        words: () => words,
        leader: () => pid,
        start: async () => {
          await start()
          pid = server.pid ?? undefined
          const told = server.onerror
          server.onerror = (error) => {
            told?.(error)
            if (++garbage === limits.garbage || isTooLong(error)) broken()
          }
        }
      })
    }),
    (server) => Effect.gen(function*() {
      yield* Effect.ignore(Effect.timeout(Effect.tryPromise(() => server.close()), grace))
      const leader = server.leader()
      if (leader !== undefined) yield* ProcessTree.stop({ leader, marker }, grace)
    })
  )
