/** What becomes of the work of children that had folders of their own, once all of them have ended. */
import * as Schema from "effect/Schema"

/**
 * - `place` is the task's number in its call, from 0.
 * - `branch` holds the work, which began at the commit `base`: the difference between the two is what the child did.
 * - `merged`: the files are in the parent's folder, and the branch is gone. `conflicts`: in these files both sides changed the
 *   same lines, so nothing of it was taken. `kept`: it was not to be taken, and `why`.
 * - `changed` are its files, relative to the parent's folder where they lie inside.
 */
export const Brought = Schema.Struct({
  place: Schema.Int,
  name: Schema.String,
  branch: Schema.String,
  base: Schema.String,
  state: Schema.Literals(["merged", "conflicts", "kept", "unchanged"]),
  changed: Schema.Array(Schema.String),
  conflicts: Schema.Array(Schema.String),
  why: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Brought" })
export type Brought = typeof Brought.Type

/** `shared` says why children that edit had no folders of their own. */
export const Gathered = Schema.Struct({ shared: Schema.optionalKey(Schema.String), work: Schema.Array(Brought) }).annotate({ identifier: "Gathered" })
export type Gathered = typeof Gathered.Type

export const nothing: Gathered = { work: [] }

/** The name of a child's folder and branch: what people call it, and the end of its session's id, which no other has. */
export const folder = (name: string, session: string): string => {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 32).replace(/^-|-$/g, "")
  return `${words === "" ? "child" : words}-${session.slice(-8)}`
}

/** Files that are named one by one. */
const most = 50

/** What the parent is told of it; empty where there is nothing to tell. */
export const told = ({ shared, work }: Gathered): string => {
  const merged = work.filter(({ state }) => state === "merged").flatMap(({ changed, place }) => changed.map((path) => `- ${path} (${place + 1})`))
  const left = work.filter(({ state }) => state === "conflicts" || state === "kept").map(remains)
  return [
    ...(shared === undefined ? [] : [`Those that edit worked in this folder, one after another: ${shared}.`]),
    ...section("Merged into this folder", merged),
    ...section("Not merged", left)
  ].join("\n\n")
}

/** One whose work is on its branch alone, and how to look at it. */
export const remains = ({ base, branch, changed, conflicts, name, place, state, why }: Brought): string => {
  const reason = state === "conflicts" ? `conflicts in ${conflicts.join(", ")}` : why ?? "it did not finish"
  if (changed.length === 0) return `- ${place + 1}. ${name}: ${reason}`
  return `- ${place + 1}. ${name}: ${reason}. Its work (${changed.length} file${changed.length === 1 ? "" : "s"}) is on the branch ${branch}: git diff ${base.slice(0, 12)} ${branch}`
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [[`## ${title}`, ...lines.slice(0, most), ...(lines.length > most ? [`- and ${lines.length - most} more`] : [])].join("\n")]
