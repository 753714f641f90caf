/** What a user mentions in a text with `@`: files, folders, pages, commits, and recent output. */
import * as Table from "../Table.ts"

/**
 * - `file` is a path as written, of a file or a folder. `isExplicit`: it can only be a path, so a missing one is
 *   reported; `@name` may be anything.
 * - `problems` are the diagnostics of the last check command, `terminal` is the output of the last command, `changes` are
 *   those of the working tree.
 */
export type Mention =
  | { readonly _tag: "file"; readonly path: string; readonly isExplicit: boolean }
  | { readonly _tag: "page"; readonly url: string }
  | { readonly _tag: "commit"; readonly hash: string }
  | { readonly _tag: "problems" }
  | { readonly _tag: "terminal" }
  | { readonly _tag: "changes" }

/** The maximum number of mentions in a message. */
export const maxMentions = 20

const mentionPattern = /(?<=^|[\s(])@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\[ ()]|[^\s"'`<>|])+))/g

const keywords: Readonly<Record<string, Mention>> = {
  problems: { _tag: "problems" },
  terminal: { _tag: "terminal" },
  "git-changes": { _tag: "changes" }
}

/** In the order of the text, each only once; code in backticks mentions nothing. */
export const find = (text: string): ReadonlyArray<Mention> => {
  const code = [...text.matchAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g)].map(({ 0: span, index }) => [index, index + span.length] as const)
  const mentions = new Map<string, Mention>()
  for (const { 1: doubleQuoted, 2: singleQuoted, 3: plain = "", index } of text.matchAll(mentionPattern)) {
    if (code.some(([from, to]) => index >= from && index < to)) continue
    const quoted = doubleQuoted ?? singleQuoted
    const mention = quoted === undefined ? read(plain) : { _tag: "file" as const, path: quoted, isExplicit: true }
    if (mention !== undefined) mentions.set(JSON.stringify(mention), mention)
  }
  return [...mentions.values()]
}

const read = (token: string): Mention | undefined => {
  const plain = token.replace(/[.,;:!?)\]}]+$/, "")
  if (plain === "") return undefined
  if (/^https?:\/\/\S/i.test(plain)) return { _tag: "page", url: plain }
  const keyword = Table.entry(keywords, plain)
  if (keyword !== undefined) return keyword
  if (/^[0-9a-f]{7,40}$/.test(plain) && /\d/.test(plain)) return { _tag: "commit", hash: plain }
  const path = plain.replace(/\\([ ()])/g, "$1")
  return /^[./~]*$/.test(path) && ![".", "./", "/"].includes(path) ? undefined : { _tag: "file", path, isExplicit: /[/]|\.\w/.test(path) }
}

/** Lines of a file, from 1 and both inclusive. */
export interface Lines {
  readonly from: number
  readonly to: number
}

export const allLines: Lines = { from: 1, to: Infinity }

/** A path followed by lines: `a.ts:10`, `a.ts:10-20`, `a.ts#L10-L20`; undefined if there are none. */
export const lines = (path: string): (Lines & { readonly path: string }) | undefined => {
  const match = /^(.+?)(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(path)
  return match === null ? undefined : { path: match[1]!, from: Number(match[2]), to: Number(match[3] ?? match[2]) }
}

/** A mention as the user wrote it, for notices and headings. */
export const mentionText = (mention: Mention): string => {
  switch (mention._tag) {
    case "file":
      return `@${mention.path}`
    case "page":
      return `@${mention.url}`
    case "commit":
      return `@${mention.hash}`
    case "changes":
      return "@git-changes"
    default:
      return `@${mention._tag}`
  }
}
