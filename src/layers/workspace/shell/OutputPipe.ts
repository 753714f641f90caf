/**
 * A real pipe for a command's output. Node's own "pipe" is a socket, on which `echo >/dev/stderr` fails, and there is
 * one for each stream, so that their order is lost; a FIFO used for both has neither problem.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"

/** `write` is only for the child process: `closeWriter` closes it here. `read` ends when its last writer is gone. */
export interface OutputPipe {
  readonly write: number
  readonly read: Socket
  readonly closeWriter: () => void
}

/**
 * Undefined if no FIFO can be created (a full or read-only folder for temporary files): a command then runs with Node's
 * sockets. The name of the FIFO exists only until both its ends are open.
 */
export const open = (
  options: { readonly temporary: string; readonly path: string }
): Effect.Effect<OutputPipe | undefined, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => make(options).catch(() => undefined)),
    (pipe) =>
      Effect.sync(() => {
        pipe?.closeWriter()
        pipe?.read.destroy()
      })
  )

const make = async ({ path, temporary }: { readonly temporary: string; readonly path: string }): Promise<OutputPipe> => {
  const folder = await fs.promises.mkdtemp(join(temporary, "dacapo-"))
  try {
    const name = join(folder, "output")
    await promisify(execFile)("mkfifo", ["-m", "600", name], { env: { PATH: path } })
    // Without O_NONBLOCK each end would wait for the other.
    const reader = fs.openSync(name, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
    const write = fs.openSync(name, fs.constants.O_WRONLY)
    let isOpen = true
    const closeWriter = () => {
      if (isOpen) fs.closeSync(write)
      isOpen = false
    }
    return { write, closeWriter, read: new Socket({ fd: reader, readable: true, writable: false }) }
  } finally {
    await fs.promises.rm(folder, { recursive: true, force: true })
  }
}
