/** Paths as patches write them: prefixed, quoted, followed by a time. */

/** The name in a `---` or `+++` line, without git's prefix; null for /dev/null. */
export const header = (text: string, prefix: "a/" | "b/"): string | null => {
  const name = text.startsWith('"') ? unquote(text) : text.replace(/\t.*$/, "").trimEnd()
  return name === "/dev/null" ? null : strip(name, prefix)
}

/** Both names of `diff --git a/x b/y`, where they can be told apart. */
export const pair = (text: string): readonly [string | undefined, string | undefined] => {
  const quoted = /^("(?:\\.|[^"\\])*"|\S+) ("(?:\\.|[^"\\])*"|\S+)\s*$/.exec(text)
  if (quoted !== null) return [strip(unquote(quoted[1]!), "a/"), strip(unquote(quoted[2]!), "b/")]
  // A name with spaces stands twice, so the line halves.
  const middle = text.length >> 1
  const [from, to] = [strip(text.slice(0, middle), "a/"), strip(text.slice(middle + 1), "b/")]
  return from === to ? [from, to] : [undefined, undefined]
}

/** A path as git quotes it, a C string, or as it stands. Octal escapes are bytes of UTF-8. */
export const unquote = (text: string): string => {
  const quoted = /^"((?:\\.|[^"\\])*)"/.exec(text)
  if (quoted === null) return text.trimEnd()
  const bytes: Array<number> = []
  const utf8 = new TextEncoder()
  for (const [part, octal, letter] of quoted[1]!.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...utf8.encode(letter === undefined ? part : escapes[letter] ?? letter))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

/** `./x` and `x` are one path. */
export const normal = (path: string): string => path.replace(/^(?:\.\/+)+/, "")

/** Whether a patch that names the one means the other: one may be the end of the other. */
export const isSame = (named: string, path: string): boolean => {
  const [a, b] = [normal(named), normal(path)]
  return a === b || b.endsWith(`/${a}`) || a.endsWith(`/${b}`)
}

const escapes: Readonly<Record<string, string>> = { a: "\u0007", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" }

const strip = (path: string, prefix: string): string => path.startsWith(prefix) ? path.slice(prefix.length) : path
