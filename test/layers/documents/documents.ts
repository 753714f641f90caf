/** Small documents of each kind, made here byte by byte. */
import { strToU8, zipSync } from "fflate"

const archive = (files: Readonly<Record<string, string>>) => zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))

const contentTypes = (parts: ReadonlyArray<readonly [path: string, type: string]>) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${
    parts.map(([path, type]) => `<Override PartName="${path}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`).join("")
  }</Types>`

const relationships = (to: ReadonlyArray<readonly [id: string, type: string, target: string]>) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${
    to.map(([id, type, target]) => `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`).join("")
  }</Relationships>`

/** `body` is WordprocessingML. */
export const docx = (body: string): Uint8Array =>
  archive({
    "[Content_Types].xml": contentTypes([["/word/document.xml", "wordprocessingml.document.main"], ["/word/styles.xml", "wordprocessingml.styles"]]),
    "_rels/.rels": relationships([["rId1", "officeDocument", "word/document.xml"]]),
    "word/_rels/document.xml.rels": relationships([["rId1", "styles", "styles.xml"]]),
    "word/styles.xml": `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    "word/document.xml": `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
  })

export const paragraph = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`

/** Rows of SpreadsheetML cells by sheet. */
export const xlsx = (sheets: Readonly<Record<string, string>>): Uint8Array => {
  const names = Object.keys(sheets)
  return archive({
    "[Content_Types].xml": contentTypes([["/xl/workbook.xml", "spreadsheetml.sheet.main"], ...names.map((_, i) => [`/xl/worksheets/sheet${i + 1}.xml`, "spreadsheetml.worksheet"] as const), ["/xl/styles.xml", "spreadsheetml.styles"]]),
    "_rels/.rels": relationships([["rId1", "officeDocument", "xl/workbook.xml"]]),
    "xl/_rels/workbook.xml.rels": relationships([...names.map((_, i) => [`rId${i + 1}`, "worksheet", `worksheets/sheet${i + 1}.xml`] as const), ["rIdS", "styles", "styles.xml"]]),
    "xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${
      names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`).join("")
    }</sheets></workbook>`,
    "xl/styles.xml": `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(Object.values(sheets).map((rows, i) => [`xl/worksheets/sheet${i + 1}.xml`, `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`]))
  })
}

/** A page for each text. `stream` makes a page's content and what its dictionary says; `trailer` adds to the trailer. */
export const pdf = (
  pages: ReadonlyArray<string>,
  { stream = (text) => ({ dictionary: "", bytes: Buffer.from(`BT /F1 12 Tf 72 700 Td (${text}) Tj ET`) }), trailer = "" }: {
    readonly stream?: (text: string) => { readonly dictionary: string; readonly bytes: Buffer }
    readonly trailer?: string
  } = {}
): Uint8Array => {
  const objects: Array<Buffer> = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + i * 2} 0 R`).join(" ")}] >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...pages.flatMap((text, i) => {
      const { bytes, dictionary } = stream(text)
      return [
        Buffer.from(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`),
        Buffer.concat([Buffer.from(`<< /Length ${bytes.length} ${dictionary} >>\nstream\n`), bytes, Buffer.from("\nendstream")])
      ]
    })
  ]
  const parts: Array<Buffer> = [Buffer.from("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "latin1")]
  const at: Array<number> = []
  for (const [i, object] of objects.entries()) {
    at.push(parts.reduce((sum, part) => sum + part.length, 0))
    parts.push(Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from("\nendobj\n"))
  }
  const start = parts.reduce((sum, part) => sum + part.length, 0)
  const rows = at.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("")
  parts.push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`))
  return new Uint8Array(Buffer.concat(parts))
}
