/** Loads node:sqlite on first use, and suppresses the warning that some Node versions print. */
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
