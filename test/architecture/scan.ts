/** Reads what a source file imports and what its code says, without a compiler: enough for the rules beside it. */

export interface Import {
  readonly specifier: string
  /** When the code runs: at load, when a call asks for it, or never (`import type`, `export type`). */
  readonly when: "load" | "call" | "never"
}

export interface Scanned {
  readonly imports: ReadonlyArray<Import>
  /** The code with comments and the insides of strings and regular expressions blanked; places and lines as in the file. */
  readonly code: string
}

/** Static, bare and re-exporting imports; imports by a call, which in a type position are no call but look like one. */
const statement = /\b(?:import|export)\s+(type\b(?!\s*(?:from|,)))?[^"'();]*?\bfrom\s*["']|\bimport\s*["']|\b(import|getBuiltinModule)\s*\(\s*["']/g

export const scan = (text: string): Scanned => {
  const code = blank(text)
  const imports = [...code.matchAll(statement)].map((match): Import => {
    const from = match.index + match[0].length
    return {
      specifier: text.slice(from, code.indexOf(match[0].at(-1)!, from)),
      when: match[1] !== undefined ? "never" : match[2] !== undefined ? "call" : "load"
    }
  })
  return { imports, code }
}

/** Where a slash begins a regular expression and not a division. */
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|in|of|yield\*?))\s*$/

const blank = (text: string): string => {
  const kept: Array<string> = []
  /** Template literals that we are inside of, each with the depth of braces in its current placeholder. */
  const templates: Array<number> = []
  let at = 0
  const hide = (end: number) => {
    kept.push(text.slice(at, end).replace(/[^\n]/g, " "))
    at = end
  }
  const keep = () => kept.push(text[at++] ?? "")
  const template = () => {
    while (at < text.length) {
      if (text[at] === "\\") hide(at + 2)
      else if (text[at] === "`") return keep()
      else if (text.startsWith("${", at)) {
        templates.push(0)
        keep()
        return keep()
      } else hide(at + 1)
    }
    return 0
  }
  while (at < text.length) {
    const char = text[at]!
    if (text.startsWith("//", at)) hide(end(text, "\n", at))
    else if (text.startsWith("/*", at)) hide(end(text, "*/", at + 2) + 2)
    else if (char === "\"" || char === "'") {
      keep()
      hide(closing(text, char, at))
      keep()
    } else if (char === "`") {
      keep()
      template()
    } else if (char === "{" && templates.length > 0) {
      templates[templates.length - 1]! += 1
      keep()
    } else if (char === "}" && templates.at(-1) === 0) {
      templates.pop()
      keep()
      template()
    } else if (char === "}" && templates.length > 0) {
      templates[templates.length - 1]! -= 1
      keep()
    } else if (char === "/" && beforeRegex.test(kept.slice(-40).join("").slice(-40))) {
      const regex = /\/(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\//y
      regex.lastIndex = at
      hide(at + (regex.exec(text)?.[0].length ?? 1))
    } else keep()
  }
  return kept.join("")
}

/** Where a string ends that began before `from`: at its quote, or at the line's end where it was never closed. */
const closing = (text: string, quote: string, from: number): number => {
  let place = from
  while (place < text.length && text[place] !== quote && text[place] !== "\n") place += text[place] === "\\" ? 2 : 1
  return Math.min(place, text.length)
}

const end = (text: string, mark: string, from: number): number => {
  const place = text.indexOf(mark, from)
  return place === -1 ? text.length : place
}
