/** Where the paths of an access really lead, and what a command really runs and changes: names hide neither from rules and risk. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import type { Access } from "../../domain/tool/Access.ts"
import type { Shell } from "../../services/Shell.ts"
import { SuggestNames, type Workspace } from "../../services/Workspace.ts"
import * as RepositoryFolder from "../workspace/git/RepositoryFolder.ts"

/**
 * Only differences are added; a path that can't be followed stays as it is, and fails when it is used. A file that a call would create
 * is changed by it if it exists.
 */
export const resolveAccess =
  ({ resolve: resolvePath, roots, stat }: Workspace["Service"], shell?: Shell["Service"]) => (access: Access): Effect.Effect<Access> => {
    if (access._tag === "Command") {
      return shell === undefined ? Effect.succeed(access)
        : Effect.map(shell.inspect(access.command, resolve(roots[0]!, access.cwd ?? ".")), (facts) => ({ ...access, ...facts }))
    }
    if (access._tag !== "Read" && access._tag !== "Edit") return Effect.succeed(access)
    const located = resolvePath(access.path).pipe(
      Effect.map((real) => access._tag === "Edit" ? RepositoryFolder.asGitPath(roots, real) : real),
      Effect.map((resolvedPath) => resolvedPath === resolve(roots[0]!, access.path) ? access : { ...access, resolvedPath }),
      Effect.orElseSucceed(() => access)
    )
    return access._tag !== "Edit" || access.kind !== "create" ? located : Effect.flatMap(located, (edit) =>
      stat(access.path).pipe(
        Effect.map(({ kind }) => kind === "file" ? { ...edit, kind: "modify" as const } : edit),
        Effect.provideService(SuggestNames, false),
        Effect.orElseSucceed(() => edit)
      ))
  }
