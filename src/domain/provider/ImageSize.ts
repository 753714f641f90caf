/** The size of an image, read from the start of its file by image-size. */
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import { imageSize } from "image-size"

/** How many base64 characters are read, a multiple of four: a JPEG may have a preview before its own size. */
const maxHeadChars = 256 * 1024

/** The size of an image in pixels. Throws for bytes that are not an image. Copies them: image-size reads past the end of a view. */
export const ofBytes = (bytes: Uint8Array): { readonly width: number; readonly height: number } => imageSize(new Uint8Array(bytes))

/** The longer side of a base64 image, in pixels; 0 if the file does not contain it. */
export const longerSide = (data: string): number => {
  const size = Result.flatMap(Base64.decode(data.slice(0, maxHeadChars)), (bytes) => Result.try(() => ofBytes(bytes)))
  return Result.getOrElse(Result.map(size, ({ height, width }) => Math.max(width, height)), () => 0)
}
