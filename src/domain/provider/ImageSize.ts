/** The size of an image, read from the start of its file: PNG, GIF, WebP and JPEG. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

/** How many base64 characters are read, a multiple of four: a JPEG may have a preview before its own size. */
const maxHeadChars = 256 * 1024

/** The longer side of a base64 image, in pixels; 0 if the file does not contain it. */
export const longerSide = (data: string): number => {
  const bytes = Result.getOrElse(Base64.decode(data.slice(0, maxHeadChars)), () => new Uint8Array())
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
  if (bytes.length < 30) return 0
  if (text(1, 4) === "PNG") return Math.max(view.getUint32(16), view.getUint32(20))
  if (text(0, 3) === "GIF") return Math.max(view.getUint16(6, true), view.getUint16(8, true))
  if (text(8, 12) === "WEBP") return webp(view, text(12, 16))
  return view.getUint16(0) === 0xffd8 ? jpeg(view) : 0
}

/** After https://developers.google.com/speed/webp/docs/riff_container: lossy, lossless, extended. */
const webp = (view: DataView, kind: string): number =>
  kind === "VP8 " ? Math.max(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
    : kind === "VP8L" ? Math.max((view.getUint32(21, true) & 0x3fff) + 1, ((view.getUint32(21, true) >> 14) & 0x3fff) + 1)
    : kind === "VP8X" ? Math.max(view.getUint32(24, true) & 0xffffff, view.getUint32(26, true) >>> 8) + 1
    : 0

/** Segments from marker to marker, until one that starts a frame (C0 to CF, except tables and extensions). */
const jpeg = (view: DataView): number => {
  for (let at = 2; at + 9 < view.byteLength && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1)
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return Math.max(view.getUint16(at + 5), view.getUint16(at + 7))
    at += 2 + view.getUint16(at + 2)
  }
  return 0
}
