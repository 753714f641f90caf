/** Images and documents of a message as a wire can take them, or the words that stand in their place. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Content, ResultContent } from "../message/Message.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type File = Extract<Content | ResultContent, { readonly _tag: "Image" | "Document" }>

/** `data` is base64. */
export type Shown =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Image"; readonly mediaType: string; readonly data: string }
  | { readonly _tag: "Pdf"; readonly name: string; readonly data: string }

const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

/** Total: what the model or the wire can't take becomes a sentence that says so. */
export const show = (file: File, request: ModelRequest, model: Model): Shown => {
  const data = request.blobs?.get(file.blob)
  const instead = (why: string): Shown => ({ _tag: "Text", text: `[${file._tag === "Image" ? "An image" : "A document"} (${file.mediaType}) is left out: ${why}.]` })
  if (data === undefined || data === "") return instead("its content is not at hand")
  if (file._tag === "Document" && file.mediaType.startsWith("text/")) {
    const text = Result.getOrElse(Base64.decodeString(data), () => "")
    return text.trim() === "" ? instead("it is empty or no text") : { _tag: "Text", text }
  }
  if (file._tag === "Image") {
    return !model.images ? instead("this model reads text alone")
      : !images.has(file.mediaType) ? instead("no provider takes this kind")
      : { _tag: "Image", mediaType: file.mediaType, data }
  }
  return !model.documents ? instead("this model reads no documents")
    : file.mediaType !== "application/pdf" ? instead("only PDF and plain text can be sent")
    : { _tag: "Pdf", name: file.name ?? "document.pdf", data }
}
