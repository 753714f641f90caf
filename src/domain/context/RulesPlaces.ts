/** Where rules for the model are read, ours and those of other agents, and which of them take precedence over others. */

/** In each folder the first of these that is not empty; `.clinerules` may be a folder of Markdown files. */
export const shared: ReadonlyArray<string> = [
  "AGENTS.override.md",
  "AGENTS.md",
  "CLAUDE.md",
  ".claude/CLAUDE.md",
  "GEMINI.md",
  ".clinerules",
  ".github/copilot-instructions.md",
  ".cursorrules",
  ".windsurfrules",
  ".roorules"
]

/** Then the first of these, which are usually not committed. */
export const personal: ReadonlyArray<string> = ["AGENTS.local.md", "CLAUDE.local.md"]

/** In the user's home: the first that is not empty, if the user has no rules file in dacapo's own folder. */
export const home: ReadonlyArray<string> = [
  ".agents/AGENTS.md",
  ".claude/CLAUDE.md",
  ".codex/AGENTS.md",
  ".gemini/GEMINI.md",
  ".roo/rules",
  ".kilocode/rules"
]

/**
 * A folder of rules, each a file with this ending. Without a word of its own in its frontmatter, a rule applies always, or the
 * model requests it, or nothing shows it but a mention. `replaces` is the tool's older file, which is not read where the folder has
 * rules. `mode`: its rules are for a mode of the other agent.
 */
export interface RulesFolder {
  readonly path: string
  readonly ending: string
  readonly otherwise: "always" | "requested" | "manual"
  readonly replaces?: string
  readonly mode?: string
}

const roo = (mode: string): RulesFolder => ({ path: `.roo/rules-${mode}`, ending: ".md", otherwise: "always", mode })

/** In each folder all of these, in this order. */
export const folders: ReadonlyArray<RulesFolder> = [
  { path: ".claude/rules", ending: ".md", otherwise: "always" },
  { path: ".cursor/rules", ending: ".mdc", otherwise: "manual", replaces: ".cursorrules" },
  { path: ".github/instructions", ending: ".instructions.md", otherwise: "manual" },
  { path: ".kilocode/rules", ending: ".md", otherwise: "always" },
  { path: ".roo/rules", ending: ".md", otherwise: "always", replaces: ".roorules" },
  roo("architect"),
  roo("ask"),
  roo("code"),
  roo("debug"),
  { path: ".windsurf/rules", ending: ".md", otherwise: "always", replaces: ".windsurfrules" }
]

/** Agents whose modes have folders of rules in theirs, whatever the modes are called. */
export const modeParents: ReadonlyArray<string> = [".kilocode", ".roo"]

/** The folders of rules for modes besides those above, given the names in a folder of an agent. */
export const modeFolders = (namesIn: (parent: string) => Iterable<string>): ReadonlyArray<RulesFolder> =>
  modeParents.flatMap((parent) =>
    [...namesIn(parent)].sort().flatMap((name) => {
      const path = `${parent}/${name}`
      const [, mode] = /^rules-([\w-]{1,60})$/.exec(name) ?? []
      return mode === undefined || folders.some((folder) => folder.path === path) ? []
        : [{ path, ending: ".md", otherwise: "always" as const, mode }]
    })
  )

/** The mode of Roo that an older file of rules is for: `.roorules-code`. */
export const modeOfFile = (name: string): string | undefined => /^\.(?:cline|roo)rules-([\w-]{1,60})$/.exec(name)?.[1]

/** Every place in a project. */
export const paths: ReadonlyArray<string> = [...shared, ...folders.map(({ path }) => path), ...personal]
