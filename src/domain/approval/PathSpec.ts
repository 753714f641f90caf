/** Path specs in gitignore syntax, compiled to one test over absolute paths and one key for the index. */
import * as Result from "effect/Result"
import picomatch from "picomatch/posix.js"
import * as Glob from "../workspace/Glob.ts"
import * as WebUrl from "../network/WebUrl.ts"

// Paths as text: resolved without looking at a disk. Resolving links is the workspace's part, reported in `resolvedPath`.

/** Stands for a root or a home folder that was not given: no real path is under it. */
export const unknownRoot = "/\u0000root"
export const unknownHome = "/\u0000home"

/** An absolute path without `.`, `..` and empty segments. Backslashes and percent signs are plain characters. */
export const resolve = (base: string, path: string): string => {
  const fullPath = join(base, path)
  if (!unresolvedSegment.test(fullPath)) return fullPath
  const out: Array<string> = []
  for (const segment of fullPath.split("/")) {
    if (segment === "..") out.pop()
    else if (segment !== "" && segment !== ".") out.push(segment)
  }
  return `/${out.join("/")}`
}

/** The same with every segment left as it is: what `..` means behind a link is for the file system to say. */
export const join = (base: string, path: string): string => path.startsWith("/") ? path : base === "/" ? `/${path}` : `${base}/${path}`

/** An empty segment, `.` or `..`; most paths have none. */
const unresolvedSegment = /\/\.{0,2}(?:\/|$)|^(?!\/)/

/** `~` and `~/x` lead to the home folder. */
export const expandHome = (path: string, home: string): string =>
  path === "~" ? home : path.startsWith("~/") ? `${home}/${path.slice(2)}` : path

/** As a shell does it: `~name`, `~+` and the like lead to folders that are unknown here. */
export const expandTilde = (path: string, home: string): string =>
  path.startsWith("~") && !/^~(?:\/|$)/.test(path) ? `${unknownHome}/${path}` : expandHome(path, home)

/** True for the folder itself and everything beneath it. */
export const isInside = (folder: string, path: string): boolean =>
  folder === "/" || path === folder || (path.startsWith(folder) && path.charCodeAt(folder.length) === 47)

export const isInsideAny = (folders: ReadonlyArray<string>, path: string): boolean => folders.some((folder) => isInside(folder, path))

export interface BaseFolders {
  /** The folder of the settings that contain the rule. */
  readonly root: string
  readonly home: string
}

/** Where the index stores a rule: under its literal leading folders, a literal name, an extension, or with the rest. */
export type Key =
  | { readonly kind: "prefix" | "name" | "extension"; readonly text: string }
  | { readonly kind: "any" }

export interface PathSpec {
  /** The folder that the pattern is relative to. */
  readonly base: string
  /** Takes a path relative to `base`, without a leading slash. */
  readonly test: (relative: string) => boolean
  readonly key: Key
  /** The name in which a pattern without wildcards ends: only such a rule reaches a protected path. */
  readonly literalName: string | undefined
}

/** Deny and ask rules fold letter case, since many file systems do; an allow matches exactly. */
export const compile = (spec: string, baseFolders: BaseFolders, foldCase: boolean): Result.Result<PathSpec, string> => {
  if (spec.startsWith("!")) return Result.fail("a pattern that begins with ! can never match; put the exception in another list")
  if (/\p{Cc}/u.test(spec)) return Result.fail("a path has no control characters")
  const anchor = anchorOf(spec, baseFolders)
  let { base, pattern } = anchor
  while (pattern.startsWith("./") || pattern.startsWith("../") || pattern.startsWith("/")) {
    if (pattern.startsWith("../")) base = resolve(base, "..")
    pattern = pattern.slice(pattern.indexOf("/") + 1)
  }
  const isFolderOnly = pattern.endsWith("/")
  const body = pattern.replace(/\/+$/, "")
  if (body === "" || body === "." || body === "..")
    return Result.fail(`names no path; to match all files below it, write ${spec}**`.replace("..**", "../**"))
  if (Glob.isCostly(body)) return Result.fail(`has more than ${Glob.maxStars} stars, which could be slow to match`)
  if (/(^|\/)\.\.?(\/|$)/.test(body)) return Result.fail(". and .. are allowed only at the beginning of a pattern")
  const isAnchored = anchor.isAnchored || body.includes("/")
  const start = `${isAnchored ? "" : "**/"}${body}`
  // `a/**` names what is in `a`, and not `a` itself. Otherwise two globs: picomatch's `a*/**` does not match the file
  // `ab`, though `a/**` matches `a`.
  const globs = body.endsWith("/**") ? [`${start}/*${isFolderOnly ? "/*" : ""}`] : isFolderOnly ? [`${start}/**/*`] : [start, `${start}/**`]
  const regexes = globs.map((glob) => picomatch.makeRe(Glob.finite(foldCase ? glob.toLowerCase() : glob), options))
  // An unparsable bracket makes a pattern that nothing matches.
  if (regexes.some((regex) => String(regex) === "/$^/")) return Result.fail("is not a valid gitignore pattern")
  return Result.succeed({
    base,
    test: (relative) => regexes.some((regex) => regex.test(relative)),
    key: keyOf(foldCase ? body.toLowerCase() : body, isAnchored),
    literalName: wildcard.test(body) ? undefined : body.slice(body.lastIndexOf("/") + 1)
  })
}

