/** Rules files as they enter a prompt: what a nearer file hides and what does not fit. Each omission is reported. */
/** The limit for all rules files together, in bytes of UTF-8. */
export const limit = 32 * 1024

/** `isManaged`: installed for the whole machine; no other file hides any of it. */
export interface File {
  readonly path: string
  readonly text: string
  readonly isManaged?: boolean
}

/** What remains, farthest first, and notes about the rest. */
export interface RulesFiles {
  readonly files: ReadonlyArray<{ readonly path: string; readonly text: string }>
  readonly notes: ReadonlyArray<string>
}

/** Files from farthest to nearest, as they are shown. */
export const fitRules = (files: ReadonlyArray<File>, maxBytes = limit): RulesFiles => {
  const distinct = withoutDuplicates(files)
  const visible = applyOverrides(distinct.files)
  const truncated = truncateFiles(visible.files.filter(({ text }) => text.trim() !== ""), maxBytes)
  return { files: truncated.files, notes: [...distinct.notes, ...visible.notes, ...truncated.notes] }
}

/** Projects repeat their rules for several agents: of files with the same text, only the first is shown. */
const withoutDuplicates = (files: ReadonlyArray<File>): { readonly files: ReadonlyArray<File>; readonly notes: ReadonlyArray<string> } => {
  const first = new Map<string, string>()
  const notes: Array<string> = []
  const distinct = files.filter(({ path, text }) => {
    const key = text.trim()
    const original = first.get(key)
    if (original === undefined) first.set(key, path)
    else if (key !== "") notes.push(`${path}: not shown, because ${original} has the same text.`)
    return original === undefined
  })
  return { files: distinct, notes }
}

const override = /^@override[ \t]+(\S.*?)[ \t]*$/gm

/** `@override heading` in a nearer file removes the sections with that heading from the farther ones. */
const applyOverrides = (files: ReadonlyArray<File>): { readonly files: ReadonlyArray<File>; readonly notes: ReadonlyArray<string> } => {
  const notes: Array<string> = []
  const overrides: Array<{ readonly key: string; readonly by: string }> = []
  const visibleFiles = files.toReversed().map((file) => {
    const keys = [...file.text.matchAll(override)].map((match) => ({ key: match[1]!, by: file.path }))
    const text = file.text.replace(override, "").replace(/^\n+/, "")
    const rest = file.isManaged === true ? text : overrides.reduce((text, { by, key }) => {
      const shortenedText = withoutSection(text, key)
      if (shortenedText !== text) notes.push(`${file.path}: the section "${key}" is overridden by ${by}.`)
      return shortenedText
    }, text)
    overrides.push(...keys)
    return { ...file, text: rest }
  })
  return { files: visibleFiles.reverse(), notes: notes.reverse() }
}

/** A text without its sections under a heading, each up to the next heading of the same or a higher level. */
const withoutSection = (text: string, key: string): string => {
  let level = 0
  let isFenced = false
  return text.split("\n").filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced
    const heading = isFenced ? null : /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line)
    if (heading !== null) {
      const depth = heading[1]!.length
      const isSameHeading = heading[2]!.toLowerCase() === key.toLowerCase()
      if (isSameHeading && (level === 0 || depth <= level)) level = depth
      else if (depth <= level) level = 0
    }
    return level === 0
  }).join("\n")
}

/** The nearest files stay complete and the farthest are cut first; a note marks each cut. */
const truncateFiles = (files: ReadonlyArray<File>, maxBytes: number): RulesFiles => {
  let remainingBytes = maxBytes
  const notes: Array<string> = []
  const fittedFiles = files.toReversed().map(({ path, text }) => {
    const bytes = encoder.encode(text)
    if (bytes.length <= remainingBytes) {
      remainingBytes -= bytes.length
      return { path, text }
    }
    const prefix = decoder.decode(bytes.subarray(0, remainingBytes)).replace(/\uFFFD+$/, "")
    const cutBytes = bytes.length - encoder.encode(prefix).length
    remainingBytes = 0
    notes.push(`${path}: ${cutBytes} of ${bytes.length} bytes were cut, because all rules files together are limited to ${maxBytes} bytes.`)
    return {
      path,
      text:
        `${prefix}\n[${cutBytes} bytes of this file were cut: all rules files together are limited to ${maxBytes} bytes. Use read_file to read it.]`
    }
  })
  return { files: fittedFiles.reverse(), notes: notes.reverse() }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

// `@path` in a rules file: where it stands, and the text with the file included.

/** A path that a text names; `isAlone`: it is the only thing on its line. */
export interface Include {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly isAlone: boolean
}

/** How deeply files may include other files. */
export const maxDepth = 5

const mentionPattern = /(?<=^|[\s(])@((?:~|\.{0,2})\/?[\w.-][\w./-]*|"[^"\n]+")/g

/** Paths outside of code, in order. `@name` without the look of a path is skipped, and `@override` has its own meaning. */
export const find = (text: string): ReadonlyArray<Include> => {
  const code = codeSpans(text)
  return [...text.matchAll(mentionPattern)].flatMap(({ 0: match, 1: mention = "", index }) => {
    const path = mention.replace(/^"|"$/g, "").replace(/(?<=\w)[.]+$/, "")
    const end = index + (mention.startsWith("\"") ? match.length : 1 + path.length)
    if (!/[./]/.test(path) || path === "override" || code.some(([from, to]) => index >= from && index < to)) return []
    const lineStart = text.lastIndexOf("\n", index - 1) + 1
    const lineEnd = text.indexOf("\n", end)
    const line = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd)
    return [{ path, start: index, end, isAlone: line.trim() === text.slice(index, end) }]
  })
}

/** Fenced blocks and inline code. */
const codeSpans = (text: string): ReadonlyArray<readonly [number, number]> =>
  [...text.matchAll(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|(?![\s\S]))|(`+)[^`\n]+\2/gm)].map((
    { 0: match, index }
  ) => [index, index + match.length])

/** The text with each include replaced: one on its own line by its text, one in a sentence by its path, with the text appended. */
export const replaceIncludes = (text: string, includes: ReadonlyArray<Include & { readonly text: string | undefined }>): string => {
  let output = ""
  let at = 0
  let appendix: Array<string> = []
  for (const [i, { isAlone, end, path, start, text: content }] of includes.entries()) {
    if (content === undefined) continue
    output += text.slice(at, start) + (isAlone ? content : path)
    at = end
    if (isAlone) continue
    appendix.push(content)
    const lineEnd = text.indexOf("\n", end)
    const next = includes.slice(i + 1).find((one) => one.text !== undefined)
    const lineStop = lineEnd === -1 ? text.length : lineEnd
    if (next !== undefined && next.start < lineStop) continue
    output += `${text.slice(at, lineStop)}\n${appendix.join("\n")}`
    at = lineStop
    appendix = []
  }
  return output + text.slice(at)
}
