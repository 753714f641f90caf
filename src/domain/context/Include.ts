/** `@path` in a rules file: where it stands, and what the text becomes with the file in it. */

/** A path that a text names; `alone`: nothing else is on its line. */
export interface Include {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly alone: boolean
}

/** How deep files may include files. */
export const deepest = 5

const token = /(?<=^|[\s(])@((?:~|\.{0,2})\/?[\w.-][\w./-]*|"[^"\n]+")/g

/** Paths outside of code, in order. What looks like no path (`@name`) is none, and `@override` is another thing. */
export const find = (text: string): ReadonlyArray<Include> => {
  const code = spans(text)
  return [...text.matchAll(token)].flatMap(({ 0: whole, 1: named = "", index }) => {
    const path = named.replace(/^"|"$/g, "").replace(/(?<=\w)[.]+$/, "")
    const end = index + (named.startsWith("\"") ? whole.length : 1 + path.length)
    if (!/[./]/.test(path) || path === "override" || code.some(([from, to]) => index >= from && index < to)) return []
    const lineStart = text.lastIndexOf("\n", index - 1) + 1
    const lineEnd = text.indexOf("\n", end)
    const line = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd)
    return [{ path, start: index, end, alone: line.trim() === text.slice(index, end) }]
  })
}

/** Fenced blocks and code in a line. */
const spans = (text: string): ReadonlyArray<readonly [number, number]> =>
  [...text.matchAll(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|(?![\s\S]))|(`+)[^`\n]+\2/gm)].map(({ 0: whole, index }) => [index, index + whole.length])

/** The text with each include replaced: one that is alone by its text, one in a sentence by its path, with the text below. */
export const put = (text: string, found: ReadonlyArray<Include & { readonly text: string | undefined }>): string => {
  let out = ""
  let at = 0
  let below: Array<string> = []
  for (const [i, { alone, end, path, start, text: content }] of found.entries()) {
    if (content === undefined) continue
    out += text.slice(at, start) + (alone ? content : path)
    at = end
    if (alone) continue
    below.push(content)
    const lineEnd = text.indexOf("\n", end)
    const next = found.slice(i + 1).find((one) => one.text !== undefined)
    const stop = lineEnd === -1 ? text.length : lineEnd
    if (next !== undefined && next.start < stop) continue
    out += `${text.slice(at, stop)}\n${below.join("\n")}`
    at = stop
    below = []
  }
  return out + text.slice(at)
}
