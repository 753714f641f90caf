/** The user's files, within the roots that the user opened. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { FileError } from "../domain/workspace/FileError.ts"
import type { LookupResult, Lookup } from "../domain/workspace/Lookup.ts"

/** `path` is relative to the first root if it is inside it, with `/` between names. */
export interface FileInfo {
  readonly path: string
  readonly kind: "file" | "directory" | "link" | "other"
  /** Bytes. */
  readonly size: number
  /** When its content last changed, in ms since the epoch; 0 if unknown. */
  readonly modified: number
  /** Changes whenever the content may have changed. */
  readonly version: string
}

/** A file as listed: more would require checking each one. */
export type FileEntry = Pick<FileInfo, "kind" | "path">

/** Whether a file or folder may be shown, by its absolute path without links, with the roots as they were given. */
export type PathFilter = (path: string) => boolean

/** Text as it is (with its byte order mark), its encoding, and the SHA-256 of its bytes. */
export interface TextFile {
  readonly text: string
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | "latin1"
  readonly hash: string
}

/** Which of the many paths of a pattern or a tree need a judgement of their own, and which folders of a tree are searched. */
export interface LookupFilter {
  readonly path: (path: string) => boolean
  readonly folder: (path: string) => boolean
  /** A rule applies to it. */
  readonly hasRule: (path: string) => boolean
}

export class Workspace extends Context.Service<Workspace, {
  /** Absolute; relative paths are relative to the first. */
  readonly roots: ReadonlyArray<string>
  /**
   * Where a path really leads, absolute, all links followed; inside a root as that root was given. For missing paths,
   * from the deepest existing parent.
   */
  readonly resolve: (path: string) => Effect.Effect<string, FileError>
  /**
   * Where a command's path, pattern or tree leads, absolute, outside the roots as well: for one path its target if
   * different, for many what needs a judgement. Null if unknown.
   */
  readonly follow: (lookup: Lookup, filter: LookupFilter) => Effect.Effect<LookupResult>
  readonly stat: (path: string) => Effect.Effect<FileInfo, FileError>
  /** Fails for anything that is not text (`Binary`) or too large. */
  readonly readText: (path: string) => Effect.Effect<TextFile, FileError>
  readonly readBytes: (path: string) => Effect.Effect<Uint8Array, FileError>
  /** SHA-256 of a file's bytes, which reveals nothing of its content; cached while its version is the same. */
  readonly hash: (path: string) => Effect.Effect<string, FileError>
  /**
   * Old or new, never half: a temporary file beside it, fsync, rename. Creates missing folders, preserves the mode and,
   * if given, the encoding. Returns the SHA-256 of what was written.
   */
  readonly writeText: (path: string, text: string, encoding?: TextFile["encoding"]) => Effect.Effect<string, FileError>
  readonly remove: (path: string) => Effect.Effect<void, FileError>
  /** Renames a file or a link: its bytes, mode and times stay. Creates missing folders; fails if the target exists. */
  readonly move: (path: string, to: string) => Effect.Effect<void, FileError>
  /** Removes an empty folder; fails for any other. */
  readonly removeFolder: (path: string) => Effect.Effect<void, FileError>
  /** Breadth first, honouring ignore files, with `all` only those that close files; `isTruncated` says that there is more than `limit`. */
  readonly list: (
    path: string,
    options: { readonly depth: number; readonly limit: number; readonly all?: boolean; readonly isVisible?: PathFilter }
  ) => Effect.Effect<{ readonly entries: ReadonlyArray<FileEntry>; readonly isTruncated: boolean }, FileError>
  /** Paths of files and, with a slash, folders below the first root, as a user may name them: without ignored ones, at most `limit`. */
  readonly names: (limit: number) => Effect.Effect<ReadonlyArray<string>>
  /** Lines that match a regular expression, in files that match `files` (a glob); those that `isVisible` excludes are not read. */
  readonly search: (
    path: string,
    regex: string,
    options: { readonly files?: string; readonly context: number; readonly limit: number; readonly isVisible?: PathFilter }
  ) => Effect.Effect<SearchResult, FileError>
}>()("dacapo/Workspace") {}

/** The matches of a search, and whether there would be more. */
export interface SearchResult {
  readonly hits: ReadonlyArray<{ readonly path: string; readonly line: number; readonly text: string; readonly match: boolean }>
  readonly isTruncated: boolean
}

/** Whether an error for a missing path suggests similar names, which lists folders: not for files that are usually missing. */
export const SuggestNames = Context.Reference<boolean>("dacapo/SuggestNames", { defaultValue: () => true })
