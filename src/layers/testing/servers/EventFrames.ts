/** Frames of `application/vnd.amazon.eventstream`, as AWS writes them; checksums by Node's zlib. */
import { crc32 } from "node:zlib"

export const contentType = "application/vnd.amazon.eventstream"

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const header = ([name, value]: readonly [string, string]): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)])
}

/** Any frame: text headers, and its payload. */
export const frame = (headers: Readonly<Record<string, string>>, payload: string): Buffer => {
  const head = Buffer.concat(Object.entries(headers).map(header))
  const body = Buffer.from(payload)
  const lengths = Buffer.concat([number(16 + head.length + body.length), number(head.length)])
  const checked = Buffer.concat([lengths, number(crc32(lengths)), head, body])
  return Buffer.concat([checked, number(crc32(checked))])
}

export const event = (kind: string, payload: object): Buffer =>
  frame({ ":event-type": kind, ":content-type": "application/json", ":message-type": "event" }, JSON.stringify(payload))

/** An error in mid-stream. */
export const exception = (kind: string, message: string): Buffer =>
  frame({ ":exception-type": kind, ":content-type": "application/json", ":message-type": "exception" }, JSON.stringify({ message }))
