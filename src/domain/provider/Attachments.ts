/** Images and documents of a message in a form that a wire accepts, or a note in their place. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Content, ResultContent } from "../message/Message.ts"
import * as ImageSize from "./ImageSize.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"

type File = Extract<Content | ResultContent, { readonly _tag: "Image" | "Document" }>

/** `data` is base64. */
export type WirePart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Image"; readonly mediaType: string; readonly data: string }
  | { readonly _tag: "Pdf"; readonly name: string; readonly data: string }

/** The limits of a wire: the size of a file as base64, and the longer side of an image in pixels. */
export interface Limits {
  readonly maxImageBytes: number
  readonly maxSidePixels: number
  readonly maxDocumentBytes: number
}

const MB = 1024 * 1024
/** Anthropic's limits, wherever its models run, and those of the other providers. */
export const anthropicLimits: Limits = { maxImageBytes: 5 * MB, maxSidePixels: 8000, maxDocumentBytes: 30 * MB }
export const defaultLimits: Limits = { maxImageBytes: 20 * MB, maxSidePixels: Infinity, maxDocumentBytes: 20 * MB }

const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

/**
 * Total: what the model or the wire does not support becomes a note that says so. A service rejects a request with one image
 * that is too large, and would reject every later request of the session.
 */
export const toWirePart = (file: File, request: ModelRequest, model: Model, limits: Limits = defaultLimits): WirePart => {
  const data = request.blobs?.get(file.blob)
  const omission = (why: string): WirePart => ({
    _tag: "Text",
    text: `[${file._tag === "Image" ? "An image" : "A document"} (${file.mediaType}) was left out: ${why}.]`
  })
  if (data === undefined || data === "") return omission("its content is not at hand")
  if (file._tag === "Document" && file.mediaType.startsWith("text/")) {
    const text = Result.getOrElse(Base64.decodeString(data), () => "")
    return text.trim() === "" ? omission("it is empty or no text") : { _tag: "Text", text }
  }
  if (file._tag === "Image") {
    const sidePixels = ImageSize.longerSide(data)
    return !model.images ? omission("this model does not accept images")
      : !imageTypes.has(file.mediaType) ? omission("no provider takes this kind")
      : data.length > limits.maxImageBytes ?
      omission(`it has ${megabytes(data.length)} MB as text, and ${megabytes(limits.maxImageBytes)} can be sent`)
      : sidePixels > limits.maxSidePixels ? omission(`it is ${sidePixels} pixels long, and ${limits.maxSidePixels} can be sent`)
      : { _tag: "Image", mediaType: file.mediaType, data }
  }
  return !model.documents ? omission("this model reads no documents")
    : file.mediaType !== "application/pdf" ? omission("only PDF and plain text can be sent")
    : data.length > limits.maxDocumentBytes ?
    omission(`it has ${megabytes(data.length)} MB as text, and ${megabytes(limits.maxDocumentBytes)} can be sent`)
    : { _tag: "Pdf", name: file.name ?? "document.pdf", data }
}

const megabytes = (length: number): string => (length / MB).toFixed(1).replace(/\.0$/, "")
