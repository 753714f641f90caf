/** The user's files, within the roots that the user gave. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { FileError } from "../domain/workspace/FileError.ts"

/** `path` is relative to the first root where it lies inside, with `/` between names. */
export interface FileInfo {
  readonly path: string
  readonly kind: "file" | "directory" | "link" | "other"
  /** Bytes. */
  readonly size: number
}

/** What a list says of a file: its size would take a look at each. */
export type Listed = Omit<FileInfo, "size">

/** Text as it stands (with its byte order mark), how it was decoded, and the SHA-256 of its bytes. */
export interface TextFile {
  readonly text: string
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | "latin1"
  readonly hash: string
}

export class Workspace extends Context.Service<Workspace, {
  /** Absolute; the first is where paths are relative to. */
  readonly roots: ReadonlyArray<string>
  /** Where a path really leads, absolute, all links followed; inside a root as that root was given. For what does not exist, from its deepest existing parent. */
  readonly resolve: (path: string) => Effect.Effect<string, FileError>
  readonly stat: (path: string) => Effect.Effect<FileInfo, FileError>
  /** Fails for what is not text (`Binary`) or too large. */
  readonly readText: (path: string) => Effect.Effect<TextFile, FileError>
  readonly readBytes: (path: string) => Effect.Effect<Uint8Array, FileError>
  /**
   * Old or new, never half: a temporary file beside it, fsync, rename. Makes missing folders, keeps mode and, where
   * given, encoding. Returns the SHA-256 of what was written.
   */
  readonly writeText: (path: string, text: string, encoding?: TextFile["encoding"]) => Effect.Effect<string, FileError>
  readonly remove: (path: string) => Effect.Effect<void, FileError>
  /** Gives a file or a link another name: its bytes, mode and times stay. Makes missing folders; fails where something is. */
  readonly move: (path: string, to: string) => Effect.Effect<void, FileError>
  /** Removes a folder with nothing in it; fails for any other. */
  readonly removeFolder: (path: string) => Effect.Effect<void, FileError>
  /** Breadth first, ignore files honoured; `cut` says that there is more than `limit`. */
  readonly list: (
    path: string,
    options: { readonly depth: number; readonly limit: number }
  ) => Effect.Effect<{ readonly entries: ReadonlyArray<Listed>; readonly cut: boolean }, FileError>
  /** Paths of files and, with a slash, folders below the first root, as a user may name them: ignored ones left out, at most `most`. */
  readonly names: (most: number) => Effect.Effect<ReadonlyArray<string>>
  /** Lines that match a regular expression, in files that `files` (a glob) names. */
  readonly search: (
    path: string,
    regex: string,
    options: { readonly files?: string; readonly context: number; readonly limit: number }
  ) => Effect.Effect<SearchResult, FileError>
}>()("dacapo/Workspace") {}

export interface SearchResult {
  readonly hits: ReadonlyArray<{ readonly path: string; readonly line: number; readonly text: string; readonly match: boolean }>
  readonly cut: boolean
}
