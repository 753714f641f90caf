/** What becomes of the work of subagents with their own worktrees, once all of them have ended. */
import * as Schema from "effect/Schema"

/**
 * - `place` is the task's number in its call, from 0.
 * - `branch` holds the work, which began at the commit `base`: the difference between the two is the subagent's work.
 * - `merged`: the files are in the parent's folder, and the branch is deleted. `conflicts`: in these files both sides changed the
 *   same lines, so nothing was merged. `kept`: it was not to be merged, and `why`.
 * - `changed` are its files, relative to the parent's folder if they are inside it.
 */
export const SubagentWork = Schema.Struct({
  place: Schema.Int,
  name: Schema.String,
  branch: Schema.String,
  base: Schema.String,
  state: Schema.Literals(["merged", "conflicts", "kept", "unchanged"]),
  changed: Schema.Array(Schema.String),
  conflicts: Schema.Array(Schema.String),
  why: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Brought" })
export type SubagentWork = typeof SubagentWork.Type

/** `shared` says why subagents that edit had no worktrees. */
export const MergedWork = Schema.Struct({ shared: Schema.optionalKey(Schema.String), work: Schema.Array(SubagentWork) }).annotate({
  identifier: "Gathered"
})
export type MergedWork = typeof MergedWork.Type

export const noMergedWork: MergedWork = { work: [] }

/** The name of a subagent's folder and branch: its display name, and the end of its session id, which is unique. */
export const worktreeName = (name: string, session: string): string => {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 32).replace(/^-|-$/g, "")
  return `${slug === "" ? "child" : slug}-${session.slice(-8)}`
}

/** How many files are listed by name. */
const maxLines = 50

/** The report to the parent; empty if there is nothing to report. */
export const describeMergedWork = ({ shared, work }: MergedWork): string => {
  const mergedFiles = work.filter(({ state }) => state === "merged").flatMap(({ changed, place }) =>
    changed.map((path) => `- ${path} (${place + 1})`)
  )
  const unmerged = work.filter(({ state }) => state === "conflicts" || state === "kept").map(describeUnmerged)
  return [
    ...(shared === undefined ? [] : [`The editing subagents worked in this folder, one after another: ${shared}.`]),
    ...section("Merged into this folder", mergedFiles),
    ...section("Not merged", unmerged)
  ].join("\n\n")
}

/** One whose work is only on its branch, and how to inspect it. */
export const describeUnmerged = ({ base, branch, changed, conflicts, name, place, state, why }: SubagentWork): string => {
  const reason = state === "conflicts" ? `conflicts in ${conflicts.join(", ")}` : why ?? "it did not finish"
  if (changed.length === 0) return `- ${place + 1}. ${name}: ${reason}`
  return `- ${place + 1}. ${name}: ${reason}. Its changes (${changed.length} file${
    changed.length === 1 ? "" : "s"
  }) are on branch ${branch}: git diff ${base.slice(0, 12)} ${branch}`
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? []
    : [
      [`## ${title}`, ...lines.slice(0, maxLines), ...(lines.length > maxLines ? [`- and ${lines.length - maxLines} more`] : [])].join("\n")
    ]
