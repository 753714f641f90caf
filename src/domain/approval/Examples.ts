/** Examples that a rule carries: what it must match, and what it must not, checked when it is loaded. */
import type { Call } from "./Call.ts"
import type { Rule } from "./RuleIndex.ts"

/** The call that an example stands for: a command, a path, a URL, or a name. */
export const callOf = ({ covers, kind, tool }: Rule, subject: string): Call => {
  const by = tool.includes("*") ? {} : { by: tool }
  switch (kind) {
    case "command":
      return { ...by, tool: "Bash", command: subject }
    case "path":
      return { ...by, tool: covers("Edit") || /edit|write|patch/.test(tool) ? "Edit" : "Read", path: subject }
    case "host":
      return { ...by, tool: tool.toLowerCase() === "browser" ? "Browser" : "WebFetch", url: subject }
    case "name":
      return { ...by, tool, input: { name: subject } }
    case "none":
      return { tool: subject }
  }
}

/** What is wrong with the first example that does not do as it says. `decides` tells whether the rule alone decides a call. */
export const broken = (
  rule: Rule,
  { match = [], notMatch = [] }: { readonly match?: ReadonlyArray<string>; readonly notMatch?: ReadonlyArray<string> },
  decides: (call: Call) => boolean
): string | undefined => {
  const missed = match.find((subject) => !decides(callOf(rule, subject)))
  if (missed !== undefined) return `does not match its example "${missed}"`
  const caught = notMatch.find((subject) => decides(callOf(rule, subject)))
  return caught === undefined ? undefined : `matches "${caught}", which its examples say that it must not`
}
