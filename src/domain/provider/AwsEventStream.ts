/**
 * Frames of `application/vnd.amazon.eventstream`, as AWS streams its answers: lengths, headers, payload, each guarded by
 * a CRC-32. After https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html.
 */

/** `headers` holds those that are text, all that these services send. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Uint8Array
}

/** A state belongs to the push that takes it. `wrong` says why nothing more can be read. */
export interface State {
  parts: Array<Uint8Array>
  size: number
  wrong: string | undefined
  /** Headers by their bytes: nearly all frames of an answer have the same. */
  readonly known: Map<string, Frame["headers"]>
}

export const initial = (): State => ({ parts: [], size: 0, wrong: undefined, known: new Map() })

/** Bytes before the headers: both lengths, and the checksum over them. Behind the payload: the checksum over all. */
const prelude = 12
const trailer = 4
/** The service's own limit. */
const longest = 24 * 1024 * 1024

/** The frames that these bytes complete. Linear in the bytes, however they are cut. */
export const push = (state: State, bytes: Uint8Array): readonly [State, ReadonlyArray<Frame>] => {
  const frames: Array<Frame> = []
  if (state.wrong !== undefined) return [state, frames]
  state.parts.push(bytes)
  state.size += bytes.length
  for (let need = prelude; state.size >= need;) {
    const all = join(state)
    const view = new DataView(all.buffer, all.byteOffset, all.length)
    const total = view.getUint32(0)
    const headers = view.getUint32(4)
    state.wrong = crc(all.subarray(0, 8)) !== view.getUint32(8) ? "a frame whose lengths fail their checksum"
      : total > longest || total < prelude + headers + trailer ? "a frame with impossible lengths"
      : total <= all.length && crc(all.subarray(0, total - trailer)) !== view.getUint32(total - trailer) ? "a frame that fails its checksum"
      : undefined
    if (state.wrong !== undefined) return [state, frames]
    if (all.length < total) need = total
    else {
      frames.push({ headers: headersOf(state, all.subarray(prelude, prelude + headers)), payload: all.subarray(prelude + headers, total - trailer) })
      state.parts = [all.subarray(total)]
      state.size = all.length - total
      need = prelude
    }
  }
  return [state, frames]
}

/** Whether bytes of an unfinished frame are left. */
export const cut = ({ size }: State): boolean => size > 0

const join = (state: State): Uint8Array => {
  const [only] = state.parts
  if (only !== undefined && state.parts.length === 1) return only
  const all = new Uint8Array(state.size)
  let at = 0
  for (const part of state.parts) {
    all.set(part, at)
    at += part.length
  }
  state.parts = [all]
  return all
}

const text = new TextDecoder()

/** Bytes that the value of a header takes, by its type; text (7) and bytes (6) state theirs. */
const sizes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

const latin = new TextDecoder("latin1")
const mostKnown = 64

const headersOf = ({ known }: State, bytes: Uint8Array): Frame["headers"] => {
  const key = latin.decode(bytes)
  const headers = known.get(key) ?? read(bytes)
  if (known.size < mostKnown) known.set(key, headers)
  return headers
}

const read = (bytes: Uint8Array): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + 2 < bytes.length;) {
    const named = at + 1 + view.getUint8(at)
    const name = text.decode(bytes.subarray(at + 1, named))
    const type = named < bytes.length ? view.getUint8(named) : -1
    const stated = type === 6 || type === 7
    if (stated && named + 3 > bytes.length) break
    const from = named + (stated ? 3 : 1)
    const size = stated ? view.getUint16(named + 1) : sizes[type] ?? bytes.length
    if (type === 7) headers[name] = text.decode(bytes.subarray(from, from + size))
    at = from + size
  }
  return headers
}

/** CRC-32 of IEEE 802.3, reflected, by a table. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

const crc = (bytes: Uint8Array): number => {
  let value = 0xffffffff
  for (const byte of bytes) value = table[(value ^ byte) & 0xff]! ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
