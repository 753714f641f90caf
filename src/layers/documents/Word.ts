/** A Word document as Markdown: its paragraphs, headings, lists and tables, by mammoth. */
import { parseHTML } from "linkedom"
import mammoth from "mammoth"
import Turndown from "turndown"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import { type DocumentText, truncate } from "./DocumentText.ts"
import * as Unzip from "./Unzip.ts"

export const read = async (bytes: Uint8Array): Promise<DocumentText> => {
  const buffer = Buffer.from(Unzip.uncompressed(bytes))
  // Images would be embedded as text, many times their size.
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" }))
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage }).catch((cause: Error) => {
    throw new DocumentError({ reason: "Damaged", message: cause.message })
  })
  return truncate(markdown(value), "a Word document")
}

const markdown = (html: string): string =>
  new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
    .remove("img")
    .addRule("cell", { filter: ["td", "th"], replacement: (content) => ` ${content.trim().replace(/\s*\n\s*/g, " ")} |` })
    .addRule("row", { filter: "tr", replacement: (content) => `|${content}\n` })
    .addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` })
    .turndown(parseHTML(`<html><body>${html}</body></html>`).document.body)
