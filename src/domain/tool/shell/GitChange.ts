/** What a git call brings into the work tree beyond the files that it names. */
import * as Table from "../../Table.ts"
import * as GitCall from "./GitCall.ts"
import type { SimpleCommand } from "./SimpleCommand.ts"

/**
 * - `revisions`: words that may name the source; words that name no revision are ignored.
 * - `paths`: limits on where it goes, relative to the folder of the call; undefined for the entire work tree.
 * - `overwrites`: also files with uncommitted changes.
 * - `patches`: files whose patches are applied.
 * - `unclear`: why the effect can't be predicted.
 */
export interface GitChange {
  readonly revisions: ReadonlyArray<string>
  readonly paths?: ReadonlyArray<string>
  readonly overwrites?: boolean
  readonly patches?: ReadonlyArray<string>
  readonly unclear?: string
}

type Call = Pick<SimpleCommand, "core" | "name" | "readOnly">

const noFiles: GitChange = { revisions: [] }

/** Continues, or abandons, an operation that was judged when it began. */
const continuation = /^--(?:abort|continue|quit|skip|edit-todo|show-current-patch)$/

/** Undefined for a call that changes no file of the work tree. */
export const of = (part: Call): GitChange | undefined => {
  const [sub, ...rest] = GitCall.operands(part)
  if (part.name !== "git" || part.readOnly || sub === undefined) return undefined
  const words = rest.map(({ text }) => text)
  const change = Table.entry(changes, sub.text)?.(words)
  if (change === undefined || words.some((word) => continuation.test(word))) return undefined
  return rest.every(({ kind }) => kind === "literal") ? change
    : { ...change, unclear: `what git ${sub.text} brings is known only at run time` }
}

/** The revisions that a call names, with any subcommand: an earlier part of a program may put them where a later one finds them. */
export const revisions = (part: Call): ReadonlyArray<string> =>
  GitCall.operands(part).slice(1).flatMap(({ text }) =>
    text === "-" ? ["@{-1}"] : text.startsWith("-") ? /^(?:--[\w-]+=|-\w)(.+)$/s.exec(text)?.slice(1) ?? [] : [text]
  )

/** Brings in unknown content. */
export const fetches = (part: Call): boolean => part.name === "git" && /^(?:fetch|pull|bundle)$/.test(part.core[1]?.text ?? "")

const split = (words: ReadonlyArray<string>): readonly [ReadonlyArray<string>, ReadonlyArray<string> | undefined] => {
  const at = words.indexOf("--")
  return at < 0 ? [words, undefined] : [words.slice(0, at), words.slice(at + 1)]
}

const has = (words: ReadonlyArray<string>, options: RegExp): boolean => words.some((word) => options.test(word))

const isOperand = (word: string): boolean => word === "-" || !word.startsWith("-")

/** `-X subtree=…` moves what comes to another place. */
const mergeChange = (fallback: ReadonlyArray<string>) => (words: ReadonlyArray<string>): GitChange => ({
  revisions: words.some(isOperand) ? [] : fallback,
  ...(has(words, /subtree/) ? { unclear: "a subtree may be brought to any place" } : {})
})

/** Paths limit a call only if no other word can be one: `-c new evil` names a branch. A source among them limits nothing further. */
const limits = (paths: ReadonlyArray<string>, options: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  paths.length > 0 && options.filter((word) => !isOperand(word)).every((word) => plainOption.test(word)) ? paths : undefined

const plainOption =
  /^(?:-[fmpqsSW23]+|--(?:force|merge|no-overlay|no-progress|ours|overlay|patch|progress|quiet|source(?:=.*)?|staged|theirs|worktree))$/

const switchChange = (words: ReadonlyArray<string>): GitChange => ({
  revisions: [],
  ...(has(words, /^(?:-\w*f\w*|--force|--discard-changes)$/) ? { overwrites: true } : {})
})

const checkoutChange = (words: ReadonlyArray<string>): GitChange => {
  const [beforeSeparator, afterSeparator] = split(words)
  const paths = limits(afterSeparator ?? beforeSeparator.filter(isOperand).slice(1), beforeSeparator)
  const overwrites = afterSeparator !== undefined || beforeSeparator.filter(isOperand).length > 1 ||
    has(beforeSeparator, /^(?:-\w*f\w*|--force|--pathspec-from-file.*)$/) ||
    beforeSeparator.some((word) => /^\.|\/|\*|^:/.test(word))
  return { revisions: [], ...(paths === undefined ? {} : { paths }), ...(overwrites ? { overwrites } : {}) }
}

const patchChange = (sub: string) => (words: ReadonlyArray<string>): GitChange | undefined => {
  const patches = words.filter((word) => isOperand(word) && word !== "-")
  if (has(words, /^--(?:check|stat|numstat|summary)$/) && !words.includes("--apply")) return undefined
  return patches.length === 0 || words.includes("-")
    ? { ...noFiles, unclear: `git ${sub} takes its patch from its input` }
    : { ...noFiles, patches }
}

const stashChange = (words: ReadonlyArray<string>): GitChange | undefined => {
  const [verb = "push", at = "0"] = words.filter(isOperand)
  if (/^(?:list|show|drop|clear|create|store)$/.test(verb)) return undefined
  if (!/^(?:pop|apply|branch)$/.test(verb)) return { revisions: ["HEAD"], overwrites: true }
  const entry = verb === "branch" ? "stash@{0}" : /^\d+$/.test(at) ? `stash@{${at}}` : at
  return { revisions: [entry, `${entry}^1`, `${entry}^3`] }
}

const changes: Readonly<Record<string, (words: ReadonlyArray<string>) => GitChange | undefined>> = {
  am: patchChange("am"),
  apply: patchChange("apply"),
  checkout: checkoutChange,
  "cherry-pick": mergeChange([]),
  merge: mergeChange(["@{upstream}"]),
  pull: () => ({ ...noFiles, unclear: "what git pull brings is known only once it is there" }),
  rebase: mergeChange(["@{upstream}"]),
  reset: (words) => has(words, /^--(?:hard|merge|keep)$/) ? { revisions: ["HEAD"], overwrites: true } : undefined,
  restore: (words) => {
    const [beforeSeparator, afterSeparator] = split(words)
    const isStagedOnly = has(beforeSeparator, /^(?:--staged|-\w*S\w*)$/) && !has(beforeSeparator, /^(?:--worktree|-\w*W\w*)$/)
    const paths = limits(afterSeparator ?? beforeSeparator.filter(isOperand), beforeSeparator)
    return isStagedOnly ? undefined : { revisions: [], overwrites: true, ...(paths === undefined ? {} : { paths }) }
  },
  revert: (words) => ({ ...mergeChange([])(words), revisions: words.filter(isOperand).flatMap((word) => [`${word}^`, `${word}^2`]) }),
  stash: stashChange,
  switch: switchChange
}
