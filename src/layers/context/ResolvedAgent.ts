/** An agent profile resolved to our own names and rules. */
import * as Result from "effect/Result"
import * as Mode from "../../domain/approval/Mode.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import * as ToolName from "../../domain/approval/ToolName.ts"
import type { AgentProfile } from "../../domain/config/AgentProfile.ts"
import type { Fault } from "../../domain/message/Frontmatter.ts"
import * as ToolAliases from "../tool/ToolAliases.ts"

/**
 * An agent profile as it applies here: its tools by our names, its permissions as rules. `own`: it is the user's, not
 * the project's, and may loosen restrictions. `notes` list what does not apply here.
 */
export interface ResolvedAgent extends Pick<AgentProfile, "name" | "description" | "prompt" | "model" | "mode"> {
  readonly file: string
  readonly isUserDefined: boolean
  readonly permissionMode?: Mode.Mode
  readonly onlyTools?: ReadonlyArray<string>
  readonly rules: Readonly<Record<"allow" | "ask" | "deny", ReadonlyArray<string>>>
  readonly notes: ReadonlyArray<string>
}

/** Whether other agents may delegate work to it. */
export const isSubagent = ({ mode }: Pick<ResolvedAgent, "mode">): boolean => mode !== "primary"

const ruleNames = ToolName.builtinTools.map(({ name }) => name)

/** The name in a rule for a tool, whatever it is called: the standard one, or our own. */
const ruleName = (tool: string): string | undefined => ToolName.resolveSpelling(tool, ruleNames) ?? ToolAliases.tool(tool)

/** An invalid rule invalidates the file: it may be what restricts the agent. */
export const of = (
  { permissions, tools, disallowedTools, ...agent }: AgentProfile,
  file: string,
  isUserDefined: boolean
): Result.Result<ResolvedAgent, Fault> => {
  const rules = { allow: [] as Array<string>, ask: [] as Array<string>, deny: [] as Array<string> }
  const unknownTools = [...tools ?? [], ...disallowedTools].filter((name) => ToolAliases.tool(name) === undefined)
  for (const name of disallowedTools) {
    const tool = ToolAliases.tool(name)
    if (tool !== undefined) rules.deny.push(tool)
  }
  for (const { decision, line, pattern, tool } of permissions) {
    const name = ruleName(tool)
    const suggestion = name === undefined ? ToolName.suggestion(tool, ruleNames) : undefined
    if (suggestion !== undefined)
      return Result.fail({ line, why: `permission names an unknown tool ${JSON.stringify(tool)}; did you mean ${suggestion}?` })
    if (name === undefined) unknownTools.push(tool)
    else {
      const rule = pattern === undefined ? name : `${name}(${pattern})`
      const compiled = Rule.compile({ [decision]: [rule] })
      if (Result.isFailure(compiled)) return Result.fail({ line, why: `the rule ${rule}: ${compiled.failure.problem}` })
      rules[decision].push(rule)
    }
  }
  const { permissionMode: mode = "default" } = agent
  const warnings = [
    ...rules.allow.length > 0 ? ["what it allows is ignored: a project can only be stricter than your own settings"] : [],
    ...Mode.stricterMode(mode, "default") !== mode ? [`its mode ${mode} applies only where your own mode is less strict`] : []
  ]
  return Result.succeed({
    ...agent,
    file,
    isUserDefined,
    ...(tools === undefined ? {} : { onlyTools: [...new Set(tools.flatMap((name) => ToolAliases.tool(name) ?? []))] }),
    rules: isUserDefined ? rules : { ...rules, allow: [] },
    notes: [
      ...(unknownTools.length === 0 ? [] : [`unknown tools: ${[...new Set(unknownTools)].join(", ")}`]),
      ...(isUserDefined ? [] : warnings)
    ]
  })
}
