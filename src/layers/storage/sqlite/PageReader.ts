/**
 * The rows of a SQLite file that SQLite itself can't open any more, read page by page. What is found may be stale or
 * damaged: whoever asks checks it by its own hashes. File format: sqlite.org/fileformat2.html.
 */

/** A column's value; integers that don't fit a number are dropped with their row. */
export type Value = null | number | string | Uint8Array
export type Row = ReadonlyArray<Value>

/** Images of one page, the newest first: those of the write-ahead log stand over that of the file. */
type Pages = ReadonlyMap<number, ReadonlyArray<Uint8Array>>

const usual = 4096
const kinds = { interiorIndex: 0x02, leafIndex: 0x0a, leafTable: 0x0d } as const

/** Every row that can be read, of all tables; `wal` is the write-ahead log beside the file. */
export const rows = function*(file: Uint8Array, wal: Uint8Array): Generator<Row> {
  const size = pageSize(file, wal)
  const pages = images(file, wal, size)
  const free = freePages(pages)
  for (const [number, versions] of pages) {
    if (free.has(number)) continue
    for (const page of versions) {
      const { found, whole } = readPage(page, number, size, pages)
      yield* found
      if (whole) break
    }
  }
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const isSize = (size: number): boolean => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0

const pageSize = (file: Uint8Array, wal: Uint8Array): number => {
  const ofFile = file.length < 18 ? 0 : view(file).getUint16(16)
  if (isSize(ofFile === 1 ? 65_536 : ofFile)) return ofFile === 1 ? 65_536 : ofFile
  const ofLog = wal.length < 12 ? 0 : view(wal).getUint32(8)
  return isSize(ofLog) ? ofLog : usual
}

const header = { wal: 32, frame: 24 } as const

const images = (file: Uint8Array, wal: Uint8Array, size: number): Pages => {
  const pages = new Map<number, Array<Uint8Array>>()
  const add = (number: number, page: Uint8Array) => pages.set(number, [page, ...pages.get(number) ?? []])
  for (let at = 0; at < file.length; at += size) add(at / size + 1, file.subarray(at, at + size))
  for (let at = header.wal; at + header.frame + size <= wal.length; at += header.frame + size) {
    // A log that was begun anew keeps frames of the one before behind its own, under another salt.
    const fresh = view(wal).getUint32(at + 8) === view(wal).getUint32(16) && view(wal).getUint32(at + 12) === view(wal).getUint32(20)
    if (fresh) add(view(wal).getUint32(at), wal.subarray(at + header.frame, at + header.frame + size))
  }
  return pages
}

/** Pages that hold nothing any more: removed rows stay removed. */
const freePages = (pages: Pages): ReadonlySet<number> => {
  const free = new Set<number>()
  const first = pages.get(1)?.[0]
  let trunk = first === undefined || first.length < 36 ? 0 : view(first).getUint32(32)
  while (trunk !== 0 && !free.has(trunk)) {
    free.add(trunk)
    const page = pages.get(trunk)?.[0]
    if (page === undefined || page.length < 8) break
    const count = Math.min(view(page).getUint32(4), page.length / 4 - 2)
    for (let i = 0; i < count; i++) free.add(view(page).getUint32(8 + 4 * i))
    trunk = view(page).getUint32(0)
  }
  return free
}

/** `whole`: nothing on the page was unreadable. */
const readPage = (page: Uint8Array, number: number, size: number, pages: Pages): { readonly found: ReadonlyArray<Row>; readonly whole: boolean } => {
  const start = number === 1 ? 100 : 0
  const kind = page[start]
  const cells = kind === kinds.interiorIndex ? start + 12 : start + 8
  if (page.length < size) return { found: [], whole: false }
  if (kind !== kinds.interiorIndex && kind !== kinds.leafIndex && kind !== kinds.leafTable) return { found: [], whole: true }
  const found: Array<Row> = []
  const count = view(page).getUint16(start + 3)
  let whole = cells + 2 * count <= size
  for (let i = 0; i < count && cells + 2 * i + 2 <= size; i++) {
    try {
      const at = view(page).getUint16(cells + 2 * i)
      found.push(record(payload(page, kind === kinds.interiorIndex ? at + 4 : at, kind === kinds.leafTable, size, pages)))
    } catch {
      whole = false
    }
  }
  return { found, whole }
}

class Unreadable extends Error {}

/** A cell's content, gathered from its overflow pages where it is long. */
const payload = (page: Uint8Array, at: number, isTable: boolean, size: number, pages: Pages): Uint8Array => {
  const [length, afterLength] = varint(page, at)
  const from = isTable ? varint(page, afterLength)[1] : afterLength
  if (length > 1e9) throw new Unreadable()
  const most = isTable ? size - 35 : Math.floor(((size - 12) * 64) / 255) - 23
  const least = Math.floor(((size - 12) * 32) / 255) - 23
  const spread = least + ((length - least) % (size - 4))
  const local = length <= most ? length : spread <= most ? spread : least
  if (from + local > page.length) throw new Unreadable()
  if (local === length) return page.subarray(from, from + local)
  const whole = new Uint8Array(length)
  whole.set(page.subarray(from, from + local))
  let done = local
  let next = view(page).getUint32(from + local)
  while (done < length) {
    const more = pages.get(next)?.[0]
    if (more === undefined || more.length < size) throw new Unreadable()
    const piece = more.subarray(4, Math.min(size, 4 + length - done))
    whole.set(piece, done)
    done += piece.length
    next = view(more).getUint32(0)
  }
  return whole
}

/** Up to nine bytes, seven bits each and eight of the ninth; gives the number and what follows it. */
const varint = (bytes: Uint8Array, at: number): readonly [number, number] => {
  let value = 0
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) throw new Unreadable()
    if (i === 8) return [value * 256 + byte, at + 9]
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + i + 1]
  }
  throw new Unreadable()
}

const text = new TextDecoder("utf-8", { fatal: true })

const record = (bytes: Uint8Array): Row => {
  const [end, first] = varint(bytes, 0)
  const row: Array<Value> = []
  let type = first
  let at = end
  while (type < end) {
    const [serial, next] = varint(bytes, type)
    const length = width(serial)
    if (at + length > bytes.length) throw new Unreadable()
    row.push(value(serial, bytes.subarray(at, at + length)))
    type = next
    at += length
  }
  return row
}

const widths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]
const width = (serial: number): number => serial < 12 ? widths[serial] ?? 0 : Math.floor((serial - 12) / 2)

const value = (serial: number, bytes: Uint8Array): Value => {
  if (serial === 0) return null
  if (serial === 8 || serial === 9) return serial - 8
  if (serial === 7) return view(bytes).getFloat64(0)
  if (serial < 7) return integer(bytes)
  if (serial < 12) throw new Unreadable()
  return serial % 2 === 0 ? bytes : text.decode(bytes)
}

/** Two's complement, the highest byte first. */
const integer = (bytes: Uint8Array): number => {
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
  const signed = bytes[0]! >= 0x80 ? value - 2 ** (8 * bytes.length) : value
  if (!Number.isSafeInteger(signed)) throw new Unreadable()
  return signed
}