/** Whether a pattern with braces and globstars names a path relative to its base; without a slash it names files in every folder. */
export const matches = (pattern: string): (path: string) => boolean =>
  Glob.isCostly(pattern) ? () => false : picomatch(Glob.finite(pattern), { dot: true, nonegate: true, basename: !pattern.includes("/") })

/**
 * Whether a shell's file pattern may stand for this name, or lead through a folder of this name. Patterns come from
 * models: one that is not worth compiling, or could take long to match, counts as matching any name.
 */
export const patternNames = (pattern: string): (name: string) => boolean => {
  const segments = pattern.split("/")
  const wildcardIndex = segments.findIndex((segment) => /[*?[(]/.test(segment))
  const nameSegments = segments.slice(Math.max(wildcardIndex, 0)).filter((segment) => segment !== "")
  if (nameSegments.some(hasAlternatives) || Glob.isCostly(pattern)) return () => true
  const tests = nameSegments.map((segment) =>
    picomatch(Glob.finite(segment), { nobrace: true, nocase: true, noextglob: true, nonegate: true })
  )
  return (name) => tests.some((test) => test(name))
}

/** Alternatives in brackets nest, and a name longer than the file system allows cannot match. */
const hasAlternatives = (segment: string): boolean => segment.length > 255 || /[?*+@!]\(/.test(segment)

const options = { dot: true, nobrace: true, noextglob: true, nonegate: true } as const

const wildcard = /[*?[\]\\]/

const anchorOf = (spec: string, { home, root }: BaseFolders): { base: string; pattern: string; isAnchored: boolean } =>
  spec.startsWith("//")
    ? { base: "/", pattern: spec.slice(2), isAnchored: true }
    : spec === "~" || spec.startsWith("~/")
    ? { base: home, pattern: spec.slice(2), isAnchored: true }
    : spec.startsWith("/")
    ? { base: root, pattern: spec.slice(1), isAnchored: true }
    : { base: root, pattern: spec, isAnchored: spec.startsWith("./") || spec.startsWith("../") }

const keyOf = (body: string, isAnchored: boolean): Key => {
  const segments = body.split("/")
  if (isAnchored) {
    const wildcardIndex = segments.findIndex((segment) => wildcard.test(segment))
    const literalSegments = wildcardIndex < 0 ? segments : segments.slice(0, wildcardIndex)
    if (literalSegments.length > 0) return { kind: "prefix", text: literalSegments.join("/") }
  }
  const last = segments.at(-1)!
  if (!wildcard.test(last)) return { kind: "name", text: last }
  const extension = /^\*(\.[^*?[\]\\./]+)$/.exec(last)?.[1]
  return extension === undefined ? { kind: "any" } : { kind: "extension", text: extension }
}

// Network specs: `domain:example.com` is that host alone, `domain:*.example.com` its subdomains without the host
// itself; a port may follow. `private:intranet.example.com` is the same for a host whose public-looking name leads to a
// private address.

export interface HostSpec {
  readonly host: string
  readonly subdomains: boolean
  /** Undefined: the usual web server ports; any port of a private host. */
  readonly port: number | undefined
  /**
   * Whether it names a private host: an address of this machine or its network, a name that can only belong to one (`localhost`,
   * `wiki`, `nas.local`), or any host written with `private:`. No other rule lifts the check on addresses.
   */
  readonly isPrivate: boolean
}

export const parse = (spec: string): Result.Result<HostSpec, string> => {
  const [, form, text = ""] = /^(domain|private):(.*)$/s.exec(spec) ?? []
  if (form === undefined) return Result.fail(`takes a host: write domain:${hostOf(spec) ?? "example.com"}`)
  const hostText = text.trim()
  const subdomains = hostText.startsWith("*.")
  const [, name = "", digits] = /^(.*?)(?::(\d{1,5}))?$/.exec(subdomains ? hostText.slice(2) : hostText)!
  const port = digits === undefined ? undefined : Number(digits)
  const isInvalidPort = port !== undefined && port > 65_535
  const host = isInvalidPort || name === "" || /[*/:@?#\s\\]/.test(name) && !/^\[[\da-f:.]+\]$/i.test(name) ? undefined
    : hostOf(`http://${name}`)
  return host === undefined
    ? Result.fail(`"${hostText}" is not a valid host name; write ${form}:example.com, or ${form}:*.example.com for its subdomains`)
    : Result.succeed({ host, subdomains, port, isPrivate: form === "private" || isPrivate(subdomains ? `any.${host}` : host) })
}

const isPrivate = (host: string): boolean => WebUrl.read(`http://${host}/`)._tag === "Private"

/** The host that a URL reaches, as a browser reads it: lower case, punycode, no trailing dot. */
export const hostOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { hostname, protocol } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:") return undefined
  return hostname === "" ? undefined : hostname.replace(/\.$/, "")
}
