/**
 * An agent profile in the common format: a Markdown file whose text is the prompt, and whose frontmatter configures the
 * agent. Tool names are those of the file.
 */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import { Mode } from "../approval/Mode.ts"
import * as Frontmatter from "../message/Frontmatter.ts"

/**
 * - `tools` are all its tools; absent: every available tool. `without` are tools that it must not use.
 * - `permissions`: what is allowed, asked or denied for a tool, in general or for a `pattern`; `line` is its location.
 * - `mode`: whether people run it (primary) or other agents delegate work to it (subagent); absent: both.
 */
export interface AgentProfile {
  readonly name: string
  readonly description: string
  readonly prompt: string
  readonly model?: string
  readonly tools?: ReadonlyArray<string>
  readonly disallowedTools: ReadonlyArray<string>
  readonly permissionMode?: Mode
  readonly permissions: ReadonlyArray<Permission>
  readonly mode?: "primary" | "subagent"
}

export interface Permission {
  readonly decision: "allow" | "ask" | "deny"
  readonly tool: string
  readonly pattern?: string
  readonly line: number
}

type Fault = Frontmatter.Fault

/** `stem` is the file's name without `.md`: the agent's name if the file does not give one. */
export const parse = (stem: string, text: string): Result.Result<AgentProfile, Fault> =>
  Result.gen(function*() {
    const { body, fault, fields } = Frontmatter.read(text)
    if (fault !== undefined) return yield* Result.fail(fault)
    const textOf = (name: string): string | undefined => fields.get(name)?.text || undefined
    const model = textOf("model")
    const permissionMode = yield* oneOf(fields, "permissionMode", Mode.literals)
    const mode = yield* oneOf(fields, "mode", ["all", "primary", "subagent"] as const)
    const { only: allowedTools, without: disallowedTools } = yield* toolLists(fields.get("tools"), fields.get("disallowedTools"))
    const { mode: fieldMode, permissions } = yield* permission(fields.get("permission"))
    const effectiveMode = permissionMode ?? fieldMode
    return {
      name: yield* profileName(fields.get("name"), stem),
      description: textOf("description") ?? "",
      prompt: body.trim(),
      disallowedTools,
      permissions,
      ...optional({ tools: allowedTools, model, permissionMode: effectiveMode }),
      ...(mode === undefined || mode === "all" ? {} : { mode })
    } satisfies AgentProfile
  })

/** A name that is a single word on the command line of every shell. */
const profileName = (field: Frontmatter.Field | undefined, stem: string): Result.Result<string, Fault> => {
  const name = field === undefined || field.text === "" ? stem : field.text
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name)
    ? Result.succeed(name)
    : Result.fail({
      line: field?.line ?? 1,
      why: `the name ${JSON.stringify(name.slice(0, 80))} must consist of letters, digits, "-", "_" and ".", with at most 64 characters`
    })
}

const oneOf = <const A extends string>(
  fields: Frontmatter.Fields,
  name: string,
  choices: ReadonlyArray<A>
): Result.Result<A | undefined, Fault> => {
  const field = fields.get(name)
  const choice = choices.find((one) => one === field?.text)
  return field === undefined || field.text === "" || choice !== undefined
    ? Result.succeed(choice)
    : Result.fail({ line: field.line, why: `${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(field.text.slice(0, 80))}` })
}

/** Names as `Read, Grep` or a list. */
const namesIn = ({ value }: Frontmatter.Field): ReadonlyArray<string> =>
  typeof value === "string" ? toolNames(value) : Frontmatter.isFields(value) ? [...value.keys()] : value.flatMap(toolNames)

/**
 * Tools that it has and must not have: a list in which `*` means all, or a map of true and false. `only` is absent if
 * all are meant.
 */
const toolLists = (
  tools: Frontmatter.Field | undefined,
  disallowedField: Frontmatter.Field | undefined
): Result.Result<{ readonly only?: ReadonlyArray<string>; readonly without: ReadonlyArray<string> }, Fault> => {
  const states = tools !== undefined && Frontmatter.isFields(tools.value) ? [...tools.value] : undefined
  const invalidEntry = states?.find(([, { text }]) => text !== "true" && text !== "false")
  if (invalidEntry !== undefined)
    return Result.fail({
      line: invalidEntry[1].line,
      why: `a tool must be true or false, not ${JSON.stringify(invalidEntry[1].text.slice(0, 80))}`
    })
  if (disallowedField !== undefined && Frontmatter.isFields(disallowedField.value))
    return Result.fail({ line: disallowedField.line, why: "disallowedTools must be a list of names" })
  const disallowedNames = disallowedField === undefined ? [] : namesIn(disallowedField)
  const namesWithState = (state: string) => states?.flatMap(([name, { text }]) => text === state ? [name] : []) ?? []
  const disabledNames = namesWithState("false")
  const allowedTools = disallowedNames.includes("*") ? []
    : states !== undefined ? disabledNames.includes("*") ? namesWithState("true") : undefined
    : tools === undefined || tools.value === "" ? undefined
    : namesIn(tools)
  return Result.succeed({
    without: [...disabledNames, ...disallowedNames].filter((name) => name !== "*"),
    ...(allowedTools === undefined || allowedTools.includes("*") ? {} : { only: allowedTools })
  })
}

/** Names separated by commas or spaces; a spec in brackets after a name is covered by its rules. */
const toolNames = (text: string): ReadonlyArray<string> => text.replace(/\([^)]*\)/g, "").split(/[\s,]+/).filter((name) => name !== "")

const decisions = ["allow", "ask", "deny"] as const

/** A mode by its name, or a map by tools: each a decision, or decisions by patterns. */
const permission = (
  field: Frontmatter.Field | undefined
): Result.Result<{ readonly mode?: Mode; readonly permissions: ReadonlyArray<Permission> }, Fault> => {
  if (field === undefined || field.text === "") return Result.succeed({ permissions: [] })
  if (!Frontmatter.isFields(field.value)) {
    return Result.map(
      oneOf(new Map([["permission", field]]), "permission", Mode.literals),
      (mode) => ({ permissions: [], ...optional({ mode }) })
    )
  }
  const permissions: Array<Permission> = []
  for (const [tool, entry] of field.value) {
    for (const [pattern, { line, text }] of Frontmatter.isFields(entry.value) ? entry.value : [["*", entry] as const]) {
      const decision = decisions.find((one) => one === text)
      if (decision === undefined)
        return Result.fail({ line, why: `permission must be one of ${decisions.join(", ")}, not ${JSON.stringify(text.slice(0, 80))}` })
      permissions.push({ decision, tool, line, ...(pattern === "*" ? {} : { pattern }) })
    }
  }
  return Result.succeed({ permissions })
}
