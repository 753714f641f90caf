/** A form that a server asks the user to fill in (elicitation), as questions, and the parsing of the replies. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SafeText from "../message/SafeText.ts"
import { isObject } from "../tool/ParamSchema.ts"

/** One field: `options` are its choices, as a person reads them. */
export interface Field {
  readonly name: string
  readonly question: string
  readonly options: ReadonlyArray<string>
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

/** A choice: the value to send, and its label. */
interface Choice {
  readonly value: Schema.Json
  readonly title: string
}

export const fields = (schema: unknown): ReadonlyArray<Field> => {
  if (!isObject(schema) || !isObject(schema["properties"])) return []
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.entries(schema["properties"]).filter((entry): entry is [string, Readonly<Record<string, unknown>>] => isObject(entry[1]))
    .map(([name, field]) => ({
      name,
      required: required.includes(name),
      schema: field,
      options: choices(field).map(({ title }) => title),
      question: questionText(name, field, required.includes(name))
    }))
}

const questionText = (name: string, field: Readonly<Record<string, unknown>>, required: boolean): string => {
  const text = (key: string) => typeof field[key] === "string" ? SafeText.of(field[key]) : ""
  const notes = [
    ...(text("description") === "" ? [] : [text("description")]),
    ...(field["type"] === "array" ? ["several, separated by commas"] : []),
    ...(field["default"] === undefined ? [] : [`default: ${SafeText.of(JSON.stringify(field["default"]))}`]),
    ...(required ? [] : ["optional"])
  ]
  return `${text("title") || SafeText.of(name)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`
}

/** The choices of a field in the protocol's various spellings. */
const choices = (field: Readonly<Record<string, unknown>>): ReadonlyArray<Choice> => {
  if (field["type"] === "boolean") return [{ value: true, title: "Yes" }, { value: false, title: "No" }]
  const source = isObject(field["items"]) ? field["items"] : field
  const titledOptions = source["oneOf"] ?? source["anyOf"]
  if (Array.isArray(titledOptions)) {
    return titledOptions.flatMap((one) =>
      isObject(one) && typeof one["const"] === "string"
        ? [{ value: one["const"], title: SafeText.of(String(one["title"] ?? one["const"])) }] : []
    )
  }
  const names: ReadonlyArray<unknown> = Array.isArray(source["enumNames"]) ? source["enumNames"] : []
  return Array.isArray(source["enum"])
    ? source["enum"].map((value, i) => ({ value: String(value), title: SafeText.of(String(names[i] ?? value)) })) : []
}

/** The value of a reply for a field; undefined leaves it out. A failure says what is expected. */
export const parseAnswer = ({ required, schema }: Field, answer: string): Result.Result<Schema.Json | undefined, string> => {
  const text = answer.trim()
  if (text === "" && schema["default"] !== undefined) return Result.succeed(schema["default"] as Schema.Json)
  if (text === "") return required ? Result.fail("an answer is required") : Result.succeed(undefined)
  const options = choices(schema)
  const findChoice = (word: string) =>
    options.find(({ title, value }) => [title, String(value)].some((one) => one.toLowerCase() === word.trim().toLowerCase()))
  if (schema["type"] === "array") {
    const selection = text.split(",").map((word) => options.length === 0 ? { value: word.trim(), title: "" } : findChoice(word))
    const values = selection.flatMap((one) => one === undefined ? [] : [one.value])
    return values.length === selection.length ? Result.succeed(values) : Result.fail(`some of: ${
      options.map(({ title }) => title).join(", ")
    }`)
  }
  if (options.length > 0) {
    const one = findChoice(text)
    return one === undefined ? Result.fail(`one of: ${options.map(({ title }) => title).join(", ")}`) : Result.succeed(one.value)
  }
  if (schema["type"] !== "number" && schema["type"] !== "integer") return Result.succeed(answer)
  const number = Number(text)
  const isValid = schema["type"] === "integer" ? Number.isInteger(number) : Number.isFinite(number)
  return isValid ? Result.succeed(number) : Result.fail(schema["type"] === "integer" ? "a whole number" : "a number")
}
