/** The to-do list in the formats that models write, and as models and people read it. */
import * as Table from "../Table.ts"
import type * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import type { TodoItem } from "./Outcome.ts"
import * as ParamSchema from "./ParamSchema.ts"

const boxes: Readonly<Record<TodoItem["state"], string>> = { pending: "[ ]", in_progress: "[~]", done: "[x]" }

/** One line per item: `- [x] read the tests`. */
export const render = (items: ReadonlyArray<TodoItem>): string => items.map(({ state, text }) => `- ${boxes[state]} ${text}`).join("\n")

/** A Markdown checklist, a list of strings, or items with other field names become items; everything else stays as it is. */
export const accept = (value: Schema.Json): Schema.Json => {
  const list = ParamSchema.coerce({ type: "array" }, value)
  const items = Array.isArray(list) && list.length === 1 && typeof list[0] === "string" ? list[0].split("\n") : list
  return Array.isArray(items) ? items.filter((item) => item !== "").map(toItem) : value
}

/** The steps of a plan in Markdown: its numbered lines or checkboxes without indentation, outside of code. */
export const ofPlan = (plan: string): ReadonlyArray<TodoItem> => {
  const lines = plan.replace(/^```[\s\S]*?(?:^```|$(?![\s\S]))/gm, "").split("\n")
  return lines.flatMap((line): ReadonlyArray<TodoItem> => {
    const text = /^(?:\d+[.)]|[-*] \[[ x~]\])[ \t]+(\S.*?)\s*$/i.exec(line)?.[1]
    return text === undefined ? [] : [{ text: text.replace(/\*\*/g, "").slice(0, 200), state: "pending" }]
  })
}

const toItem = (value: Schema.Json): Schema.Json =>
  typeof value === "string" ? fromLine(value)
    : ParamSchema.isObject(value) ? fromRecord(value as Schema.JsonObject)
    : value

const fromLine = (line: string): Schema.Json => {
  const [, box = " ", text = line.trim()] = /^\s*(?:[-*]|\d+\.)?\s*\[(.)\]\s*(.*?)\s*$/.exec(line) ?? []
  return { text: text.replace(/^(?:[-*]|\d+\.)\s+/, ""), state: Table.entry(states, box.toLowerCase()) ?? "pending" }
}

const fromRecord = (record: Schema.JsonObject): Schema.Json => {
  const text = record.text ?? record.content ?? record.title ?? record.task ?? record.step
  const state = record.state ?? record.status ?? "pending"
  return {
    ...optional({ text }),
    state: typeof state === "string" ? Table.entry(states, state.toLowerCase()) ?? state : state
  }
}

const states: Readonly<Record<string, TodoItem["state"]>> = {
  " ": "pending",
  x: "done",
  "~": "in_progress",
  "-": "in_progress",
  ">": "in_progress",
  todo: "pending",
  completed: "done",
  complete: "done",
  "in-progress": "in_progress",
  active: "in_progress"
}
