/** Where the paths of an access really lead, so that rules and risk see what a link would hide. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import type { Access } from "../../domain/tool/Access.ts"
import type { Workspace } from "../../services/Workspace.ts"

/** Only what leads elsewhere is said; a path that can't be followed stays as it is, and fails when it is used. */
export const located = ({ resolve: follow, roots }: Workspace["Service"]) => (access: Access): Effect.Effect<Access> =>
  access._tag !== "Read" && access._tag !== "Edit" ? Effect.succeed(access) : follow(access.path).pipe(
    Effect.map((resolvedPath) => resolvedPath === resolve(roots[0]!, access.path) ? access : { ...access, resolvedPath }),
    Effect.orElseSucceed(() => access)
  )
