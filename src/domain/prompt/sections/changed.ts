/** Files that someone else changed since the model saw them: told once for each change. */
import type { Section } from "../Section.ts"

export const changed: Section = {
  name: "changed files",
  place: "current",
  order: 100,
  priority: 2.4,
  render: ({ facts, known }) => {
    const told = new Map((known?.changed ?? []).map(({ hash, path }) => [path, hash]))
    const fresh = (facts.changed ?? []).filter(({ hash, path }) => !told.has(path) || told.get(path) !== hash)
    return fresh.length === 0 ? undefined
      : `These files are not as you saw them: someone else changed them, or a command did. Read them again before you rely on them or change them:\n${fresh.map(({ kind, path }) => `- ${path}${kind === "deleted" ? " (deleted)" : ""}`).join("\n")}`
  }
}
