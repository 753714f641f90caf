/** Normalizes the ways in which models write tasks for subagents. */
import * as Table from "../Table.ts"
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import * as ParamSchema from "../tool/ParamSchema.ts"

/** `{ tasks }` from any input: texts in place of tasks, one task without a list, `prompt_1`, `prompt_2` and so on. */
export const parseTasks = (raw: Schema.JsonObject): Schema.JsonObject => {
  if (raw.tasks !== undefined) {
    const list = ParamSchema.coerce({ type: "array" }, raw.tasks)
    return { ...raw, tasks: Array.isArray(list) ? list.map(parseTask) : raw.tasks }
  }
  const promptKeys = Object.keys(raw).filter((key) => /^prompt_?\d+$/.test(key)).sort((a, b) =>
    Number(/\d+/.exec(a)) - Number(/\d+/.exec(b))
  )
  if (promptKeys.length > 0) return { tasks: promptKeys.map((key) => parseTask(raw[key]!)) }
  const one = parseTask(raw)
  return ParamSchema.isObject(one) && "prompt" in one ? { tasks: [one] } : raw
}

const parseTask = (rawTask: Schema.Json): Schema.Json => {
  if (typeof rawTask === "string") return { prompt: rawTask }
  if (!ParamSchema.isObject(rawTask)) return rawTask
  const {
    context,
    description,
    message,
    mode,
    prompt = message ?? context ?? rawTask.task,
    name = description,
    subagent_type,
    agent = subagent_type,
    task: _,
    ...rest
  } = rawTask as Schema.JsonObject
  return {
    ...rest,
    ...optional({ prompt, name }),
    ...(agent === undefined || (typeof agent === "string" && defaultAgentName.test(agent)) ? {} : { agent }),
    ...(mode === undefined ? {} : { mode: typeof mode === "string" ? Table.entry(modes, mode.toLowerCase()) ?? mode : mode })
  }
}

/** Other agents' names for a subagent like the caller. */
const defaultAgentName = /^(?:|default|general|general[-_ ]purpose)$/i

/** Common names for what a subagent may do. */
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
