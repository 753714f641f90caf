/**
 * An agent that someone wrote down, as the tools of the field keep them: a Markdown file whose text is its prompt, and whose
 * frontmatter says with what it works. Names of tools are those of the file.
 */
import * as Result from "effect/Result"
import { Mode } from "../approval/Mode.ts"
import * as Frontmatter from "../message/Frontmatter.ts"

/**
 * - `tools` are all that it has; absent: all there are. `without` are those that it must not use.
 * - `permissions`: what is allowed, asked or denied of a tool, whole or for a `pattern`; `line` is where it is said.
 * - `mode`: whether people run it (primary) or other agents give it work (subagent); absent: both.
 */
export interface CustomAgent {
  readonly name: string
  readonly description: string
  readonly prompt: string
  readonly model?: string
  readonly tools?: ReadonlyArray<string>
  readonly without: ReadonlyArray<string>
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

/** `stem` is the file's name without `.md`: the agent's name where the file says none. */
export const parse = (stem: string, text: string): Result.Result<CustomAgent, Fault> =>
  Result.gen(function*() {
    const { body, fault, fields } = Frontmatter.read(text)
    if (fault !== undefined) return yield* Result.fail(fault)
    const said = (name: string): string | undefined => fields.get(name)?.text || undefined
    const model = said("model")
    const permissionMode = yield* oneOf(fields, "permissionMode", Mode.literals)
    const mode = yield* oneOf(fields, "mode", ["all", "primary", "subagent"] as const)
    const { only, without } = yield* tooled(fields.get("tools"), fields.get("disallowedTools"))
    const { mode: permitted, permissions } = yield* permission(fields.get("permission"))
    const strictest = permissionMode ?? permitted
    return {
      name: yield* named(fields.get("name"), stem),
      description: said("description") ?? "",
      prompt: body.trim(),
      without,
      permissions,
      ...(only === undefined ? {} : { tools: only }),
      ...(model === undefined ? {} : { model }),
      ...(strictest === undefined ? {} : { permissionMode: strictest }),
      ...(mode === undefined || mode === "all" ? {} : { mode })
    } satisfies CustomAgent
  })

/** A name that is a word of a command line in every shell. */
const named = (field: Frontmatter.Field | undefined, stem: string): Result.Result<string, Fault> => {
  const name = field === undefined || field.text === "" ? stem : field.text
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name)
    ? Result.succeed(name)
    : Result.fail({ line: field?.line ?? 1, why: `the name ${JSON.stringify(name.slice(0, 80))} is not of letters, digits, "-", "_" and ".", or longer than 64` })
}

const oneOf = <const A extends string>(fields: Frontmatter.Fields, name: string, choices: ReadonlyArray<A>): Result.Result<A | undefined, Fault> => {
  const field = fields.get(name)
  const choice = choices.find((one) => one === field?.text)
  return field === undefined || field.text === "" || choice !== undefined
    ? Result.succeed(choice)
    : Result.fail({ line: field.line, why: `${name} is one of ${choices.join(", ")}; ${JSON.stringify(field.text.slice(0, 80))} is not` })
}

/** Names as `Read, Grep` or a list. */
const listed = ({ value }: Frontmatter.Field): ReadonlyArray<string> =>
  typeof value === "string" ? words(value) : Frontmatter.isFields(value) ? [...value.keys()] : value.flatMap(words)

/** Tools that it has and must not have: a list in which `*` is all, or a map of what is on and off. `only` is absent where all are meant. */
const tooled = (tools: Frontmatter.Field | undefined, disallowed: Frontmatter.Field | undefined): Result.Result<{ readonly only?: ReadonlyArray<string>; readonly without: ReadonlyArray<string> }, Fault> => {
  const states = tools !== undefined && Frontmatter.isFields(tools.value) ? [...tools.value] : undefined
  const odd = states?.find(([, { text }]) => text !== "true" && text !== "false")
  if (odd !== undefined) return Result.fail({ line: odd[1].line, why: `a tool is true or false; ${JSON.stringify(odd[1].text.slice(0, 80))} is neither` })
  if (disallowed !== undefined && Frontmatter.isFields(disallowed.value)) return Result.fail({ line: disallowed.line, why: "disallowedTools is a list of names" })
  const refused = disallowed === undefined ? [] : listed(disallowed)
  const those = (state: string) => states?.flatMap(([name, { text }]) => text === state ? [name] : []) ?? []
  const off = those("false")
  const only = refused.includes("*") ? []
    : states !== undefined ? off.includes("*") ? those("true") : undefined
    : tools === undefined || tools.value === "" ? undefined
    : listed(tools)
  return Result.succeed({
    without: [...off, ...refused].filter((name) => name !== "*"),
    ...(only === undefined || only.includes("*") ? {} : { only })
  })
}

/** Names parted by commas or spaces; what stands in brackets behind one says no more than its rules. */
const words = (text: string): ReadonlyArray<string> => text.replace(/\([^)]*\)/g, "").split(/[\s,]+/).filter((word) => word !== "")

const decisions = ["allow", "ask", "deny"] as const

/** A mode by its name, or a map by tools: each a decision, or decisions by patterns. */
const permission = (field: Frontmatter.Field | undefined): Result.Result<{ readonly mode?: Mode; readonly permissions: ReadonlyArray<Permission> }, Fault> => {
  if (field === undefined || field.text === "") return Result.succeed({ permissions: [] })
  if (!Frontmatter.isFields(field.value)) {
    return Result.map(oneOf(new Map([["permission", field]]), "permission", Mode.literals), (mode) => ({ permissions: [], ...(mode === undefined ? {} : { mode }) }))
  }
  const permissions: Array<Permission> = []
  for (const [tool, said] of field.value) {
    for (const [pattern, { line, text }] of Frontmatter.isFields(said.value) ? said.value : [["*", said] as const]) {
      const decision = decisions.find((one) => one === text)
      if (decision === undefined) return Result.fail({ line, why: `permission is ${decisions.join(", ")}; ${JSON.stringify(text.slice(0, 80))} is not` })
      permissions.push({ decision, tool, line, ...(pattern === "*" ? {} : { pattern }) })
    }
  }
  return Result.succeed({ permissions })
}
