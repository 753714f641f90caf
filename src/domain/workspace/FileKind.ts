/** File types that are not text but can be read: recognized by their first bytes, and archives by name. */

export type Document = "docx" | "pdf" | "xlsx"

export type FileKind = { readonly _tag: "Document"; readonly document: Document } | { readonly _tag: "Image"; readonly mediaType: string }

const document = (document: Document): FileKind => ({ _tag: "Document", document })
const image = (mediaType: string): FileKind => ({ _tag: "Image", mediaType })

/** Office documents are ZIP archives, and so is much else: the ending decides. */
const archives: Readonly<Record<string, FileKind>> = {
  docm: document("docx"),
  docx: document("docx"),
  xlsm: document("xlsx"),
  xlsx: document("xlsx")
}

const signatures: ReadonlyArray<readonly [string, FileKind]> = [
  ["%PDF-", document("pdf")],
  ["\x89PNG\r\n\x1a\n", image("image/png")],
  ["\xff\xd8\xff", image("image/jpeg")],
  ["GIF87a", image("image/gif")],
  ["GIF89a", image("image/gif")]
]

/** `path` with its ending, `head` at least the first 16 bytes. */
export const of = (path: string, head: Uint8Array): FileKind | undefined => {
  const start = String.fromCharCode(...head.subarray(0, 16))
  if (start.startsWith("PK\x03\x04")) return archives[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""]
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return image("image/webp")
  return signatures.find(([signature]) => start.startsWith(signature))?.[1]
}

/** Appended to a text extracted from such a file; `kindName` in words, `isTruncated`: there is more. */
export const note = (kindName: string, isTruncated = false): string =>
  `[This is ${kindName}, converted to text: these lines are not lines of the file.${
    isTruncated ? " It exceeds the size limit; the rest is left out." : ""
  }]`
