/** Path specs in gitignore syntax, compiled to one test over absolute paths and one key for the index. */
import * as Result from "effect/Result"
import picomatch from "picomatch/posix.js"
import * as Glob from "../workspace/Glob.ts"
import * as Location from "./Location.ts"

export interface Places {
  /** The folder of the settings that hold the rule. */
  readonly root: string
  readonly home: string
}

/** Where the index keeps a rule: under its literal leading folders, a literal name, an extension, or among the rest. */
export type Key =
  | { readonly kind: "prefix" | "name" | "extension"; readonly text: string }
  | { readonly kind: "any" }

export interface PathSpec {
  /** The folder that the pattern is relative to. */
  readonly base: string
  /** Takes a path relative to `base`, without a leading slash. */
  readonly test: (relative: string) => boolean
  readonly key: Key
  /** The name that a pattern without wildcards ends in: only such a rule reaches a protected path. */
  readonly literalName: string | undefined
}

/** Deny and ask rules fold letter case, since many file systems do; an allow covers what it spells. */
export const compile = (spec: string, places: Places, foldCase: boolean): Result.Result<PathSpec, string> => {
  if (spec.startsWith("!")) return Result.fail("a pattern that begins with ! can never match; put the exception in another list")
  if (/\p{Cc}/u.test(spec)) return Result.fail("a path has no control characters")
  const anchoredAt = place(spec, places)
  let { base, pattern } = anchoredAt
  while (pattern.startsWith("./") || pattern.startsWith("../") || pattern.startsWith("/")) {
    if (pattern.startsWith("../")) base = Location.resolve(base, "..")
    pattern = pattern.slice(pattern.indexOf("/") + 1)
  }
  const folderOnly = pattern.endsWith("/")
  const body = pattern.replace(/\/+$/, "")
  if (body === "" || body === "." || body === "..") return Result.fail(`names no path; for all files beneath write ${spec}**`.replace("..**", "../**"))
  if (/(^|\/)\.\.?(\/|$)/.test(body)) return Result.fail(". and .. can stand only at the beginning of a pattern")
  const anchored = anchoredAt.anchored || body.includes("/")
  // `a/**` names what is in `a`, and not `a`.
  const within = body.endsWith("/**") ? "*" : "**"
  const glob = `${anchored ? "" : "**/"}${body}/${within}${folderOnly ? "/*" : ""}`
  const regex = picomatch.makeRe(Glob.finite(foldCase ? glob.toLowerCase() : glob), options)
  // An unparsable bracket makes a pattern that nothing matches.
  if (String(regex) === "/$^/") return Result.fail("is no pattern of gitignore")
  return Result.succeed({
    base,
    test: (relative) => regex.test(relative),
    key: keyOf(foldCase ? body.toLowerCase() : body, anchored),
    literalName: wildcard.test(body) ? undefined : body.slice(body.lastIndexOf("/") + 1)
  })
}

/** Whether a pattern with braces and globstars names a path relative to where it counts from; without a slash it names files in every folder. */
export const matches = (pattern: string): (path: string) => boolean =>
  picomatch(Glob.finite(pattern), { dot: true, nonegate: true, basename: !pattern.includes("/") })

/** Whether a shell's file pattern may stand for this name, or lead through a folder of this name. */
export const patternNames = (pattern: string): (name: string) => boolean => {
  const segments = pattern.split("/")
  const wild = segments.findIndex((segment) => /[*?[(]/.test(segment))
  const tests = segments.slice(Math.max(wild, 0)).map((segment) => picomatch(Glob.finite(segment), { nobrace: true, nocase: true, nonegate: true }))
  return (name) => tests.some((test) => test(name))
}

const options = { dot: true, nobrace: true, noextglob: true, nonegate: true } as const

const wildcard = /[*?[\]\\]/

const place = (spec: string, { home, root }: Places): { base: string; pattern: string; anchored: boolean } =>
  spec.startsWith("//")
    ? { base: "/", pattern: spec.slice(2), anchored: true }
    : spec === "~" || spec.startsWith("~/")
    ? { base: home, pattern: spec.slice(2), anchored: true }
    : spec.startsWith("/")
    ? { base: root, pattern: spec.slice(1), anchored: true }
    : { base: root, pattern: spec, anchored: spec.startsWith("./") || spec.startsWith("../") }

const keyOf = (body: string, anchored: boolean): Key => {
  const segments = body.split("/")
  if (anchored) {
    const wild = segments.findIndex((segment) => wildcard.test(segment))
    const literal = wild < 0 ? segments : segments.slice(0, wild)
    if (literal.length > 0) return { kind: "prefix", text: literal.join("/") }
  }
  const last = segments.at(-1)!
  if (!wildcard.test(last)) return { kind: "name", text: last }
  const extension = /^\*(\.[^*?[\]\\./]+)$/.exec(last)?.[1]
  return extension === undefined ? { kind: "any" } : { kind: "extension", text: extension }
}
