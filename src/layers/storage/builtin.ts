/** The storage back-ends. */
import { Memory } from "./Memory.ts"
import { Sqlite } from "./Sqlite.ts"
import type { Backend } from "./Backend.ts"

export const builtin: ReadonlyArray<Backend> = [Memory, Sqlite]
