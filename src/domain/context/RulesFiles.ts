/** Rules files as they go into a prompt: what a nearer file hides, and what does not fit; each is said, nothing is silent. */

/** Bytes of UTF-8 that all rules files together may take. */
export const limit = 32 * 1024

/** `managed`: put there for the whole machine; no other file hides anything of it. */
export interface File {
  readonly path: string
  readonly text: string
  readonly managed?: boolean
}

/** What is left, farthest first, and what to say of the rest. */
export interface Kept {
  readonly files: ReadonlyArray<{ readonly path: string; readonly text: string }>
  readonly notes: ReadonlyArray<string>
}

/** Files from farthest to nearest as they are shown. */
export const keep = (files: ReadonlyArray<File>, maxBytes = limit): Kept => {
  const seen = hide(files)
  const fitted = fit(seen.files.filter(({ text }) => text.trim() !== ""), maxBytes)
  return { files: fitted.files, notes: [...seen.notes, ...fitted.notes] }
}

const override = /^@override[ \t]+(\S.*?)[ \t]*$/gm

/** `@override heading` in a nearer file takes the sections of that heading out of the farther ones. */
const hide = (files: ReadonlyArray<File>): { readonly files: ReadonlyArray<File>; readonly notes: ReadonlyArray<string> } => {
  const notes: Array<string> = []
  const hidden: Array<{ readonly key: string; readonly by: string }> = []
  const shown = files.toReversed().map((file) => {
    const keys = [...file.text.matchAll(override)].map((match) => ({ key: match[1]!, by: file.path }))
    const text = file.text.replace(override, "").replace(/^\n+/, "")
    const rest = file.managed === true ? text : hidden.reduce((text, { by, key }) => {
      const left = without(text, key)
      if (left !== text) notes.push(`${file.path}: the section "${key}" is hidden by ${by}.`)
      return left
    }, text)
    hidden.push(...keys)
    return { ...file, text: rest }
  })
  return { files: shown.reverse(), notes: notes.reverse() }
}

/** A text without its sections of a heading, up to the next heading of the same or a higher level. */
const without = (text: string, key: string): string => {
  let level = 0
  let fenced = false
  return text.split("\n").filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    const heading = fenced ? null : /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line)
    if (heading !== null) {
      const depth = heading[1]!.length
      const same = heading[2]!.toLowerCase() === key.toLowerCase()
      if (same && (level === 0 || depth <= level)) level = depth
      else if (depth <= level) level = 0
    }
    return level === 0
  }).join("\n")
}

/** The nearest are kept whole, the farthest are cut first; what is cut is said where it is missing. */
const fit = (files: ReadonlyArray<File>, maxBytes: number): Kept => {
  let room = maxBytes
  const notes: Array<string> = []
  const kept = files.toReversed().map(({ path, text }) => {
    const bytes = encoder.encode(text)
    if (bytes.length <= room) {
      room -= bytes.length
      return { path, text }
    }
    const whole = decoder.decode(bytes.subarray(0, room)).replace(/\uFFFD+$/, "")
    const cut = bytes.length - encoder.encode(whole).length
    room = 0
    notes.push(`${path}: ${cut} of ${bytes.length} bytes are cut, because rules may take ${maxBytes} bytes in all.`)
    return { path, text: `${whole}\n[${cut} bytes of this file are cut: rules may take ${maxBytes} bytes in all. Read it with read_file.]` }
  })
  return { files: kept.reverse(), notes: notes.reverse() }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
