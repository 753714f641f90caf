/** How many bytes of UTF-8 a value takes as JSON text, without writing it (ECMA-404, and JSON.stringify's escapes). */

/**
 * Bytes of a string between its quotes, both included. Stops early and answers more than `enough` once it is clear
 * that there are more. O(min(text, enough)).
 */
export const ofString = (text: string, enough = Infinity): number => {
  // Each UTF-16 unit takes a byte at least: two that make a pair take four.
  if (text.length + 2 > enough) return text.length + 2
  let bytes = 2
  for (let i = 0; i < text.length && bytes <= enough; i++) {
    const unit = text.charCodeAt(i)
    const isPair = isHigh(unit) && isLow(text.charCodeAt(i + 1))
    bytes += isPair ? 4 : ofUnit(unit)
    if (isPair) i++
  }
  return bytes
}

/** Bytes of what is neither a string nor has parts. */
export const ofPrimitive = (value: string | number | boolean | null, enough?: number): number =>
  typeof value === "string" ? ofString(value, enough) : String(value).length

/**
 * As much of a string as fits into `room` bytes of JSON, quotes included, with a count of what is missing: `abc… 7 more`;
 * where there is no room for the count, as much as fits without. Never half a surrogate pair. O(room).
 */
export const clip = (text: string, room: number): string => {
  if (ofString(text, room) <= room) return text
  // The count is longest when nothing of the text is kept.
  const note = ofString(more(text.length)) - 2
  if (room - 2 < note) return text.slice(0, prefix(text, room - 2))
  const end = prefix(text, room - 2 - note)
  return text.slice(0, end) + more(text.length - end)
}

/** What stands for things that were left out. */
export const more = (count: number): string => `… ${count} more`

/** How many units of a text take at most `room` bytes. */
const prefix = (text: string, room: number): number => {
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const unit = text.charCodeAt(end)
    const isPair = isHigh(unit) && isLow(text.charCodeAt(end + 1))
    bytes += isPair ? 4 : ofUnit(unit)
    if (bytes > room) return end
    end += isPair ? 2 : 1
  }
  return end
}

/** `\b \t \n \f \r \" \\` take two bytes; other control characters and lone surrogates six, as `\u001f`. */
const ofUnit = (unit: number): number =>
  unit === 0x22 || unit === 0x5c ? 2
  : unit < 0x20 ? (unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13 ? 2 : 6)
  : unit < 0x80 ? 1
  : unit < 0x800 ? 2
  : unit >= 0xd800 && unit <= 0xdfff ? 6
  : 3

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
