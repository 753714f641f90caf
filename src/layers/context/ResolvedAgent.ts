/** An agent that someone wrote down, with the names and rules of this house. */
import * as Result from "effect/Result"
import * as Mode from "../../domain/approval/Mode.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import * as ToolName from "../../domain/approval/ToolName.ts"
import type { CustomAgent } from "../../domain/config/AgentProfile.ts"
import type { Fault } from "../../domain/message/Frontmatter.ts"
import * as Named from "../tool/ToolAliases.ts"

/**
 * An agent as it works here: its tools by our names, its permissions as rules. `own`: the user wrote it, not the project, and
 * what it loosens counts. `notes` say what of its file does not hold here.
 */
export interface Worker extends Pick<CustomAgent, "name" | "description" | "prompt" | "model" | "mode"> {
  readonly file: string
  readonly own: boolean
  readonly permissionMode?: Mode.Mode
  readonly onlyTools?: ReadonlyArray<string>
  readonly rules: Readonly<Record<"allow" | "ask" | "deny", ReadonlyArray<string>>>
  readonly notes: ReadonlyArray<string>
}

/** Whether other agents may give it work. */
export const isForOthers = ({ mode }: Pick<Worker, "mode">): boolean => mode !== "primary"

const ruleNames = ToolName.builtin.map(({ name }) => name)

/** The word of a rule for a tool, whatever it is called: the field's, or our own name. */
const word = (tool: string): string | undefined => ToolName.spelled(tool, ruleNames) ?? Named.tool(tool)

/** A rule that can't hold breaks the file: it may be what keeps the agent from something. */
export const of = ({ permissions, tools, without, ...agent }: CustomAgent, file: string, own: boolean): Result.Result<Worker, Fault> => {
  const rules = { allow: [] as Array<string>, ask: [] as Array<string>, deny: [] as Array<string> }
  const strangers = [...tools ?? [], ...without].filter((name) => Named.tool(name) === undefined)
  for (const name of without) {
    const tool = Named.tool(name)
    if (tool !== undefined) rules.deny.push(tool)
  }
  for (const { decision, line, pattern, tool } of permissions) {
    const name = word(tool)
    const near = name === undefined ? ToolName.suggestion(tool, ruleNames) : undefined
    if (near !== undefined) return Result.fail({ line, why: `permission knows no tool ${JSON.stringify(tool)}; did you mean ${near}?` })
    if (name === undefined) strangers.push(tool)
    else {
      const rule = pattern === undefined ? name : `${name}(${pattern})`
      const compiled = Rule.compile({ [decision]: [rule] })
      if (Result.isFailure(compiled)) return Result.fail({ line, why: `the rule ${rule}: ${compiled.failure.problem}` })
      rules[decision].push(rule)
    }
  }
  const { permissionMode: mode = "default" } = agent
  const loosens = [
    ...rules.allow.length > 0 ? ["what it allows does not count: a project can only be stricter than you are"] : [],
    ...Mode.tightened(mode, "default") !== mode ? [`its mode ${mode} counts only where yours lets more happen`] : []
  ]
  return Result.succeed({
    ...agent,
    file,
    own,
    ...(tools === undefined ? {} : { onlyTools: [...new Set(tools.flatMap((name) => Named.tool(name) ?? []))] }),
    rules: own ? rules : { ...rules, allow: [] },
    notes: [
      ...(strangers.length === 0 ? [] : [`no tool here is called ${[...new Set(strangers)].join(", ")}`]),
      ...(own ? [] : loosens)
    ]
  })
}
