/**
 * Reads rows page by page from a SQLite file that SQLite can no longer open. Rows can be stale or damaged, so callers verify
 * them by hash. File format: sqlite.org/fileformat2.html.
 */

/** A column value. Rows with integers beyond the safe range are dropped. */
export type Value = null | number | string | Uint8Array
export type Row = ReadonlyArray<Value>

/** Versions of each page, newest first: those of the write-ahead log precede that of the file. */
type Pages = ReadonlyMap<number, ReadonlyArray<Uint8Array>>

const defaultPageSize = 4096
const kinds = { interiorIndex: 0x02, leafIndex: 0x0a, leafTable: 0x0d } as const

/** Every readable row of all tables; `wal` is the write-ahead log of the file. */
export const rows = function*(file: Uint8Array, wal: Uint8Array): Generator<Row> {
  const size = pageSize(file, wal)
  const pages = images(file, wal, size)
  const free = freePages(pages)
  for (const [number, versions] of pages) {
    if (free.has(number)) continue
    for (const page of versions) {
      const { records, isComplete } = readPage(page, number, size, pages)
      yield* records
      if (isComplete) break
    }
  }
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const isSize = (size: number): boolean => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0

const pageSize = (file: Uint8Array, wal: Uint8Array): number => {
  const headerSize = file.length < 18 ? 0 : view(file).getUint16(16)
  if (isSize(headerSize === 1 ? 65_536 : headerSize)) return headerSize === 1 ? 65_536 : headerSize
  const walSize = wal.length < 12 ? 0 : view(wal).getUint32(8)
  return isSize(walSize) ? walSize : defaultPageSize
}

const header = { wal: 32, frame: 24 } as const

const images = (file: Uint8Array, wal: Uint8Array, size: number): Pages => {
  const pages = new Map<number, Array<Uint8Array>>()
  const add = (number: number, page: Uint8Array) => pages.set(number, [page, ...pages.get(number) ?? []])
  for (let at = 0; at < file.length; at += size) add(at / size + 1, file.subarray(at, at + size))
  for (let at = header.wal; at + header.frame + size <= wal.length; at += header.frame + size) {
    // After a log restarts, stale frames of the previous one follow its own, with another salt.
    const isCurrent = view(wal).getUint32(at + 8) === view(wal).getUint32(16) && view(wal).getUint32(at + 12) === view(wal).getUint32(20)
    if (isCurrent) add(view(wal).getUint32(at), wal.subarray(at + header.frame, at + header.frame + size))
  }
  return pages
}

/** Free pages, which are skipped so that deleted rows stay deleted. */
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

/** `isComplete`: every record on the page was readable. */
const readPage = (
  page: Uint8Array,
  number: number,
  size: number,
  pages: Pages
): { readonly records: ReadonlyArray<Row>; readonly isComplete: boolean } => {
  const start = number === 1 ? 100 : 0
  const kind = page[start]
  const cells = kind === kinds.interiorIndex ? start + 12 : start + 8
  if (page.length < size) return { records: [], isComplete: false }
  if (kind !== kinds.interiorIndex && kind !== kinds.leafIndex && kind !== kinds.leafTable) return { records: [], isComplete: true }
  const records: Array<Row> = []
  const count = view(page).getUint16(start + 3)
  let isComplete = cells + 2 * count <= size
  for (let i = 0; i < count && cells + 2 * i + 2 <= size; i++) {
    try {
      const at = view(page).getUint16(cells + 2 * i)
      records.push(record(payload(page, kind === kinds.interiorIndex ? at + 4 : at, kind === kinds.leafTable, size, pages)))
    } catch {
      isComplete = false
    }
  }
  return { records, isComplete }
}

class Unreadable extends Error {}

/** The content of a cell, including its overflow pages. */
const payload = (page: Uint8Array, at: number, isTable: boolean, size: number, pages: Pages): Uint8Array => {
  const [length, afterLength] = varint(page, at)
  const from = isTable ? varint(page, afterLength)[1] : afterLength
  if (length > 1e9) throw new Unreadable()
  const maxLocal = isTable ? size - 35 : Math.floor(((size - 12) * 64) / 255) - 23
  const minLocal = Math.floor(((size - 12) * 32) / 255) - 23
  const spread = minLocal + ((length - minLocal) % (size - 4))
  const local = length <= maxLocal ? length : spread <= maxLocal ? spread : minLocal
  if (from + local > page.length) throw new Unreadable()
  if (local === length) return page.subarray(from, from + local)
  const content = new Uint8Array(length)
  content.set(page.subarray(from, from + local))
  let offset = local
  let next = view(page).getUint32(from + local)
  while (offset < length) {
    const overflowPage = pages.get(next)?.[0]
    if (overflowPage === undefined || overflowPage.length < size) throw new Unreadable()
    const piece = overflowPage.subarray(4, Math.min(size, 4 + length - offset))
    content.set(piece, offset)
    offset += piece.length
    next = view(overflowPage).getUint32(0)
  }
  return content
}

/** Up to nine bytes of seven bits each, eight in the ninth. Returns the number and the next offset. */
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

/** Big-endian two's complement. */
const integer = (bytes: Uint8Array): number => {
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
  const signed = bytes[0]! >= 0x80 ? value - 2 ** (8 * bytes.length) : value
  if (!Number.isSafeInteger(signed)) throw new Unreadable()
  return signed
}
