/** What a file is that is no text and can be read all the same: by how its bytes begin, and for archives by its name. */

export type Document = "docx" | "pdf" | "xlsx"

export type FileKind = { readonly _tag: "Document"; readonly document: Document } | { readonly _tag: "Image"; readonly mediaType: string }

const document = (document: Document): FileKind => ({ _tag: "Document", document })
const image = (mediaType: string): FileKind => ({ _tag: "Image", mediaType })

/** Office documents are ZIP archives, and so is much else: the ending tells which. */
const archives: Readonly<Record<string, FileKind>> = { docm: document("docx"), docx: document("docx"), xlsm: document("xlsx"), xlsx: document("xlsx") }

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

/** Behind a text that was told of such a file; `what` in words, `cut`: there is more. */
export const note = (what: string, cut = false): string =>
  `[It is ${what}, told as text: these lines are not lines of the file.${cut ? " It is longer than what is read of one; the rest is left out." : ""}]`
