/** A form that a server wants filled in (elicitation), as questions to a person and what their words mean. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Printable from "../message/SafeText.ts"
import { isObject } from "../tool/ParamSchema.ts"

/** One field: `options` are its choices, as a person reads them. */
export interface Field {
  readonly name: string
  readonly question: string
  readonly options: ReadonlyArray<string>
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

/** A choice: what is sent, and how it reads. */
interface Choice {
  readonly value: Schema.Json
  readonly title: string
}

export const fields = (schema: unknown): ReadonlyArray<Field> => {
  if (!isObject(schema) || !isObject(schema["properties"])) return []
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.entries(schema["properties"]).filter((entry): entry is [string, Readonly<Record<string, unknown>>] => isObject(entry[1])).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: field,
    options: choices(field).map(({ title }) => title),
    question: asked(name, field, required.includes(name))
  }))
}

const asked = (name: string, field: Readonly<Record<string, unknown>>, required: boolean): string => {
  const text = (key: string) => typeof field[key] === "string" ? Printable.of(field[key]) : ""
  const notes = [
    ...(text("description") === "" ? [] : [text("description")]),
    ...(field["type"] === "array" ? ["several, with commas between them"] : []),
    ...(field["default"] === undefined ? [] : [`without an answer: ${Printable.of(JSON.stringify(field["default"]))}`]),
    ...(required ? [] : ["may be left out"])
  ]
  return `${text("title") || Printable.of(name)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`
}

/** The choices of a field in the spellings that the protocol has for them. */
const choices = (field: Readonly<Record<string, unknown>>): ReadonlyArray<Choice> => {
  if (field["type"] === "boolean") return [{ value: true, title: "Yes" }, { value: false, title: "No" }]
  const of = isObject(field["items"]) ? field["items"] : field
  const titled = of["oneOf"] ?? of["anyOf"]
  if (Array.isArray(titled)) {
    return titled.flatMap((one) => isObject(one) && typeof one["const"] === "string" ? [{ value: one["const"], title: Printable.of(String(one["title"] ?? one["const"])) }] : [])
  }
  const names: ReadonlyArray<unknown> = Array.isArray(of["enumNames"]) ? of["enumNames"] : []
  return Array.isArray(of["enum"]) ? of["enum"].map((value, i) => ({ value: String(value), title: Printable.of(String(names[i] ?? value)) })) : []
}

/** What a person's words mean for a field; undefined leaves it out. A failure says what is wanted. */
export const read = ({ required, schema }: Field, words: string): Result.Result<Schema.Json | undefined, string> => {
  const text = words.trim()
  if (text === "" && schema["default"] !== undefined) return Result.succeed(schema["default"] as Schema.Json)
  if (text === "") return required ? Result.fail("an answer is needed") : Result.succeed(undefined)
  const known = choices(schema)
  const chosen = (word: string) => known.find(({ title, value }) => [title, String(value)].some((one) => one.toLowerCase() === word.trim().toLowerCase()))
  if (schema["type"] === "array") {
    const all = text.split(",").map((word) => known.length === 0 ? { value: word.trim(), title: "" } : chosen(word))
    const found = all.flatMap((one) => one === undefined ? [] : [one.value])
    return found.length === all.length ? Result.succeed(found) : Result.fail(`some of: ${known.map(({ title }) => title).join(", ")}`)
  }
  if (known.length > 0) {
    const one = chosen(text)
    return one === undefined ? Result.fail(`one of: ${known.map(({ title }) => title).join(", ")}`) : Result.succeed(one.value)
  }
  if (schema["type"] !== "number" && schema["type"] !== "integer") return Result.succeed(words)
  const number = Number(text)
  const fits = schema["type"] === "integer" ? Number.isInteger(number) : Number.isFinite(number)
  return fits ? Result.succeed(number) : Result.fail(schema["type"] === "integer" ? "a whole number" : "a number")
}
