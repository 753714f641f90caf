/** The files that git tracks, for judging what git shows of them. */
import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as Git from "./Git.ts"

/**
 * Absolute paths of the files below this folder, or in the whole repository around it; none outside a repository.
 * `path` is a search path of `Programs`.
 */
export const files = Effect.fnUntraced(
  function*(path: string, folder: string, scope: "folder" | "repository"): Effect.fn.Return<ReadonlyArray<string>, CheckpointError> {
    const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    // The index may have files below a name that is a file, or nothing, on disk.
    const cwd = isFolder ? folder : dirname(folder)
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) return []
    const run = yield* Git.inFolder(path, cwd)
    const toplevel = yield* run({ args: ["rev-parse", "--show-toplevel"], cwd })
    if (toplevel.code !== 0) return []
    const top = toplevel.out.replace(/\n$/, "")
    const limits = scope === "repository" ? ["--", ":/"] : isFolder ? [] : ["--", `:(literal)${basename(folder)}`]
    const { out } = yield* run({ args: ["ls-files", "-z", "--full-name", ...limits], cwd })
    return [...new Set(out.split("\0"))].filter((name) => name !== "").map((name) => join(top, name))
  }
)
