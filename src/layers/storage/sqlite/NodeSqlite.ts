/** Loads node:sqlite when it is first used, without the warning that some versions of Node print for it. */
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite"

export const open = (file: string, options: DatabaseSyncOptions): DatabaseSync => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
    return new DatabaseSync(file, options)
  } finally {
    process.emitWarning = emitWarning
  }
}
