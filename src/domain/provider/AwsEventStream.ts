/**
 * Frames of `application/vnd.amazon.eventstream`, in which AWS streams responses: lengths, headers and payload, each with a
 * CRC-32. After https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html.
 */

/** `headers` contains the text headers; these services send no others. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Uint8Array
}

/** `push` mutates the state. `problem` says why nothing more can be read. */
export interface State {
  parts: Array<Uint8Array>
  sizeBytes: number
  problem: string | undefined
  /** Parsed headers by their bytes: nearly all frames of a response have the same. */
  readonly headerCache: Map<string, Frame["headers"]>
}

export const initial = (): State => ({ parts: [], sizeBytes: 0, problem: undefined, headerCache: new Map() })

/** The bytes before the headers (both lengths and their checksum) and after the payload (the checksum of the frame). */
const preludeBytes = 12
const trailerBytes = 4
/** The service's own limit. */
const maxFrameBytes = 24 * 1024 * 1024

/** The frames that these bytes complete. Linear in the number of bytes, however they are split. */
export const push = (state: State, bytes: Uint8Array): readonly [State, ReadonlyArray<Frame>] => {
  const frames: Array<Frame> = []
  if (state.problem !== undefined) return [state, frames]
  state.parts.push(bytes)
  state.sizeBytes += bytes.length
  for (let neededBytes = preludeBytes; state.sizeBytes >= neededBytes;) {
    const all = join(state)
    const view = new DataView(all.buffer, all.byteOffset, all.length)
    const totalBytes = view.getUint32(0)
    const headers = view.getUint32(4)
    state.problem = crc(all.subarray(0, 8)) !== view.getUint32(8) ? "a frame whose lengths fail their checksum"
      : totalBytes > maxFrameBytes || totalBytes < preludeBytes + headers + trailerBytes ? "a frame with impossible lengths"
      : totalBytes <= all.length && crc(all.subarray(0, totalBytes - trailerBytes)) !== view.getUint32(totalBytes - trailerBytes) ?
      "a frame that fails its checksum"
      : undefined
    if (state.problem !== undefined) return [state, frames]
    if (all.length < totalBytes) neededBytes = totalBytes
    else {
      frames.push({
        headers: headersOf(state, all.subarray(preludeBytes, preludeBytes + headers)),
        payload: all.subarray(preludeBytes + headers, totalBytes - trailerBytes)
      })
      state.parts = [all.subarray(totalBytes)]
      state.sizeBytes = all.length - totalBytes
      neededBytes = preludeBytes
    }
  }
  return [state, frames]
}

/** Whether bytes of an incomplete frame are left. */
export const isIncomplete = ({ sizeBytes }: State): boolean => sizeBytes > 0

const join = (state: State): Uint8Array => {
  const [single] = state.parts
  if (single !== undefined && state.parts.length === 1) return single
  const all = new Uint8Array(state.sizeBytes)
  let offset = 0
  for (const part of state.parts) {
    all.set(part, offset)
    offset += part.length
  }
  state.parts = [all]
  return all
}

const text = new TextDecoder()

/** The size of a header's value by its type; text (7) and bytes (6) include their length. */
const sizes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

const latin = new TextDecoder("latin1")
const maxCachedHeaders = 64

const headersOf = ({ headerCache }: State, bytes: Uint8Array): Frame["headers"] => {
  const key = latin.decode(bytes)
  const headers = headerCache.get(key) ?? read(bytes)
  if (headerCache.size < maxCachedHeaders) headerCache.set(key, headers)
  return headers
}

const read = (bytes: Uint8Array): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let offset = 0; offset + 2 < bytes.length;) {
    const nameEnd = offset + 1 + view.getUint8(offset)
    const name = text.decode(bytes.subarray(offset + 1, nameEnd))
    const type = nameEnd < bytes.length ? view.getUint8(nameEnd) : -1
    const hasLength = type === 6 || type === 7
    if (hasLength && nameEnd + 3 > bytes.length) break
    const from = nameEnd + (hasLength ? 3 : 1)
    const sizeBytes = hasLength ? view.getUint16(nameEnd + 1) : sizes[type] ?? bytes.length
    if (type === 7) headers[name] = text.decode(bytes.subarray(from, from + sizeBytes))
    offset = from + sizeBytes
  }
  return headers
}

/** The table of CRC-32 (IEEE 802.3, reflected). */
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
