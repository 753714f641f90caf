/** A Jupyter notebook as text: its cells in order, with their output. The format is nbformat 4, and 3's list of worksheets. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SafeText from "../message/SafeText.ts"
import * as Truncate from "./Truncate.ts"

const Lines = Schema.Union([Schema.String, Schema.Array(Schema.String)])

const Output = Schema.Struct({
  output_type: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Lines),
  data: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  ename: Schema.optionalKey(Schema.String),
  evalue: Schema.optionalKey(Schema.String)
})

const Cell = Schema.Struct({
  cell_type: Schema.String,
  source: Schema.optionalKey(Lines),
  input: Schema.optionalKey(Lines),
  outputs: Schema.optionalKey(Schema.Array(Output))
})

const Cells = Schema.Struct({ cells: Schema.Array(Cell) })

const Notebook = Schema.fromJsonString(Schema.Union([Cells, Schema.Struct({ worksheets: Schema.Array(Cells) })]))

const decode = Schema.decodeUnknownOption(Notebook)

/** The number of characters shown of one output. */
const maxOutputCharacters = 2000

/** Undefined for a text that is not a notebook. */
export const text = (json: string): string | undefined =>
  Option.match(decode(json), {
    onNone: () => undefined,
    onSome: (notebook) =>
      ("cells" in notebook ? notebook.cells : notebook.worksheets.flatMap(({ cells }) => cells)).map(cellText).join("\n\n")
  })

const cellText = ({ cell_type, input, outputs = [], source = input ?? "" }: typeof Cell.Type, i: number): string =>
  [
    `# [${i + 1}] ${cell_type}`,
    joinLines(source),
    ...outputs.map((output) => `# output:\n${Truncate.middle(outputText(output), maxOutputCharacters)}`)
  ].join("\n")

const outputText = ({ data, ename, evalue, text }: typeof Output.Type): string => {
  if (text !== undefined) return SafeText.of(joinLines(text))
  if (ename !== undefined) return `${ename}: ${evalue ?? ""}`
  const plain = data?.["text/plain"]
  return plain !== undefined ? joinLines(plain) : `(${Object.keys(data ?? {}).join(", ") || "nothing"})`
}

const joinLines = (lines: Schema.Json): string =>
  Array.isArray(lines) ? lines.join("") : typeof lines === "string" ? lines : JSON.stringify(lines)
