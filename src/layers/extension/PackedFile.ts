/**
 * Files of a packed plugin (`npm pack`): a gzipped tar archive (POSIX ustar and pax), read in memory within limits. Nothing is
 * unpacked to disk, so a name in the archive can't lead anywhere; links and devices are refused.
 */
import * as Result from "effect/Result"
import { gunzipSync } from "node:zlib"
import * as PluginFiles from "./PluginFiles.ts"

const blockBytes = 512
const decoder = new TextDecoder()

/** The files without the folder that all of them are in (`package/`). */
export const read = (bytes: Uint8Array): Result.Result<ReadonlyArray<PluginFiles.PluginFile>, string> =>
  Result.flatMap(unpack(bytes), (archive) => Result.map(files(archive), withoutCommonFolder))

/** The content, with a header and padding for each file. */
const maxArchiveBytes = PluginFiles.limits.bytes + PluginFiles.limits.files * 2 * blockBytes

const unpack = (bytes: Uint8Array): Result.Result<Uint8Array, string> =>
  Result.try({
    try: () => gunzipSync(bytes, { maxOutputLength: maxArchiveBytes }),
    catch: (error) =>
      (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "it unpacks to more than a plugin may have"
        : "it is not a gzipped tar archive"
  })

const files = (archive: Uint8Array): Result.Result<ReadonlyArray<PluginFiles.PluginFile>, string> => {
  const all: Array<PluginFiles.PluginFile> = []
  let longName: string | undefined
  for (let at = 0; at + blockBytes <= archive.length;) {
    const header = archive.subarray(at, at + blockBytes)
    if (header.every((byte) => byte === 0)) break
    const size = octal(header, 124, 12)
    if (size === undefined || !hasChecksum(header) || at + blockBytes + size > archive.length) return Result.fail("the archive is damaged")
    const content = archive.subarray(at + blockBytes, at + blockBytes + size)
    const type = String.fromCharCode(header[156]!)
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes
    if (type === "x") longName = paxPath(decoder.decode(content)) ?? longName
    else if (type === "L") longName = text(content, 0, content.length)
    else if (type !== "g") {
      const path = (longName ?? [text(header, 345, 155), text(header, 0, 100)].filter((part) => part !== "").join("/")).replace(/^\.\//, "")
      longName = undefined
      if (type === "5") continue
      if (type !== "0" && type !== "\0")
        return Result.fail(`${JSON.stringify(path.slice(0, 200))} is ${type === "1" || type === "2" ? "a link" : "not a regular file"}`)
      all.push({ path, bytes: content, isExecutable: ((octal(header, 100, 8) ?? 0) & 0o111) !== 0 })
      if (all.length > PluginFiles.limits.files) break
    }
  }
  return Result.succeed(all)
}

const text = (bytes: Uint8Array, start: number, length: number): string => {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return decoder.decode(end < 0 ? field : field.subarray(0, end))
}

const octal = (header: Uint8Array, start: number, length: number): number | undefined => {
  const digits = text(header, start, length).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}

/** The sum of all bytes, with spaces in place of the checksum itself. */
const hasChecksum = (header: Uint8Array): boolean =>
  octal(header, 148, 8) === header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 32 : byte), 0)

/** The path in a pax header: lines of `length key=value`. */
const paxPath = (records: string): string | undefined => /^\d+ path=(.*)$/m.exec(records)?.[1]

const withoutCommonFolder = (all: ReadonlyArray<PluginFiles.PluginFile>): ReadonlyArray<PluginFiles.PluginFile> => {
  const first = all[0]?.path.split("/", 1)[0]
  return first !== undefined && first !== "" && all.every(({ path }) => path.startsWith(`${first}/`) && path.length > first.length + 1)
    ? all.map((file) => ({ ...file, path: file.path.slice(first.length + 1) })) : all
}
