/**
 * A real pipe for a command's output. Node's own "pipe" is a socket, on which `echo >/dev/stderr` fails, and one
 * for each stream, so that their order is lost; a FIFO given as both has neither fault.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

/** `write` is for the child alone and must be closed here once it has it; `read` ends when its last writer is gone. */
export interface OutputPipe {
  readonly write: number
  readonly read: Socket
}

/** The name of the FIFO lives only until both its ends are open. */
export const open: Effect.Effect<OutputPipe, NodeJS.ErrnoException, Scope.Scope> = Effect.acquireRelease(
  Effect.tryPromise({
    try: async () => {
      const folder = await fs.promises.mkdtemp(join(tmpdir(), "efferent-"))
      try {
        const path = join(folder, "output")
        await promisify(execFile)("mkfifo", ["-m", "600", path])
        const reader = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
        const write = fs.openSync(path, fs.constants.O_WRONLY)
        return { write, read: new Socket({ fd: reader, readable: true, writable: false }) }
      } finally {
        await fs.promises.rm(folder, { recursive: true, force: true })
      }
    },
    catch: (cause) => cause as NodeJS.ErrnoException
  }),
  ({ read }) => Effect.sync(() => read.destroy())
)
