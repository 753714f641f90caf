/** `--attach`: a terminal that shows and steers a session of a running server. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { Values } from "../args/Flags.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import * as RemoteAgent from "./RemoteAgent.ts"
import * as ServerConnection from "./ServerConnection.ts"
import { serverError } from "./Wire.ts"

/** Flags of a session: those of a server's sessions are the server's. */
const serverFlags = [
  "addDir",
  "agent",
  "allowedTools",
  "disallowedTools",
  "ephemeral",
  "forkSession",
  "sandbox",
  "sessionId",
  "worktree"
] as const

/** Connects to the server until the scope closes, and starts a session there, or finds the one to resume. */
export const open = Effect.fnUntraced(function*(values: Values, target: string) {
  const { cwd: hostFolder } = yield* Host
  const flag = serverFlags.find((key) => values[key] !== undefined)
  if (flag !== undefined)
    return yield* new UsageError({ message: "With --attach the flags of sessions are those of the server: pass them to `dacapo serve`." })
  const server = yield* ServerConnection.open(target, values.tokenFile)
  const cwd = yield* WorkingFolder.open(hostFolder, values.cd)
  const { model, permissionMode: mode } = values
  const session = values.resume === undefined && values.continue !== true
    ? (yield* server.operate({ _tag: "Start", cwd, ...(model === undefined ? {} : { model }), ...(mode === undefined ? {} : { mode }) }))
      .session
    : yield* find(server, values.resume ?? "latest", cwd)
  const { cwd: folder } = yield* Effect.map(server.sessions(undefined), (all) => all.find(({ id }) => id === session) ?? { cwd })
  return {
    name: server.name,
    // The server's folder, if it is on this machine: for the completion of paths.
    location: { cwd: existsSync(folder) ? folder : cwd, roots: [], session },
    layers: { agent: RemoteAgent.layer(server), eventLog: RemoteAgent.eventLog(server) }
  }
})

const find = Effect.fnUntraced(function*(server: ServerConnection.ServerConnection, name: string, cwd: string) {
  const isLatest = name === "latest" || name === ""
  const all = yield* server.sessions(isLatest ? cwd : undefined)
  const matches = isLatest ? all.slice(0, 1) : all.filter(({ id, title }) => id.startsWith(name.toLowerCase()) || title === name)
  return matches.length === 1
    ? matches[0]!.id
    : yield* serverError(
      `${matches.length === 0 ? "No session" : "More than one session"} of the server is called ${name}.`
    )
})
