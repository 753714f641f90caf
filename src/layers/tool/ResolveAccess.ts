/** Where the paths of an access really lead, and what a command really runs and changes: names hide neither from rules and risk. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import type { Access } from "../../domain/tool/Access.ts"
import type { Shell } from "../../services/Shell.ts"
import type { Workspace } from "../../services/Workspace.ts"
import * as RepositoryFolder from "../workspace/git/RepositoryFolder.ts"

/** Only differences are added; a path that can't be followed stays as it is, and fails when it is used. */
export const resolveAccess =
  ({ resolve: resolvePath, roots }: Workspace["Service"], shell?: Shell["Service"]) => (access: Access): Effect.Effect<Access> =>
    access._tag === "Command" ?
      shell === undefined ? Effect.succeed(access)
        : Effect.map(shell.inspect(access.command, resolve(roots[0]!, access.cwd ?? ".")), (facts) => ({ ...access, ...facts }))
      : access._tag !== "Read" && access._tag !== "Edit" ? Effect.succeed(access)
      : resolvePath(access.path).pipe(
        Effect.map((real) => access._tag === "Edit" ? RepositoryFolder.asGitPath(roots, real) : real),
        Effect.map((resolvedPath) => resolvedPath === resolve(roots[0]!, access.path) ? access : { ...access, resolvedPath }),
        Effect.orElseSucceed(() => access)
      )
