/** A workbook as text: each sheet's rows with tabs between cells, with the last computed values. */
import readSheets from "read-excel-file/universal"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import { type DocumentText, truncate } from "./DocumentText.ts"
import * as Unzip from "./Unzip.ts"

export const read = async (bytes: Uint8Array): Promise<DocumentText> => {
  const archive = Unzip.uncompressed(bytes)
  const sheets = await readSheets(archive.buffer as ArrayBuffer).catch((cause: Error) => {
    throw new DocumentError({ reason: "Damaged", message: cause.message })
  })
  const text = sheets.map(({ data, sheet }) => [`# Sheet ${sheet}`, ...data.map((row) => row.map(cell).join("\t").trimEnd())].join("\n"))
    .join("\n\n")
  return truncate(text, `a workbook of ${sheets.length} sheet${sheets.length === 1 ? "" : "s"}`)
}

/** A date without a time is shown as a date. */
const cell = (value: unknown): string =>
  value === null || value === undefined ? ""
    : value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, "")
    : String(value).replace(/[\t\n\r]+/g, " ")
