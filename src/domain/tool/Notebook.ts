/** A Jupyter notebook as a text: its cells in order, with what they printed. The format is nbformat 4, and 3's list of worksheets. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Printable from "../message/SafeText.ts"
import * as Clip from "./Clip.ts"

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

/** Characters that are shown of one output. */
const most = 2000

/** Undefined for a text that is no notebook. */
export const text = (json: string): string | undefined =>
  Option.match(decode(json), {
    onNone: () => undefined,
    onSome: (notebook) => ("cells" in notebook ? notebook.cells : notebook.worksheets.flatMap(({ cells }) => cells)).map(shown).join("\n\n")
  })

const shown = ({ cell_type, input, outputs = [], source = input ?? "" }: typeof Cell.Type, i: number): string =>
  [`# [${i + 1}] ${cell_type}`, joined(source), ...outputs.map((output) => `# output:\n${Clip.middle(told(output), most)}`)].join("\n")

const told = ({ data, ename, evalue, text }: typeof Output.Type): string => {
  if (text !== undefined) return Printable.of(joined(text))
  if (ename !== undefined) return `${ename}: ${evalue ?? ""}`
  const plain = data?.["text/plain"]
  return plain !== undefined ? joined(plain) : `(${Object.keys(data ?? {}).join(", ") || "nothing"})`
}

const joined = (lines: Schema.Json): string => Array.isArray(lines) ? lines.join("") : typeof lines === "string" ? lines : JSON.stringify(lines)
