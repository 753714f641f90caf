/** A Unix socket to listen on, in a folder that only this user can enter: the folder authenticates the client. */
import * as Effect from "effect/Effect"
import { chmodSync, lstatSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { userInfo } from "node:os"
import { join } from "node:path"
import { McpError } from "../../domain/mcp/McpError.ts"
import * as PrivateFolder from "../storage/PrivateFolder.ts"

/** Bytes of a socket path that every system supports. */
const maxPathBytes = 103

/** The path of a socket of this name; one left by a dead process is removed, and one that is in use is an error. */
export const at = Effect.fn("Mcp.socketFile")(function*(folder: string, name: string) {
  const fail = (message: string) =>
    new McpError({ server: "dacapo", reason: "NotStarted", message: `can't be served on a socket: ${message}` })
  const path = join(folder, name)
  if (Buffer.byteLength(path) > maxPathBytes) return yield* fail(`the path ${path} is too long; set DACAPO_HOME to a shorter folder`)
  yield* Effect.try({ try: () => makePrivate(folder), catch: (error) => fail((error as Error).message) })
  if (yield* isServed(path)) return yield* fail(`${path} is already in use`)
  rmSync(path, { force: true })
  return path
})

const makePrivate = (folder: string): void => {
  PrivateFolder.make(folder)
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== userInfo().uid) throw new Error(`${folder} does not belong to you, or is not a folder`)
  chmodSync(folder, 0o700)
}

const isServed = (path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect(path)
    const finish = (isConnected: boolean) => () => {
      socket.destroy()
      resume(Effect.succeed(isConnected))
    }
    socket.once("connect", finish(true)).once("error", finish(false))
  })
