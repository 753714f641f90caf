/** Images and documents of a message as a wire can take them, or the words that stand in their place. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Content, ResultContent } from "../message/Message.ts"
import * as ImageSize from "./ImageSize.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type File = Extract<Content | ResultContent, { readonly _tag: "Image" | "Document" }>

/** `data` is base64. */
export type Shown =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Image"; readonly mediaType: string; readonly data: string }
  | { readonly _tag: "Pdf"; readonly name: string; readonly data: string }

/** What a wire takes at the most: bytes of a file as base64 text, and pixels of an image's longer side. */
export interface Limits {
  readonly image: number
  readonly side: number
  readonly document: number
}

const MB = 1024 * 1024
/** Anthropic's, wherever its models run; and what the others take. */
export const tight: Limits = { image: 5 * MB, side: 8000, document: 30 * MB }
export const wide: Limits = { image: 20 * MB, side: Infinity, document: 20 * MB }

const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

/**
 * Total: what the model or the wire can't take becomes a sentence that says so. A request that holds one image too
 * large is refused with all that is in it, and so would be every one after it.
 */
export const show = (file: File, request: ModelRequest, model: Model, limits: Limits = wide): Shown => {
  const data = request.blobs?.get(file.blob)
  const instead = (why: string): Shown => ({ _tag: "Text", text: `[${file._tag === "Image" ? "An image" : "A document"} (${file.mediaType}) is left out: ${why}.]` })
  if (data === undefined || data === "") return instead("its content is not at hand")
  if (file._tag === "Document" && file.mediaType.startsWith("text/")) {
    const text = Result.getOrElse(Base64.decodeString(data), () => "")
    return text.trim() === "" ? instead("it is empty or no text") : { _tag: "Text", text }
  }
  if (file._tag === "Image") {
    const side = ImageSize.longerSide(data)
    return !model.images ? instead("this model reads text alone")
      : !images.has(file.mediaType) ? instead("no provider takes this kind")
      : data.length > limits.image ? instead(`it has ${megabytes(data.length)} MB as text, and ${megabytes(limits.image)} can be sent`)
      : side > limits.side ? instead(`it is ${side} pixels long, and ${limits.side} can be sent`)
      : { _tag: "Image", mediaType: file.mediaType, data }
  }
  return !model.documents ? instead("this model reads no documents")
    : file.mediaType !== "application/pdf" ? instead("only PDF and plain text can be sent")
    : data.length > limits.document ? instead(`it has ${megabytes(data.length)} MB as text, and ${megabytes(limits.document)} can be sent`)
    : { _tag: "Pdf", name: file.name ?? "document.pdf", data }
}

const megabytes = (length: number): string => (length / MB).toFixed(1).replace(/\.0$/, "")
