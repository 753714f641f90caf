/** A workbook as text: each sheet's rows with tabs between cells, as they were last computed. */
import readSheets from "read-excel-file/universal"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import { type Told, within } from "./DocumentText.ts"
import * as Unzip from "./Unzip.ts"

export const read = async (bytes: Uint8Array): Promise<Told> => {
  const archive = Unzip.plain(bytes)
  const sheets = await readSheets(archive.buffer as ArrayBuffer).catch((cause: Error) => {
    throw new DocumentError({ reason: "Damaged", message: cause.message })
  })
  const text = sheets.map(({ data, sheet }) => [`# Sheet ${sheet}`, ...data.map((row) => row.map(cell).join("\t").trimEnd())].join("\n")).join("\n\n")
  return within(text, `a workbook of ${sheets.length} sheet${sheets.length === 1 ? "" : "s"}`)
}

/** A day without a time is told as a day. */
const cell = (value: unknown): string =>
  value === null || value === undefined ? ""
  : value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, "")
  : String(value).replace(/[\t\n\r]+/g, " ")
