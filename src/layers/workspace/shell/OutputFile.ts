/**
 * What a command said, line by line. What is long lies in a file without a name: nobody else finds it, and it is gone
 * with this process, however that ends. A command that never stops writing does not fill the disk: of very long output
 * the beginning and the newest part are kept, the rest of the file being written round and round.
 */
import * as fs from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Lines } from "../../../services/BackgroundCommands.ts"

export interface OutputFile {
  readonly write: (text: string) => void
  /** Lines that have ended. */
  readonly count: () => number
  /** Lines that have ended, from a number on; where the file can't be written any more, one that says so stands last. */
  readonly read: (from: number) => AsyncGenerator<Lines>
  readonly close: () => void
}

/** Bytes: of the beginning and of the newest part that are kept, and how many there are before there is a file. */
export interface Bounds {
  readonly head: number
  readonly tail: number
  readonly memory: number
}

const usual: Bounds = { head: 64 << 20, tail: 192 << 20, memory: 64 << 10 }

/** Lines from one remembered place in the file to the next. */
const stride = 1024

/** Bytes read at once, and kept of a line that has more. */
const piece = 256 << 10

const newline = 0x0a
const readFrom = promisify(fs.read)

/** `folder` is made when it is needed. */
export const make = (folder: string, { head, memory, tail }: Bounds = usual): OutputFile => {
  let early = Buffer.alloc(0)
  let file: number | undefined
  let problem: string | undefined
  let total = 0
  let ended = 0
  /** Where the lines 1, 1 + stride, 1 + 2 × stride, … begin. */
  const marks = [0]

  const place = (at: number): number => at < head ? at : head + (at - head) % tail
  /** How many bytes from there on lie together. */
  const together = (at: number): number => at < head ? head - at : tail - (at - head) % tail
  const isKept = (at: number): boolean => at < head || at >= total - tail
  const keptFrom = (mark: number): number => marks.findIndex((at, i) => i >= mark && isKept(at))

  const put = (bytes: Buffer): void => {
    if (file === undefined && total + bytes.length <= memory) {
      early = Buffer.concat([early, bytes])
    } else {
      file ??= begin(folder, early)
      fs.writeSync(file, bytes, 0, bytes.length, place(total))
    }
    total += bytes.length
  }

  const get = async (at: number, length: number): Promise<Buffer> => {
    if (file === undefined) return early.subarray(at, at + length)
    const { buffer, bytesRead } = await readFrom(file, Buffer.alloc(length), 0, length, place(at))
    return buffer.subarray(0, bytesRead)
  }

  return {
    count: () => ended,
    write: (text) => {
      if (problem !== undefined) return
      const bytes = Buffer.from(text)
      const from = total
      try {
        for (let done = 0; done < bytes.length;) {
          const length = Math.min(bytes.length - done, together(total))
          put(bytes.subarray(done, done + length))
          done += length
        }
      } catch (cause) {
        problem = `[… what came from here on could not be kept: ${(cause as Error).message} …]`
        return
      }
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
        if (++ended % stride === 0) marks.push(from + at + 1)
      }
    },
    read: async function*(from) {
      const end = total
      let at = -1
      let line = 0
      let rest = Buffer.alloc(0)
      const goTo = (mark: number): void => {
        at = marks[mark] ?? end
        line = mark * stride + 1
        rest = Buffer.alloc(0)
      }
      goTo(keptFrom(Math.floor((from - 1) / stride)))
      while (at < end) {
        const bytes = await get(at, Math.min(piece, end - at, together(at)))
        if (!isKept(at)) {
          goTo(keptFrom(Math.ceil(line / stride)))
          continue
        }
        if (bytes.length === 0) break
        at += bytes.length
        const whole = Buffer.concat([rest, bytes])
        const last = whole.lastIndexOf(newline)
        rest = last === -1 ? whole.subarray(0, piece) : whole.subarray(last + 1)
        if (last === -1) continue
        const lines = whole.toString("utf8", 0, last).split("\n")
        const skipped = Math.max(0, from - line)
        if (skipped < lines.length) yield { first: line + skipped, lines: lines.slice(skipped) }
        line += lines.length
      }
      if (problem !== undefined) yield { first: ended + 1, lines: [problem] }
    },
    close: () => {
      if (file !== undefined) fs.closeSync(file)
      file = undefined
      early = Buffer.alloc(0)
      problem ??= "[… closed …]"
    }
  }
}

/** A new file in the folder that has no name any more, with these bytes. */
const begin = (folder: string, bytes: Uint8Array): number => {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = fs.mkdtempSync(join(folder, "output-"))
  try {
    const file = fs.openSync(join(own, "output"), "wx+", 0o600)
    fs.writeSync(file, bytes, 0, bytes.length, 0)
    return file
  } finally {
    fs.rmSync(own, { recursive: true, force: true })
  }
}
