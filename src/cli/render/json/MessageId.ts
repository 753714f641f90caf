/** UUIDs of the lines of `stream-json`: derived from the hash of an event, so that a line names its event again later. */

/** A UUID (version 8) with the first bits of a hash in hex. */
export const ofHash = (hash: string): string =>
  `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
