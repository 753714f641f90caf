/**
 * A typed view of a tool's result, for people: data that every client draws its own way, never markup. Texts in it are foreign: each
 * client shows them as plain text. The discriminator is `type`, because authors of tools write views as JSON.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { BlobHash } from "../message/Message.ts"
import { isObject } from "./ParamSchema.ts"

export const Cell = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null])
export type Cell = typeof Cell.Type

const heading = { title: Schema.optionalKey(Schema.String) }

/** `rows` may be shorter than `columns`; further cells are not shown. */
const Table = Schema.Struct({
  type: Schema.Literal("table"),
  ...heading,
  columns: Schema.Array(Schema.Struct({ label: Schema.String, align: Schema.optionalKey(Schema.Literals(["left", "right"])) })),
  rows: Schema.Array(Schema.Array(Cell))
})

/** Each series has one value for each label; null is a gap. */
const Chart = Schema.Struct({
  type: Schema.Literal("chart"),
  ...heading,
  kind: Schema.Literals(["bar", "line"]),
  unit: Schema.optionalKey(Schema.String),
  labels: Schema.Array(Schema.String),
  series: Schema.Array(Schema.Struct({ name: Schema.String, values: Schema.Array(Schema.NullOr(Schema.Finite)) }))
})

/** `options` are those of a choice; `value` is what a field begins with. */
const Field = Schema.Struct({
  name: Schema.String,
  label: Schema.String,
  kind: Schema.Literals(["text", "number", "choice", "confirm"]),
  options: Schema.optionalKey(Schema.Array(Schema.String)),
  required: Schema.optionalKey(Schema.Boolean),
  value: Schema.optionalKey(Schema.String)
})
export type Field = typeof Field.Type

/** Questions to the user, who answers with a message. */
const Form = Schema.Struct({ type: Schema.Literal("form"), ...heading, fields: Schema.Array(Field) })

/** How far each part of some work is: `done` of `total`. */
const Progress = Schema.Struct({
  type: Schema.Literal("progress"),
  ...heading,
  items: Schema.Array(Schema.Struct({ label: Schema.String, done: Schema.Finite, total: Schema.Finite }))
})

/** `alt` describes the image in words. */
const Image = Schema.Struct({ type: Schema.Literal("image"), alt: Schema.String, mediaType: Schema.String, blob: BlobHash })

/** A unified diff. */
const Diff = Schema.Struct({ type: Schema.Literal("diff"), ...heading, diff: Schema.String })

/** As the log has it. */
export const ResultView = Schema.Union([Table, Chart, Form, Progress, Image, Diff]).annotate({ identifier: "ResultView" }).pipe(
  Schema.toTaggedUnion("type")
)
export type ResultView = typeof ResultView.Type
export const { match } = ResultView
export type Of<Type extends ResultView["type"]> = Extract<ResultView, { readonly type: Type }>

