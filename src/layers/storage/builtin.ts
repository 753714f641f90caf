/** The storage back-ends. */
import { Memory } from "./MemoryStorage.ts"
import { Sqlite } from "./sqlite/Sqlite.ts"
import type { Backend } from "./Backend.ts"

export const builtin: ReadonlyArray<Backend> = [Memory, Sqlite]
