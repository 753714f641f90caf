/** What a user names in a text with `@`: files, folders, pages, commits, and what just happened. */

/**
 * - `file` is a path as it was written, of a file or a folder. `sure`: it can only be a path, so that one that is not
 *   there is said; `@name` may be anything.
 * - `problems` are the diagnostics of the last check command, `terminal` is the output of the last command, `changes` are
 *   those of the working tree.
 */
export type Mention =
  | { readonly _tag: "file"; readonly path: string; readonly sure: boolean }
  | { readonly _tag: "page"; readonly url: string }
  | { readonly _tag: "commit"; readonly hash: string }
  | { readonly _tag: "problems" }
  | { readonly _tag: "terminal" }
  | { readonly _tag: "changes" }

/** Mentions of one message. */
export const most = 20

const token = /(?<=^|[\s(])@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\[ ()]|[^\s"'`<>|])+))/g

const words: Readonly<Record<string, Mention>> = {
  problems: { _tag: "problems" },
  terminal: { _tag: "terminal" },
  "git-changes": { _tag: "changes" }
}

/** In the order of the text, each only once; code in backticks names nothing. */
export const find = (text: string): ReadonlyArray<Mention> => {
  const code = [...text.matchAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g)].map(({ 0: whole, index }) => [index, index + whole.length] as const)
  const found = new Map<string, Mention>()
  for (const { 1: double, 2: single, 3: plain = "", index } of text.matchAll(token)) {
    if (code.some(([from, to]) => index >= from && index < to)) continue
    const quoted = double ?? single
    const mention = quoted === undefined ? read(plain) : { _tag: "file" as const, path: quoted, sure: true }
    if (mention !== undefined) found.set(JSON.stringify(mention), mention)
  }
  return [...found.values()]
}

const read = (token: string): Mention | undefined => {
  const plain = token.replace(/[.,;:!?)\]}]+$/, "")
  if (plain === "") return undefined
  if (/^https?:\/\/\S/i.test(plain)) return { _tag: "page", url: plain }
  const word = words[plain]
  if (word !== undefined) return word
  if (/^[0-9a-f]{7,40}$/.test(plain) && /\d/.test(plain)) return { _tag: "commit", hash: plain }
  const path = plain.replace(/\\([ ()])/g, "$1")
  return /^[./~]*$/.test(path) && ![".", "./", "/"].includes(path) ? undefined : { _tag: "file", path, sure: /[/]|\.\w/.test(path) }
}

/** Lines of a file, from 1 and both inclusive. */
export interface Lines {
  readonly from: number
  readonly to: number
}

export const whole: Lines = { from: 1, to: Infinity }

/** A path with the lines that follow it: `a.ts:10`, `a.ts:10-20`, `a.ts#L10-L20`; undefined where none do. */
export const lines = (path: string): (Lines & { readonly path: string }) | undefined => {
  const match = /^(.+?)(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(path)
  return match === null ? undefined : { path: match[1]!, from: Number(match[2]), to: Number(match[3] ?? match[2]) }
}

/** A mention as the user wrote it, for notices and headings. */
export const told = (mention: Mention): string => {
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
