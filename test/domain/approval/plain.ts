/** Rules read plainly, list by list and rule by rule, with no index: the reference for what is compiled. Knows only what the properties use. */
import ignore from "ignore"
import type * as Rule from "../../../src/domain/approval/Rule.ts"
import * as PathSpec from "../../../src/domain/approval/PathSpec.ts"

interface Places {
  readonly root: string
  readonly home: string
}

type Lists = { readonly [list in "allow" | "ask" | "deny"]: ReadonlyArray<string> }

export const evaluatePlainly = (rules: Lists, call: Rule.Call, places: Places): string =>
  (["deny", "ask", "allow"] as const).find((list) => rules[list].some((rule) => matches(rule, list, call, places))) ?? "ask"

const matches = (text: string, list: string, call: Rule.Call, places: Places): boolean => {
  const [, tag, tool, inner] = /^(?:@(\w+):)?([\w*]+)(?:\((.*)\))?$/.exec(text)!
  const [spec, condition] = inner?.split(/, (?=risk|mode)/) ?? []
  return names(tool!, call.tool) && (tag === undefined || (tag === "read" && call.tool === "Read"))
    && (condition === undefined || holds(condition, list, call.facts ?? {}))
    && (spec === undefined || subject(spec, list, call, places))
}

const names = (pattern: string, tool: string): boolean =>
  pattern === "*" || pattern === tool || (pattern === "mcp__*" && tool.startsWith("mcp__")) || (/^mcp__[a-z]$/.test(pattern) && tool.startsWith(`${pattern}__`))

const holds = (condition: string, list: string, facts: Readonly<Record<string, unknown>>): boolean => {
  const known = condition === "risk <= medium" ? facts["risk"] : facts["mode"]
  if (known === undefined) return list !== "allow"
  return condition === "risk <= medium" ? known !== "high" : known === "plan"
}

const subject = (spec: string, list: string, call: Rule.Call, places: Places): boolean => {
  if ("command" in call) return command(spec, call.command.split(" "))
  if ("path" in call) return path(spec, list, PathSpec.resolve(places.root, PathSpec.expandHome(call.path, places.home)), places)
  if (!("url" in call)) return false
  const { hostname } = new URL(call.url)
  return spec === `domain:${hostname}` || (spec.startsWith("domain:*.") && hostname.endsWith(spec.slice("domain:*".length)))
}

const command = (spec: string, words: ReadonlyArray<string>): boolean => {
  if (spec === "*") return true
  const wanted = spec.replace(/:\*$| \*$/, "").split(" ")
  return wanted.every((word, i) => words[i] === word) && (wanted.join(" ") !== spec || words.length === wanted.length)
}

/** As git reads ignore files, by the library that the field uses for it. */
const path = (spec: string, list: string, path: string, { home, root }: Places): boolean => {
  const base = spec.startsWith("//") ? "/" : spec.startsWith("~/") ? home : root
  const pattern = spec.startsWith("//") ? spec.slice(1) : spec.startsWith("~/") ? spec.slice(1) : spec.replace(/^\.\//, "/")
  if (path === base || !PathSpec.isInside(base, path)) return false
  return ignore({ ignorecase: list !== "allow" }).add(pattern).ignores(path.slice(base === "/" ? 1 : base.length + 1))
}
