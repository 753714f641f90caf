/** The files that git tracks, for judging what git shows of them. */
import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import type { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as Git from "./Git.ts"

/**
 * Absolute paths of the files below this folder, or in the whole repository around it; none outside a repository.
 * `path` is a search path of `Programs`.
 */
export const files = Effect.fnUntraced(
  function*(path: string, folder: string, scope: "folder" | "repository"): Effect.fn.Return<ReadonlyArray<string>, CheckpointError> {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
    const run = yield* Git.inFolder(path, folder)
    const toplevel = yield* run({ args: ["rev-parse", "--show-toplevel"], cwd: folder })
    if (toplevel.code !== 0) return []
    const top = toplevel.out.replace(/\n$/, "")
    const { out } = yield* run({ args: ["ls-files", "-z", "--full-name", ...(scope === "repository" ? ["--", ":/"] : [])], cwd: folder })
    return [...new Set(out.split("\0"))].filter((name) => name !== "").map((name) => join(top, name))
  }
)
