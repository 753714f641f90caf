/**
 * Git packs of checkpoints and of the user's own commits, to be stored as blobs: each contains what the earlier ones of its session
 * lack. Format: gitformat-pack(5).
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { optional } from "../../../domain/Optional.ts"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import type { StoredRepository } from "../../../domain/workspace/StoredFiles.ts"
import type { GitOutput } from "../git/GitProcess.ts"
import type * as UserRepository from "./UserRepository.ts"

/** Runs git in one repository, with text or bytes as its input. */
export type RunGit = (args: ReadonlyArray<string>, stdin?: string | Uint8Array) => Effect.Effect<GitOutput, CheckpointError>

/** A thin pack: deltas may refer to objects of the earlier ones. One thread: the packs are small, and the same each time. */
const packArgs = ["pack-objects", "--revs", "--thin", "--stdout", "--quiet", "--delta-base-offset", "--threads=1"]

const lines = (all: ReadonlyArray<string>): string => all.map((line) => `${line}\n`).join("")

/** What `commit` adds to the commit `since`; all of it if that one is not here, as for a fork on another machine. */
export const create = Effect.fnUntraced(function*(run: RunGit, commit: string, since: string | undefined) {
  if (since !== undefined) {
    const { bytes, code } = yield* run(packArgs, lines([commit, `^${since}`]))
    if (code === 0) return bytes
  }
  const { bytes, code, error } = yield* run(packArgs, lines([commit]))
  return code === 0 ? bytes : yield* new CheckpointError({ reason: "Failed", message: `git pack-objects: ${error || `code ${code}`}` })
})

/** How many commits of the user's repository are carried at first: enough to see how its messages are written. */
const historyLength = 50

/** Larger packs are not carried, in bytes. */
const maxRepositoryBytes = 64 * 1024 * 1024

/**
 * The user's commits that the log does not carry yet; undefined if there are none, or if they can't be carried: too large, or not
 * readable. `since` is the newest state that it carries. Where its history ends is decided once, so that each pack builds on the
 * same commits.
 */
export const ofRepository = Effect.fnUntraced(
  function*(run: RunGit, root: string, { branch, head }: UserRepository.Position, since: StoredRepository | undefined) {
    const isTop = yield* Effect.sync(() => fs.existsSync(join(root, ".git")))
    if (!isTop || head === null || (since?.head === head && since.branch === branch)) return undefined
    const shallow = since?.shallow ?? (yield* historyEnds(run, root, head))
    if (since?.head === head) return { repository: { branch, head, shallow }, bytes: undefined }
    const carried = since === undefined ? [] : [`^${since.head}`]
    const { bytes, code } = yield* run(packArgs, lines([...shallow.map((commit) => `--shallow ${commit}`), head, ...carried]))
    return code !== 0 || bytes.length > maxRepositoryBytes ? undefined : { repository: { branch, head, shallow }, bytes }
  }
)

/** The commits whose parents are too far away from `head`, or not in the user's repository either. */
const historyEnds = Effect.fnUntraced(function*(run: RunGit, root: string, head: string) {
  const { out } = yield* run(["rev-list", "--parents", `--max-count=${historyLength}`, head])
  const commits = out.split("\n").filter((line) => line !== "").map((line) => line.split(" "))
  const ids = new Set(commits.map(([id]) => id))
  const ends = commits.flatMap(([id = "", ...parents]) => parents.every((parent) => ids.has(parent)) ? [] : [id])
  const shallowFile = join(root, ".git/shallow")
  const shallow = yield* Effect.sync(() =>
    fs.existsSync(shallowFile) ? fs.readFileSync(shallowFile, "utf8").split("\n").filter((id) => id !== "") : []
  )
  return [...new Set([...ends, ...shallow])]
})

/** Stores both packs, and returns the fields that name them. */
export const store = Effect.fnUntraced(function*(
  put: (bytes: Uint8Array) => Effect.Effect<string>,
  checkpoint: Uint8Array,
  user: { readonly repository: StoredRepository; readonly bytes: Uint8Array | undefined } | undefined
) {
  const repositoryPack = user?.bytes === undefined ? undefined : yield* put(user.bytes)
  return {
    pack: yield* put(checkpoint),
    ...optional({ repository: user === undefined ? undefined : { ...user.repository, ...optional({ pack: repositoryPack }) } })
  }
})

const headerBytes = 12
const trailerBytes = 20

/**
 * Several packs as one, in their order: deltas name their base by its distance or its id, and both stay true. Fails for anything that is
 * not a pack with a true checksum.
 */
export const concat = Effect.fnUntraced(function*(packs: ReadonlyArray<Uint8Array>) {
  const header = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1")
  let count = 0
  for (const pack of packs) {
    const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength)
    const isPack = bytes.length >= headerBytes + trailerBytes && bytes.subarray(0, 8).equals(header.subarray(0, 8)) &&
      createHash("sha1").update(bytes.subarray(0, -trailerBytes)).digest().equals(bytes.subarray(-trailerBytes))
    if (!isPack) return yield* new CheckpointError({ reason: "Failed", message: "A stored pack of files is not a git pack." })
    count += bytes.readUInt32BE(8)
  }
  header.writeUInt32BE(count, 8)
  const body = Buffer.concat([header, ...packs.map((pack) => pack.subarray(headerBytes, -trailerBytes))])
  return { count, bytes: Buffer.concat([body, createHash("sha1").update(body).digest()]) }
})

/** Adds packs to a repository; git checks every object that they contain. */
export const load = Effect.fnUntraced(function*(run: RunGit, packs: ReadonlyArray<Uint8Array>) {
  const { bytes, count } = yield* concat(packs)
  if (count === 0) return
  const { code, error } = yield* run(["index-pack", "--stdin", "--fix-thin"], bytes)
  if (code !== 0) {
    return yield* new CheckpointError({ reason: "Failed", message: `A stored pack of files can't be read: ${error || `code ${code}`}` })
  }
})
