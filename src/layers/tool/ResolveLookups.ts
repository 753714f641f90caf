/** Looks up the paths in a command on disk, so that rules and risk see what a link, a pattern or a tree would hide. */
import * as Effect from "effect/Effect"
import * as ProtectedPaths from "../../domain/approval/ProtectedPaths.ts"
import * as PathSpec from "../../domain/approval/PathSpec.ts"
import * as Places from "../../domain/approval/Places.ts"
import * as RuleIndex from "../../domain/approval/RuleIndex.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Access } from "../../domain/tool/Access.ts"
import { analyse } from "../../domain/tool/CommandLine.ts"
import * as Lookup from "../../domain/workspace/Lookup.ts"
import type { Workspace, LookupFilter } from "../../services/Workspace.ts"
import * as SessionRules from "../approval/SessionRules.ts"

/** The maximum number of lookups for one command; further ones stay unknown. */
const maxLookups = 256

/** Other accesses stay as they are, and so does a command whose paths lead where they say. */
export const resolveLookups = ({ follow }: Pick<Workspace["Service"], "follow">) =>
  Effect.fnUntraced(function*(access: Access, session: Session): Effect.fn.Return<Access> {
    if (access._tag !== "Command") return access
    const cwd = PathSpec.resolve(session.cwd, access.cwd ?? "")
    const lookups = Places.lookups(analyse(access.command), { cwd, home: session.home })
    const filters = { read: filterFor("read", session), write: filterFor("write", session) }
    const { ask, deny } = SessionRules.of(session)
    const hasRules = [deny, ask].some(({ paths }) => paths.length > 0)
    const resolveLookup = (lookup: Lookup.Lookup, access: "read" | "write") =>
      lookup.tree?.tracked !== undefined && lookup.tree.links === undefined && !hasRules ? Effect.succeed([])
        : follow(lookup, filters[access])
    const results = yield* Effect.forEach(
      lookups,
      ({ access, lookup }, i) =>
        Effect.map(
          i < maxLookups ? resolveLookup(lookup, access === "write" ? "write" : "read") : Effect.succeed(null),
          (result) => [lookup, result] as const
        )
    )
    const relevant = results.filter(([{ pattern, tree }, result]) => pattern || tree !== undefined || result === null || result.length > 0)
    return relevant.length === 0 ? access
      : { ...access, leads: Object.fromEntries(relevant.map(([lookup, result]) => [Lookup.key(lookup), result])) }
  })

/** What rules or defaults apply to, and what lies outside. */
const filterFor = (access: "read" | "write", session: Session): LookupFilter => {
  const roots = SessionRules.rootsOf(session)
  const { ask, deny } = SessionRules.of(session)
  const [protection, tools] = access === "write" ? [ProtectedPaths.writeProtection, ["Edit"]] : [ProtectedPaths.readProtection, ["Read"]]
  const isForbidden = (path: string) => [deny, ask].some((list) => RuleIndex.forPath(list, tools, path, {}) !== undefined)
  const canForbid = (folder: string) =>
    [deny, ask].some((list) => RuleIndex.findPossible(list, tools, folder, () => true, {}) !== undefined)
  return {
    path: (path) => !PathSpec.isInsideAny(roots, path) || protection(path) !== undefined || isForbidden(path),
    hasRule: isForbidden,
    // The contents of packages and of git's folder are public, or not the user's: only a rule makes them worth checking.
    folder: (path) => PathSpec.isInsideAny(roots, path) && (!/\/(?:node_modules|\.git)$/.test(path) || canForbid(path))
  }
}
