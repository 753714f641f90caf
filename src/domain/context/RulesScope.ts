/**
 * When a rule of another agent applies, as its frontmatter says: Cursor's `alwaysApply`, `globs` and `description`, the
 * `applyTo` of Copilot, the `paths` of Claude Code and Cline, the `trigger` of Windsurf.
 */
import * as PathSpec from "../approval/PathSpec.ts"
import * as Frontmatter from "../message/Frontmatter.ts"
import type { RulesFolder } from "./RulesPlaces.ts"

/** `Manual`: nothing shows it unless the user mentions it. */
export type Scope =
  | { readonly _tag: "Always" }
  | { readonly _tag: "Files"; readonly globs: ReadonlyArray<string> }
  | { readonly _tag: "Requested"; readonly description: string }
  | { readonly _tag: "Manual" }

export interface ScopedRule {
  readonly scope: Scope
  readonly body: string
}

/** A rule's file in a folder of rules. */
export const parse = (text: string, { mode, otherwise }: Pick<RulesFolder, "mode" | "otherwise">): ScopedRule => {
  const { body, fields } = Frontmatter.read(text)
  if (mode !== undefined) return { body, scope: { _tag: "Requested", description: `for work in the mode "${mode}"` } }
  return { body, scope: scopeOf(fields, otherwise) }
}

const scopeOf = (fields: Frontmatter.Fields, otherwise: RulesFolder["otherwise"]): Scope => {
  const trigger = fields.get("trigger")?.text
  const globs = ["globs", "paths", "applyTo"].flatMap((name) => globsIn(fields.get(name)))
  const description = fields.get("description")?.text ?? ""
  const requested: Scope = { _tag: "Requested", description }
  if (fields.get("alwaysApply")?.text === "true" || trigger === "always_on" || globs.some((glob) => glob === "**" || glob === "**/*"))
    return { _tag: "Always" }
  if (trigger === "manual") return { _tag: "Manual" }
  if (trigger === "model_decision") return requested
  if (globs.length > 0) return { _tag: "Files", globs }
  if (otherwise === "always") return { _tag: "Always" }
  return description === "" && otherwise === "manual" ? { _tag: "Manual" } : requested
}

/** A list, or a text of patterns with commas between them outside of braces. */
const globsIn = (field: Frontmatter.Field | undefined): ReadonlyArray<string> => {
  if (field === undefined || Frontmatter.isFields(field.value)) return []
  const texts = typeof field.value === "string" ? field.value.split(/,(?![^{]*\})/) : field.value
  return texts.map((text) => text.trim().replace(/^(["'])(.*)\1$/, "$2").replace(/^\.?\//, "")).filter((text) => text !== "")
}

/** Whether a rule for files applies: one of these paths, relative to the folder of the rules, matches. */
export const appliesTo = (globs: ReadonlyArray<string>, paths: ReadonlyArray<string>): boolean => {
  const tests = globs.map(PathSpec.matches)
  return paths.some((path) => tests.some((test) => test(path)))
}

/** What the model sees of a rule that does not apply yet. */
export const summary = (scope: Exclude<Scope, { readonly _tag: "Always" | "Manual" }>): string =>
  scope._tag === "Files"
    ? `[Not shown yet: these rules are for files that match ${scope.globs.join(", ")}, and are shown once such a file is read.]`
    : `[Not shown: read this file with read_file when you need it${scope.description === "" ? "" : `: ${scope.description}`}.]`
