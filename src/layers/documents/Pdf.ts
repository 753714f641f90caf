/** A PDF's text, page by page, by Mozilla's PDF.js (unpdf). */
import { getDocumentProxy } from "unpdf"
import { DocumentError } from "../../domain/workspace/DocumentError.ts"
import { limits, type DocumentText } from "./DocumentText.ts"

export const read = async (bytes: Uint8Array): Promise<DocumentText> => {
  const pdf = await getDocumentProxy(bytes, { verbosity: 0 }).catch((cause: Error) => {
    throw cause.name === "PasswordException"
      ? new DocumentError({ reason: "Locked", message: "it has a password" })
      : new DocumentError({ reason: "Damaged", message: cause.message })
  })
  const pages: Array<string> = []
  let characters = 0
  let pagesWithText = 0
  for (let n = 1; n <= pdf.numPages && n <= limits.pages && characters < limits.characters; n++) {
    const page = await pdf.getPage(n)
    const { items } = await page.getTextContent()
    const text = items.map((item) => "str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "").join("").trim()
    pages.push(`# Page ${n}\n${text}`)
    characters += text.length
    pagesWithText += text === "" ? 0 : 1
    page.cleanup()
  }
  const description = `a PDF document of ${pdf.numPages} page${pdf.numPages === 1 ? "" : "s"}`
  return {
    text: pages.join("\n\n"),
    description: pagesWithText === 0 ? `${description}; it contains no text, so its pages may be images` : description,
    isTruncated: pages.length < pdf.numPages
  }
}
