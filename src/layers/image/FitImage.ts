/**
 * Fits images to what models accept. Larger ones are scaled down before they enter a session, by sharp if it is
 * installed beside dacapo, and otherwise rejected with a message: an image that one provider rejects would be rejected
 * with every request from then on.
 */
import * as Effect from "effect/Effect"
import type Sharp from "sharp"
import { ImageError } from "../../domain/message/ImageError.ts"
import type { ResultContent } from "../../domain/message/Message.ts"
import { Storage } from "../../services/Storage.ts"
import * as ImageSize from "../../domain/provider/ImageSize.ts"
import * as Digest from "../storage/Digest.ts"

/**
 * What every provider accepts: 3.75 MB (Bedrock; Anthropic's 5 MB of Base64 are as much) and 8,000 pixels an edge
 * (Anthropic). `edge` is the target for scaling: beyond 20 images in a request Anthropic accepts 2,000, and no model
 * sees more of one.
 */
const limits = { bytes: 3_750_000, edge: 8_000 }
const targetEdge = 2_000

/** The maximum number of pixels to decode: a small file may expand to any number. */
const maxPixels = 100_000_000

/** Stores an image and returns it as a message part. Fails with a message for the model. */
export const store = Effect.fn("Image.store")(
  function*(bytes: Uint8Array, mediaType: string): Effect.fn.Return<Extract<ResultContent, { _tag: "Image" }>, ImageError, Storage> {
    const image = yield* fit({ bytes: bytes, mediaType })
    const blob = Digest.sha256(image.bytes)
    const { putBlob } = yield* Storage
    yield* Effect.orDie(putBlob(blob, image.bytes))
    return { _tag: "Image", mediaType: image.mediaType, blob }
  }
)

export interface Image {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** The image itself if models accept it, else a smaller one. */
export const fit = Effect.fn("Image.fit")(function*(image: Image): Effect.fn.Return<Image, ImageError> {
  const kind = image.mediaType.replace("image/", "").toUpperCase()
  const { height, width } = yield* Effect.try({
    try: () => ImageSize.ofBytes(image.bytes),
    catch: () => new ImageError({ reason: "Damaged", message: `The image claims to be ${kind}, but can't be read.` })
  })
  if (image.bytes.length <= limits.bytes && Math.max(height, width) <= limits.edge) return image
  const size = `${kind}, ${width} × ${height} pixels, ${(image.bytes.length / 1e6).toFixed(1)} MB`
  const sharp = yield* Effect.promise(() => import("sharp").then((module) => module.default, () => undefined))
  if (sharp === undefined) {
    return yield* new ImageError({
      reason: "TooLarge",
      message:
        `The image is too large (${size}): models accept at most 8,000 pixels an edge and 3.75 MB. Install the package sharp beside dacapo to scale down such images.`
    })
  }
  const scaled = yield* Effect.tryPromise({ try: () => scale(sharp, image), catch: unreadable(size) })
  return scaled ?? (yield* new ImageError({ reason: "TooLarge", message: `The image is too large even after scaling down (${size}).` }))
})

/** Photographs stay JPEG; drawings stay PNG with sharp edges, unless that is too large. Undefined if both are. */
const scale = async (sharp: typeof Sharp, { bytes, mediaType }: Image): Promise<Image | undefined> => {
  const smaller = sharp(bytes, { limitInputPixels: maxPixels }).autoOrient().resize({
    width: targetEdge,
    height: targetEdge,
    fit: "inside",
    withoutEnlargement: true
  })
  const png = mediaType === "image/jpeg" ? undefined : await smaller.clone().png().toBuffer()
  if (png !== undefined && png.length <= limits.bytes) return { bytes: new Uint8Array(png), mediaType: "image/png" }
  const jpeg = await smaller.clone().flatten({ background: "white" }).jpeg({ quality: 85 }).toBuffer()
  return jpeg.length <= limits.bytes ? { bytes: new Uint8Array(jpeg), mediaType: "image/jpeg" } : undefined
}

const unreadable = (size: string) => (error: unknown): ImageError =>
  new ImageError({
    reason: "Damaged",
    message: `The image (${size}) can't be scaled down: ${
      (error instanceof Error ? error.message : String(error)).split("\n")[0]!.replace(/[.: ]+$/, "")
    }.`
  })
