/**
 * A command's output, line by line. Long output goes to an unnamed file: nobody else can open it, and it disappears
 * with this process, however that ends. A command that never stops writing does not fill the disk: of very long output
 * the beginning and the newest part are retained, the rest of the file being a ring buffer.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Lines } from "../../../services/BackgroundCommands.ts"

export interface OutputFile {
  readonly write: (text: string) => void
  /** The number of finished lines. */
  readonly count: () => number
  /** Finished lines, from a number on; if the file can't be written any more, the last one says so. */
  readonly read: (from: number) => AsyncGenerator<Lines>
  readonly close: () => void
}

/** Sizes in bytes: the beginning and the newest part to retain, and the size from which a file is used. */
export interface Bounds {
  readonly head: number
  readonly tail: number
  readonly memory: number
}

const defaultBounds: Bounds = { head: 64 << 20, tail: 192 << 20, memory: 64 << 10 }

/** Lines between two remembered positions in the file. */
const stride = 1024

/** Bytes read at once, and the limit for a single line. */
const chunkBytes = 256 << 10

const newline = 0x0a
const readFrom = promisify(fs.read)

/** `folder` is created when it is needed. */
export const make = (folder: string, { head, memory, tail }: Bounds = defaultBounds): OutputFile => {
  let memoryBuffer = Buffer.alloc(0)
  let file: number | undefined
  let problem: string | undefined
  let total = 0
  let lineCount = 0
  /** Where the lines 1, 1 + stride, 1 + 2 × stride, … begin. */
  const marks = [0]

  const fileOffset = (at: number): number => at < head ? at : head + (at - head) % tail
  /** How many bytes from there on are contiguous. */
  const contiguousBytes = (at: number): number => at < head ? head - at : tail - (at - head) % tail
  const isStored = (at: number): boolean => at < head || at >= total - tail
  const firstStoredMark = (mark: number): number => marks.findIndex((at, i) => i >= mark && isStored(at))

  const put = (bytes: Buffer): void => {
    if (file === undefined && total + bytes.length <= memory) {
      memoryBuffer = Buffer.concat([memoryBuffer, bytes])
    } else {
      file ??= begin(folder, memoryBuffer)
      fs.writeSync(file, bytes, 0, bytes.length, fileOffset(total))
    }
    total += bytes.length
  }

  const get = async (at: number, length: number): Promise<Buffer> => {
    if (file === undefined) return memoryBuffer.subarray(at, at + length)
    const { buffer, bytesRead } = await readFrom(file, Buffer.alloc(length), 0, length, fileOffset(at))
    return buffer.subarray(0, bytesRead)
  }

  return {
    count: () => lineCount,
    write: (text) => {
      if (problem !== undefined) return
      const bytes = Buffer.from(text)
      const from = total
      try {
        for (let offset = 0; offset < bytes.length;) {
          const length = Math.min(bytes.length - offset, contiguousBytes(total))
          put(bytes.subarray(offset, offset + length))
          offset += length
        }
      } catch (cause) {
        problem = `[… the output from here on could not be stored: ${(cause as Error).message} …]`
        return
      }
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
        if (++lineCount % stride === 0) marks.push(from + at + 1)
      }
    },
    read: async function*(from) {
      const end = total
      let at = -1
      let line = 0
      let rest = Buffer.alloc(0)
      const seekTo = (mark: number): void => {
        at = marks[mark] ?? end
        line = mark * stride + 1
        rest = Buffer.alloc(0)
      }
      seekTo(firstStoredMark(Math.floor((from - 1) / stride)))
      while (at < end) {
        const bytes = await get(at, Math.min(chunkBytes, end - at, contiguousBytes(at)))
        if (!isStored(at)) {
          seekTo(firstStoredMark(Math.ceil(line / stride)))
          continue
        }
        if (bytes.length === 0) break
        at += bytes.length
        const chunk = Buffer.concat([rest, bytes])
        const last = chunk.lastIndexOf(newline)
        rest = last === -1 ? chunk.subarray(0, chunkBytes) : chunk.subarray(last + 1)
        if (last === -1) continue
        const lines = chunk.toString("utf8", 0, last).split("\n")
        const skipCount = Math.max(0, from - line)
        if (skipCount < lines.length) yield { first: line + skipCount, lines: lines.slice(skipCount) }
        line += lines.length
      }
      if (problem !== undefined) yield { first: lineCount + 1, lines: [problem] }
    },
    close: () => {
      if (file !== undefined) fs.closeSync(file)
      file = undefined
      memoryBuffer = Buffer.alloc(0)
      problem ??= "[… closed …]"
    }
  }
}

/** A new, already unlinked file in the folder, with these bytes. */
const begin = (folder: string, bytes: Uint8Array): number => {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const privateFolder = fs.mkdtempSync(join(folder, "output-"))
  try {
    const file = fs.openSync(join(privateFolder, "output"), "wx+", 0o600)
    fs.writeSync(file, bytes, 0, bytes.length, 0)
    return file
  } finally {
    fs.rmSync(privateFolder, { recursive: true, force: true })
  }
}