const ImageInput = Schema.Struct({
  type: Schema.Literal("image"),
  alt: Schema.String,
  mediaType: Schema.Literals(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  data: Schema.String
})

/** As a tool returns it: `data` of an image is its bytes in Base64. */
export const Input = Schema.Union([Table, Chart, Form, Progress, ImageInput, Diff]).annotate({ identifier: "ResultViewInput" })
export type Input = typeof Input.Type

/** Limits of a view that a tool returns: characters of its JSON without an image's data, and numbers of parts. */
export const limits = { json: 200_000, columns: 20, rows: 500, labels: 500, series: 8, fields: 20, options: 50, items: 50 }

const decodeInput = Schema.decodeUnknownResult(Input)

/** A view that a tool returned; a failure says what is wrong with it. */
export const parse = (value: unknown): Result.Result<Input, string> =>
  Result.flatMap(
    Result.mapError(decodeInput(value), ({ message }) => message.replaceAll(/\s*\n\s*/g, " ").slice(0, 300)),
    (view) => {
      const problem = sizeProblem(view)
      return problem === undefined ? Result.succeed(view) : Result.fail(problem)
    }
  )

const sizeProblem = (view: Input): string | undefined => {
  const counts: ReadonlyArray<readonly [keyof typeof limits, number]> = view.type === "image" ? []
    : [
      ["json", JSON.stringify(view).length],
      ...(view.type === "table" ? [["columns", view.columns.length], ["rows", view.rows.length]] as const : []),
      ...(view.type === "chart" ? [["labels", view.labels.length], ["series", view.series.length]] as const : []),
      ...(view.type === "form"
        ? [["fields", view.fields.length], ["options", Math.max(0, ...view.fields.map(({ options = [] }) => options.length))]] as const
        : []),
      ...(view.type === "progress" ? [["items", view.items.length]] as const : [])
    ]
  const excess = counts.find(([name, count]) => count > limits[name])
  return excess === undefined ? undefined
    : excess[0] === "json" ? `it has ${excess[1]} characters, more than ${limits.json}`
    : `it has ${excess[1]} ${excess[0]}, more than ${limits[excess[0]]}`
}

/**
 * The view that a structured result fits: a view, one under the name `view`, or a list of records of plain values, alone in its
 * object, as a table. Undefined for anything else.
 */
export const ofStructured = (value: unknown): Input | undefined => {
  if (!isObject(value)) return undefined
  const explicit = [value["view"], value].map(parse).find(Result.isSuccess)
  if (explicit !== undefined) return explicit.success
  const lists = Object.entries(value).filter(([, part]) => Array.isArray(part))
  const [title, list] = lists[0] ?? []
  return title === undefined || lists.length > 1 ? undefined : tableOf(title, list as ReadonlyArray<unknown>)
}

const isCell = Schema.is(Cell)

const tableOf = (title: string, list: ReadonlyArray<unknown>): Input | undefined => {
  const records = list.flatMap((one) => isObject(one) && Object.values(one).every(isCell) ? [one as Readonly<Record<string, Cell>>] : [])
  if (records.length === 0 || records.length < list.length) return undefined
  const keys = [...new Set(records.flatMap(Object.keys))]
  const isNumeric = (key: string) => records.every((record) => record[key] == null || typeof record[key] === "number")
  const table: Input = {
    type: "table",
    title,
    columns: keys.map((label) => isNumeric(label) ? { label, align: "right" } : { label }),
    rows: records.map((record) => keys.map((key) => Object.hasOwn(record, key) ? record[key]! : null))
  }
  return sizeProblem(table) === undefined ? table : undefined
}

/** A cell in words; nothing for null. */
export const cellText = (cell: Cell | undefined): string => cell === null || cell === undefined ? "" : String(cell)

/** A chart's data as a table: a row for each label. */
export const chartTable = ({ labels, series, unit }: Of<"chart">): Pick<Of<"table">, "columns" | "rows"> => ({
  columns: [
    { label: "" },
    ...series.map(({ name }) => ({ label: unit === undefined ? name : `${name} (${unit})`, align: "right" as const }))
  ],
  rows: labels.map((label, i) => [label, ...series.map(({ values }) => values[i] ?? null)])
})

/** Whole percent of an item of progress. */
export const percent = ({ done, total }: { readonly done: number; readonly total: number }): number =>
  total <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, done / total)) * 100)

const tableText = ({ columns, rows }: Pick<Of<"table">, "columns" | "rows">): ReadonlyArray<string> =>
  [columns.map(({ label }) => label), ...rows.map((row) => columns.map((_, i) => cellText(row[i])))].map((cells) =>
    cells.map((cell) => cell.replaceAll(/\s*\n\s*/g, " ")).join(" | ")
  )

/** What a field wants, as in `choice of a, b; required`. */
export const fieldHint = ({ kind, options = [], required }: Field): string =>
  [
    kind === "choice" ? `choice of ${options.join(", ")}` : kind === "confirm" ? "yes or no" : kind === "number" ? "number" : "",
    required === true ? "required" : ""
  ].filter((part) => part !== "").join("; ")

/** The view in words: what the model reads if the tool returned no text. */
export const text = (view: ResultView): string => {
  const lines = match(view, {
    table: tableText,
    chart: (chart) => tableText(chartTable(chart)),
    form: ({ fields }) =>
      fields.map((field) => {
        const hint = fieldHint(field)
        return `${field.label}:${hint === "" ? "" : ` (${hint})`}`
      }),
    progress: ({ items }) => items.map((item) => `${item.label}: ${item.done} of ${item.total}, ${percent(item)}%`),
    image: ({ alt }) => [`[image: ${alt}]`],
    diff: ({ diff }) => [diff]
  })
  const title = "title" in view ? view.title : undefined
  return [...(title === undefined ? [] : [title]), ...lines].join("\n")
}

/** The answers to a form as a message, one line for each field. */
export const answers = ({ fields, title }: Of<"form">, values: Readonly<Record<string, string>>): string =>
  [...(title === undefined ? [] : [title]), ...fields.map(({ label, name }) => `${label}: ${values[name] ?? ""}`)].join("\n")
