/**
 * Trust, stored in the user's `trust.jsonc` beside the settings: for each real folder the user's decision, and the
 * digests of the active files that it was about.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { join } from "node:path"
import * as PathSpec from "../../domain/approval/PathSpec.ts"
import * as Root from "../../domain/workspace/Root.ts"
import { Environment } from "../../services/Environment.ts"
import { JsonFiles } from "../../services/JsonFiles.ts"
import { Trust, type TrustItem } from "../../services/Trust.ts"
import * as ActiveFiles from "./ActiveFiles.ts"
import * as JsonText from "./JsonText.ts"
import { isObject } from "../../domain/Json.ts"

/** `files` are active with these digests; `left` are not, and the user was asked about them. */
interface TrustRecord {
  readonly trusted: boolean
  readonly files: Digests
  readonly left: Digests
}

type Digests = Readonly<Record<string, string>>
type TrustRecords = ReadonlyMap<string, TrustRecord>

/** A folder's real location: a link to a trusted folder is that folder, and another folder with its name is not. */
const realFolder = (folder: string): string => {
  try {
    return fs.realpathSync.native(folder)
  } catch {
    return folder
  }
}

const entries = (value: Schema.Json | undefined): ReadonlyArray<readonly [string, Schema.Json]> =>
  isObject(value) ? Object.entries(value) : []

const digests = (value: Schema.Json | undefined): Digests =>
  Object.fromEntries(entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"))

const decodeRecord = (value: Schema.Json | undefined): TrustRecord | undefined =>
  isObject(value) ? { trusted: value["trusted"] === true, files: digests(value["files"]), left: digests(value["left"]) } : undefined

const read = (value: Schema.Json | undefined): TrustRecords =>
  new Map(entries(value).flatMap(([folder, one]) => isObject(one) ? [[folder, decodeRecord(one)!] as const] : []))

const isTrusted = (records: TrustRecords, folder: string): boolean =>
  PathSpec.isInsideAny([...records].filter(([, { trusted }]) => trusted).map(([folder]) => folder), realFolder(folder))

/** Whether a file was confirmed with this digest. What was confirmed for a folder counts in its worktrees too. */
const confirmation = (records: TrustRecords, folder: string): (path: string, digest: string) => boolean => {
  const realPath = realFolder(folder)
  const candidates = [records.get(realPath), records.get(Root.origin(realPath))]
  return (path, digest) => candidates.some((record) => record?.trusted === true && record.files[path] === digest)
}

const trustItems = (records: TrustRecords, folder: string): ReadonlyArray<TrustItem> => {
  const isConfirmed = confirmation(records, folder)
  return ActiveFiles.find(folder).map((item) => ({
    ...item,
    changed: Object.entries(item.files).filter(([path, digest]) => !isConfirmed(path, digest)).map(([path]) => path)
  }))
}

export const layer: Layer.Layer<Trust, never, Environment | JsonFiles> = Layer.effect(
  Trust,
  Effect.gen(function*() {
    const { folders } = yield* Environment
    const file = yield* (yield* JsonFiles).at(
      join(folders.config, "trust.jsonc"),
      "Trusted folders: their settings, hooks, servers, commands and agents are active with the content that you confirmed"
    )
    const loadRecords = Effect.map(file.value, (value) => read(JsonText.at(value, ["folders"])))
    const put = (folder: string, next: (record: TrustRecord | undefined) => TrustRecord) =>
      file.changeNow(["folders", realFolder(folder)], (stored) => [undefined, { ...next(decodeRecord(stored)) }])
    return Trust.of({
      isTrusted: Effect.fn("Trust.holds")(function*(folder) {
        return isTrusted(yield* loadRecords, folder)
      }),
      activePredicate: Effect.fn("Trust.acts")(function*(folder) {
        const records = yield* loadRecords
        const isConfirmed = confirmation(records, folder)
        return (path, content) => {
          const digest = ActiveFiles.digest(path, content)
          return digest === undefined ? isTrusted(records, folder) : isConfirmed(path, digest)
        }
      }),
      items: Effect.fn("Trust.waiting")(function*(folder) {
        return trustItems(yield* Effect.orElseSucceed(loadRecords, (): TrustRecords => new Map()), folder)
      }),
      pendingItems: Effect.fn("Trust.unanswered")(function*(folder) {
        const records = yield* loadRecords
        const record = records.get(realFolder(folder))
        if (record?.trusted === false && !isTrusted(records, folder)) return []
        return trustItems(records, folder).filter(({ changed, files }) => changed.some((path) => record?.left[path] !== files[path]))
      }),
      change: Effect.fn("Trust.change")(function*(folder, answer, items) {
        const all: Digests = Object.assign({}, ...items.map(({ files }) => files))
        yield* put(folder, (record) =>
          answer === "unchanged"
            ? { trusted: record?.trusted ?? false, files: record?.files ?? {}, left: all }
            : { trusted: answer === "trusted", files: answer === "trusted" ? all : {}, left: {} })
      }),
      preserveTrust: (folder, path, change) =>
        Effect.gen(function*() {
          const findItem = Effect.map(loadRecords, (records) => trustItems(records, folder).find((one) => one.path === path))
          const item = yield* findItem
          const isActive = item === undefined ? isTrusted(yield* loadRecords, folder) : item.changed.length === 0
          const result = yield* change
          const after = yield* findItem
          if (isActive && after !== undefined)
            yield* put(folder, (record) => ({ trusted: true, files: { ...record?.files, ...after.files }, left: record?.left ?? {} }))
          return result
        })
    })
  })
)
