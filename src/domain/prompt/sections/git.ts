/** The repository's branch and commit: told at first, and again when they change. */
import type { Section } from "../Section.ts"

export const git: Section = {
  name: "git state",
  place: "current",
  order: 110,
  priority: 4,
  render: ({ facts, known }) => {
    if (known !== undefined && same(known.git, facts.git)) return undefined
    if (facts.git === null) return known === undefined ? undefined : "The working folder is no longer in a git repository."
    const { branch, head } = facts.git
    return `${known === undefined ? "Git" : "Git has moved"}: branch ${branch} at ${head.slice(0, 10)}.`
  }
}

type Git = { readonly branch: string; readonly head: string } | null

const same = (a: Git, b: Git): boolean => a?.branch === b?.branch && a?.head === b?.head
