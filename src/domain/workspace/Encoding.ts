/** Bytes of a file as text and back, exactly: what was read in an encoding is written in it, byte for byte. */
import * as Result from "effect/Result"

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "latin1"

export interface Decoded {
  /** With its byte order mark, if the file has one. */
  readonly text: string
  readonly encoding: Encoding
}

/** `Binary` names what the bytes are; `NotText`: mostly UTF-8, but damaged. */
export interface Undecodable {
  readonly reason: "Binary" | "NotText"
  readonly message: string
}

/** UTF-8, or UTF-16 by its mark or its zeros, or Latin-1 if nothing contradicts it. */
export const decode = (bytes: Uint8Array): Result.Result<Decoded, Undecodable> => {
  const utf16Encoding = utf16(bytes)
  if (utf16Encoding !== undefined) {
    const text = decodeStrict(utf16Encoding, bytes)
    return text === undefined || /[\x00-\x06\x0e-\x1a]/.test(text) ? binary(bytes) : Result.succeed({ text, encoding: utf16Encoding })
  }
  if (bytes.includes(0)) return binary(bytes)
  const text = decodeStrict("utf-8", bytes)
  if (text !== undefined) return Result.succeed({ text, encoding: "utf-8" })
  if (signatureOf(bytes) !== undefined || looksBinary(bytes)) return binary(bytes)
  const { invalid, sequences } = countSequences(bytes)
  return sequences > invalid
    ? Result.fail({ reason: "NotText", message: `It is UTF-8 with ${invalid} damaged byte${invalid === 1 ? "" : "s"}.` })
    : Result.succeed({ text: latin1(bytes), encoding: "latin1" })
}

/** Undefined if a character has no byte in Latin-1. */
export const encode = (text: string, encoding: Encoding): Uint8Array | undefined => {
  if (encoding === "utf-8") return new TextEncoder().encode(text)
  if (encoding === "latin1") {
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0))
    return /^[\x00-\xff]*$/.test(text) ? bytes : undefined
  }
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), encoding === "utf-16le")
  return bytes
}

const decoder = (encoding: string) => new TextDecoder(encoding, { fatal: true, ignoreBOM: true })

/** Created once: creating one takes longer than decoding a small file. */
const decoders = { "utf-8": decoder("utf-8"), "utf-16le": decoder("utf-16le"), "utf-16be": decoder("utf-16be") }

const decodeStrict = (encoding: keyof typeof decoders, bytes: Uint8Array): string | undefined => {
  try {
    return decoders[encoding].decode(bytes)
  } catch {
    return undefined
  }
}

const latin1 = (bytes: Uint8Array): string => {
  let text = ""
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return text
}

/** A byte order mark, or (for text without one) zeros in every second place of its start. */
const utf16 = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined
  const zeros = [0, 0]
  const pairs = Math.min(bytes.length, 2048) >> 1
  for (let i = 0; i < pairs * 2; i++) if (bytes[i] === 0) zeros[i % 2]!++
  return zeros[0] === 0 && zeros[1]! > pairs * 0.7 ? "utf-16le"
    : zeros[1] === 0 && zeros[0]! > pairs * 0.7 ? "utf-16be"
    : undefined
}

/** Control characters that do not occur in text, other than line ends, tabs, page breaks, backspace and escape. */
const looksBinary = (bytes: Uint8Array): boolean => {
  let controlBytes = 0
  for (const byte of bytes) if (byte < 8 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) controlBytes++
  return controlBytes > bytes.length / 1000
}

/** Complete multi-byte sequences of UTF-8, and bytes that belong to none. */
const countSequences = (bytes: Uint8Array): { readonly sequences: number; readonly invalid: number } => {
  let sequences = 0
  let invalid = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte < 0x80) continue
    const continuationBytes = byte >= 0xc2 && byte < 0xe0 ? 1 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xf0 && byte < 0xf5 ? 3 : 0
    let isComplete = continuationBytes > 0
    for (let j = 1; j <= continuationBytes; j++) isComplete &&= (bytes[i + j] ?? 0) >> 6 === 2
    if (isComplete) {
      sequences++
      i += continuationBytes
    } else invalid++
  }
  return { sequences, invalid }
}

const binary = (bytes: Uint8Array): Result.Result<never, Undecodable> =>
  Result.fail({ reason: "Binary", message: `It is ${signatureOf(bytes) ?? "a binary file"}, ${bytes.length} bytes.` })

/** A file type by its first bytes; undefined for an unknown one. */
const signatureOf = (bytes: Uint8Array): string | undefined => {
  const start = latin1(bytes.subarray(0, 16))
  return signatures.find(([signature]) => start.startsWith(signature))?.[1]
}

const signatures: ReadonlyArray<readonly [string, string]> = [
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["RIFF", "a RIFF file (WebP, WAV or AVI)"],
  ["%PDF", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive (or an Office document or JAR)"],
  ["\x1f\x8b", "a gzip archive"],
  ["BZh", "a bzip2 archive"],
  ["\xfd7zXZ", "an xz archive"],
  ["7z\xbc\xaf", "a 7z archive"],
  ["\x28\xb5\x2f\xfd", "a Zstandard archive"],
  ["\x7fELF", "an ELF program or library"],
  ["\xcf\xfa\xed\xfe", "a Mach-O program"],
  ["MZ", "a Windows program"],
  ["\0asm", "a WebAssembly module"],
  ["\xca\xfe\xba\xbe", "a Java class"],
  ["SQLite format 3", "an SQLite database"],
  ["OggS", "an Ogg file"],
  ["ID3", "an MP3 file"],
  ["wOF2", "a WOFF2 font"]
]
