/**
 * Pictures as models take them. What is larger is scaled down before it enters a session, by sharp where it is installed beside
 * dacapo, and refused with a sentence where it is not: a picture that one provider refuses would be refused with every
 * request from then on.
 */
import * as Effect from "effect/Effect"
import type Sharp from "sharp"
import { PictureError } from "../../domain/message/ImageError.ts"
import type { ResultContent } from "../../domain/message/Message.ts"
import { Storage } from "../../services/Storage.ts"
import * as Digest from "../storage/Digest.ts"

/**
 * What every provider takes: 3.75 MB (Bedrock; Anthropic's 5 MB of Base64 are as much) and 8,000 pixels an edge (Anthropic).
 * `edge` is what it is scaled down to: beyond 20 pictures in a request Anthropic takes 2,000, and no model sees more of one.
 */
const most = { bytes: 3_750_000, edge: 8_000 }
const edge = 2_000

/** Pixels that are decoded at most: a small file may unfold to any number. */
const decoded = 100_000_000

/** Keeps a picture and gives it as a part of a message. Fails with what a model may be told instead. */
export const keep = Effect.fn("Picture.keep")(function*(given: Uint8Array, mediaType: string): Effect.fn.Return<Extract<ResultContent, { _tag: "Image" }>, PictureError, Storage> {
  const picture = yield* fit({ bytes: given, mediaType })
  const blob = Digest.sha256(picture.bytes)
  const { putBlob } = yield* Storage
  yield* Effect.orDie(putBlob(blob, picture.bytes))
  return { _tag: "Image", mediaType: picture.mediaType, blob }
})

export interface Picture {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** The picture itself where models take it, else a smaller one. */
export const fit = Effect.fn("Picture.fit")(function*(picture: Picture): Effect.fn.Return<Picture, PictureError> {
  const kind = picture.mediaType.replace("image/", "").toUpperCase()
  const { imageSize } = yield* Effect.promise(() => import("image-size"))
  // A copy of its own: image-size reads past the end of a view, into what else the memory beneath it holds.
  const { height, width } = yield* Effect.try({
    try: () => imageSize(new Uint8Array(picture.bytes)),
    catch: () => new PictureError({ reason: "Damaged", message: `It says that it is ${kind}, and is no picture that can be read.` })
  })
  if (picture.bytes.length <= most.bytes && Math.max(height, width) <= most.edge) return picture
  const size = `${kind}, ${width} × ${height} pixels, ${(picture.bytes.length / 1e6).toFixed(1)} MB`
  const sharp = yield* Effect.promise(() => import("sharp").then((module) => module.default, () => undefined))
  if (sharp === undefined) {
    return yield* new PictureError({
      reason: "TooLarge",
      message: `The picture is too large (${size}): models take 8,000 pixels an edge and 3.75 MB. Where the package sharp is installed beside dacapo, such pictures are scaled down.`
    })
  }
  const scaled = yield* Effect.tryPromise({ try: () => scale(sharp, picture), catch: unreadable(size) })
  return scaled ?? (yield* new PictureError({ reason: "TooLarge", message: `The picture is too large even when it is scaled down (${size}).` }))
})

/** What was a photograph stays one; what was drawn keeps its sharp edges, unless that is too much. Undefined where both are. */
const scale = async (sharp: typeof Sharp, { bytes, mediaType }: Picture): Promise<Picture | undefined> => {
  const smaller = sharp(bytes, { limitInputPixels: decoded }).autoOrient().resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true })
  const drawn = mediaType === "image/jpeg" ? undefined : await smaller.clone().png().toBuffer()
  if (drawn !== undefined && drawn.length <= most.bytes) return { bytes: new Uint8Array(drawn), mediaType: "image/png" }
  const photograph = await smaller.clone().flatten({ background: "white" }).jpeg({ quality: 85 }).toBuffer()
  return photograph.length <= most.bytes ? { bytes: new Uint8Array(photograph), mediaType: "image/jpeg" } : undefined
}

const unreadable = (size: string) => (error: unknown): PictureError =>
  new PictureError({ reason: "Damaged", message: `The picture (${size}) can't be scaled down: ${(error instanceof Error ? error.message : String(error)).split("\n")[0]!.replace(/[.: ]+$/, "")}.` })
