/**
 * A response of `node:http` in the shape of `Response`. Its texts and copies, which streams don't need, are made by the real class, which
 * loads Node's client.
 */
import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { HeaderFields } from "./HeaderFields.ts"

export class HttpResponse implements Response {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null
  readonly headers: Headers
  readonly redirected = false
  readonly status: number
  readonly statusText: string
  readonly type = "basic"
  readonly url: string

  constructor(message: IncomingMessage, content: Readable, url: string) {
    const { rawHeaders, statusCode = 0, statusMessage = "" } = message
    this.body = withoutBody.has(statusCode) ? null : Readable.toWeb(content) as ReadableStream<Uint8Array<ArrayBuffer>>
    if (this.body === null) message.resume()
    this.headers = new HeaderFields(rawHeaders.flatMap((name, i) => i % 2 === 0 ? [[name, rawHeaders[i + 1]!] as [string, string]] : []))
    this.status = statusCode
    this.statusText = statusMessage
    this.url = url
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get bodyUsed(): boolean {
    return this.body?.locked ?? false
  }

  arrayBuffer = () => this.real().arrayBuffer()
  blob = () => this.real().blob()
  bytes = () => this.real().bytes()
  clone = () => this.real().clone()
  formData = () => this.real().formData()
  json = () => this.real().json()
  text = () => this.real().text()

  private real(): Response {
    return new Response(this.body, { status: this.status, statusText: this.statusText, headers: [...this.headers] })
  }
}

const withoutBody = new Set([204, 205, 304])
