/** Files of a repository that we did not choose: read only when they are files, and small. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** What a path names; what is neither a file nor a folder (a pipe, a device) is never opened and counts as missing. */
export type SmallFile =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Folder" }
  | { readonly _tag: "TooLarge"; readonly bytes: number }
  | { readonly _tag: "Missing" }

/** Links are followed; what can't be read is missing. `largest` in bytes. */
export const read = (files: FileSystem.FileSystem, path: string, largest = 1024 * 1024): Effect.Effect<SmallFile> =>
  Effect.gen(function*() {
    const { size, type } = yield* files.stat(path)
    if (type === "Directory") return { _tag: "Folder" } as const
    if (type !== "File") return { _tag: "Missing" } as const
    if (Number(size) > largest) return { _tag: "TooLarge", bytes: Number(size) } as const
    return { _tag: "Text", text: yield* files.readFileString(path) } as const
  }).pipe(Effect.orElseSucceed(() => ({ _tag: "Missing" }) as const))
