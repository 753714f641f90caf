/**
 * Definitions in the format of Cline and Roo: tools that they run without asking (`autoApprove`, `alwaysAllow`), which become
 * allow rules, and timeouts in seconds.
 */
import * as Predicate from "effect/Predicate"
import * as Naming from "./Naming.ts"

/** Their lists of tools; `"*"` is every tool of the server. */
export const lists: ReadonlyArray<string> = ["autoApprove", "alwaysAllow"]

/** Longer times are not seconds: Roo permits an hour. */
const maxSeconds = 3_600

/** The allow rules for the tools that the definitions approve, by server. */
export const rules = (servers: Readonly<Record<string, unknown>>): ReadonlyArray<{ readonly server: string; readonly rule: string }> =>
  Object.entries(servers).flatMap(([server, entry]) =>
    Naming.problem(server) !== undefined || !Predicate.isObject(entry) ? []
      : lists.flatMap((name) => textsIn(entry[name])).map((tool) => ({
        server,
        rule: tool === "*" ? `mcp__${server}` : Naming.toolName(server, tool)
      }))
  )

const textsIn = (value: unknown): ReadonlyArray<string> => {
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  return values.filter((one) => typeof one === "string" && one !== "") as ReadonlyArray<string>
}

/** A definition with its timeout in ms, as ours has it. `isForeign`: its file is one of Cline or Roo. */
export const withMilliseconds = (entry: unknown, isForeign: boolean): unknown => {
  if (!Predicate.isObject(entry) || !(isForeign || lists.some((name) => Object.hasOwn(entry, name)))) return entry
  const { timeout } = entry
  return typeof timeout === "number" && timeout <= maxSeconds ? { ...entry, timeout: timeout * 1000 } : entry
}
