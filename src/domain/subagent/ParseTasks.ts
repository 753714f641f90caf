/** The ways in which models write tasks for others, brought into ours. */
import type * as Schema from "effect/Schema"
import * as ParamSchema from "../tool/ParamSchema.ts"

/** `{ tasks }`, whatever came: texts in place of tasks, one task without a list, `prompt_1`, `prompt_2` and so on. */
export const accept = (raw: Schema.JsonObject): Schema.JsonObject => {
  if (raw.tasks !== undefined) {
    const list = ParamSchema.coerce({ type: "array" }, raw.tasks)
    return { ...raw, tasks: Array.isArray(list) ? list.map(task) : raw.tasks }
  }
  const numbered = Object.keys(raw).filter((key) => /^prompt_?\d+$/.test(key)).sort((a, b) => Number(/\d+/.exec(a)) - Number(/\d+/.exec(b)))
  if (numbered.length > 0) return { tasks: numbered.map((key) => task(raw[key]!)) }
  const one = task(raw)
  return ParamSchema.isObject(one) && "prompt" in one ? { tasks: [one] } : raw
}

const task = (given: Schema.Json): Schema.Json => {
  if (typeof given === "string") return { prompt: given }
  if (!ParamSchema.isObject(given)) return given
  const { context, description, message, mode, prompt = message ?? context ?? given.task, name = description, subagent_type, agent = subagent_type, task: _, ...rest } = given as Schema.JsonObject
  return {
    ...rest,
    ...(prompt === undefined ? {} : { prompt }),
    ...(name === undefined ? {} : { name }),
    ...(agent === undefined || (typeof agent === "string" && anyone.test(agent)) ? {} : { agent }),
    ...(mode === undefined ? {} : { mode: typeof mode === "string" ? modes[mode.toLowerCase()] ?? mode : mode })
  }
}

/** Other agents' names for one that is like who asks. */
const anyone = /^(?:|default|general|general[-_ ]purpose)$/i

/** Names of the field for what a child may do. */
const modes: Readonly<Record<string, string>> = {
  act: "edit",
  architect: "read",
  ask: "read",
  code: "edit",
  debug: "edit",
  plan: "read",
  "read-only": "read",
  readonly: "read",
  write: "edit"
}
