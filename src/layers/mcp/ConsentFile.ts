/**
 * The user's approvals, in a file of their own: for each folder and server a hash of its start configuration, and one
 * of each tool that it had then.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { realpathSync } from "node:fs"
import { join } from "node:path"
import * as Root from "../../domain/workspace/Root.ts"
import { Environment } from "../../services/Environment.ts"
import { JsonFiles } from "../../services/JsonFiles.ts"

/** By a tool's name; the server's instructions count as one more. */
export type Hashes = Readonly<Record<string, string>>

const Entry = Schema.Struct({
  start: Schema.optionalKey(Schema.String),
  tools: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
/** `start` is the hash of the start configuration; `tools` are absent until the server first listed them. */
export type Entry = typeof Entry.Type

const decode = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Record(Schema.String, Entry)))

/** The folder of an entry: for a worktree, the one that it was made from. */
const realFolder = (folder: string): string => {
  try {
    return Root.origin(realpathSync(folder))
  } catch {
    return Root.origin(folder)
  }
}

const consentFile = Effect.gen(function*() {
  const { folders } = yield* Environment
  return yield* (yield* JsonFiles).at(
    join(folders.config, "mcp-consent.jsonc"),
    "Approved MCP servers of projects, and the tools that each had"
  )
})

/** An unreadable file allows nothing. */
export const read = Effect.fnUntraced(function*(folder: string, server: string) {
  const value = yield* Effect.orElseSucceed((yield* consentFile).value, () => undefined)
  const all = decode(value ?? {})
  const ofFolder = all._tag === "Some" && Object.hasOwn(all.value, realFolder(folder)) ? all.value[realFolder(folder)]! : {}
  return Object.hasOwn(ofFolder, server) ? ofFolder[server]! : {} satisfies Entry as Entry
})

/** Written before it returns. */
export const write = Effect.fnUntraced(function*(folder: string, server: string, entry: Entry) {
  yield* (yield* consentFile).changeNow([realFolder(folder), server], () => [undefined, entry])
})
