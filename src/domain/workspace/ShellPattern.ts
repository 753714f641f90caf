/**
 * A shell's file pattern, name by name. It matches what bash matches with its usual options and possibly more: a
 * decision over a command must not miss a file, and a bracket has as many readings as there are locales.
 */

/** One name of the path: a fixed name, or every name in the folder that passes the test. */
export type Step = { readonly name: string } | { readonly test: (name: string) => boolean }

/** The steps from the root of an absolute pattern; undefined for one that needs options which bash does not enable by default. */
export const steps = (pattern: string): ReadonlyArray<Step> | undefined => {
  const plain = pattern.replace(/\\./gs, "")
  return plain.includes("(") ? undefined : pattern.split("/").filter((segment) => segment !== "").map(step)
}

const step = (segment: string): Step => {
  let source = ""
  let name = ""
  let isWild = false
  for (let at = 0; at < segment.length; at++) {
    const char = segment[at]!
    if (char === "[") {
      isWild = true
      const bracket = /^\[[!^]?\]?[^[\]\\]*\]/.exec(segment.slice(at))?.[0]
      source += bracket === undefined ? ".*" : ".{1,2}"
      if (bracket === undefined) break
      at += bracket.length - 1
      continue
    }
    if (char === "*" || char === "?") {
      isWild = true
      source += char === "*" ? ".*" : ".{1,2}"
      continue
    }
    const literal = char === "\\" && at + 1 < segment.length ? segment[++at]! : char
    name += literal
    source += literal.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
  }
  if (!isWild) return { name }
  const regex = new RegExp(`^${source}$`, "s")
  // A leading dot is only matched by a dot.
  const isDotted = /^\\?\./.test(segment)
  return { test: (name) => (isDotted || !name.startsWith(".")) && regex.test(name) }
}
