/** The text of a rule taken apart: `@tag:Tool(spec, condition)`. What the parts mean is for the files beside this one. */
import * as Result from "effect/Result"
import { factNames } from "./Condition.ts"

export interface RuleText {
  readonly tag: string | undefined
  /** A tool's name, perhaps with `*`. */
  readonly tool: string
  readonly spec: string | undefined
  readonly condition: string | undefined
}

const shape = /^(?:@([^:()\s]*):)?([\w*.-]+)\s*(?:\((.*)\))?$/s

export const parse = (text: string): Result.Result<RuleText, string> => {
  const [matched, tag, tool, inner] = shape.exec(text.trim()) ?? []
  if (matched === undefined) return Result.fail("is no rule; write Tool, Tool(spec), Tool(spec, condition) or @tag:Tool(spec)")
  if (inner === undefined) return Result.succeed({ tag, tool: tool!, spec: undefined, condition: undefined })
  const { condition, spec } = split(inner)
  if (spec === "") return Result.fail(`the brackets are empty; for every use of the tool write ${tool}${tool === "Bash" ? " or Bash(*)" : ""}`)
  return Result.succeed({ tag, tool: tool!, spec, condition })
}

/** A comma belongs to the spec unless what follows it begins with the name of a fact. */
const conditionStart = new RegExp(`,\\s*(?=(?:${factNames.join("|")})(?![\\w-]))`)

const split = (inner: string): { readonly spec: string; readonly condition: string | undefined } => {
  const comma = conditionStart.exec(inner)
  return comma === null
    ? { spec: inner.trim(), condition: undefined }
    : { spec: inner.slice(0, comma.index).trim(), condition: inner.slice(comma.index + comma[0].length).trim() }
}
