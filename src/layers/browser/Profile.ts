/**
 * A folder for one run of a browser: its profile, its home, its driver's temporary files. Removed with the scope, or at
 * the next start after a crash.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ProcessTree from "../workspace/shell/ProcessTree.ts"

/** The prefix before the name of the creating process. */
const prefix = "dacapo-browser-"

/** Absolute, empty, and closed to other users. */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    await sweep()
    return fs.mkdtemp(join(tmpdir(), `${prefix}${ProcessTree.owner()}.`))
  }),
  // What can't be removed is removed at a later start.
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {}))
)

const sweep = async (): Promise<void> => {
  const stale = (await fs.readdir(tmpdir())).filter((name) => name.startsWith(prefix) && ProcessTree.isDead(name.slice(prefix.length)))
  await Promise.all(stale.map((name) => fs.rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})))
}
