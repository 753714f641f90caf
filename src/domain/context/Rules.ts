/** Rules files within their limit: the nearest are kept whole, and what is cut is said where it is missing. */

/** Bytes of UTF-8 that all rules files together may take. */
export const limit = 32 * 1024

export interface File {
  readonly path: string
  readonly text: string
}

/** From farthest to nearest, as given; the farthest are cut first. */
export const fit = (files: ReadonlyArray<File>, maxBytes: number): ReadonlyArray<File> => {
  let room = maxBytes
  return files.toReversed().map((file) => {
    const bytes = encoder.encode(file.text)
    if (bytes.length <= room) {
      room -= bytes.length
      return file
    }
    const kept = decoder.decode(bytes.subarray(0, room)).replace(/\uFFFD+$/, "")
    const cut = bytes.length - encoder.encode(kept).length
    room = 0
    return { ...file, text: `${kept}\n[${cut} bytes of this file are cut: rules may take ${maxBytes} bytes in all. Read it with read_file.]` }
  }).reverse()
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
