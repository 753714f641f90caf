/** A small site on loopback that tells what it was asked for. */
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

export type Answer = string | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

export interface Site extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** Method and path of each request, in order. */
  readonly asked: ReadonlyArray<string>
  /** Connections, also those over which nothing was asked. */
  readonly connections: () => number
}

/** Pages by their path; others are 404. A function is given the site's own address. */
export const serve = async (pages: Readonly<Record<string, Answer | ((url: string) => Answer)>>): Promise<Site> => {
  const asked: Array<string> = []
  let connections = 0
  const server = createServer((request: IncomingMessage, response) => {
    if (request.url !== "/favicon.ico") asked.push(`${request.method} ${request.url}`)
    const page = pages[request.url ?? ""]
    const answer = typeof page === "function" ? page(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) : page
    if (answer === undefined) return void response.writeHead(404).end()
    const { body = "", headers = {}, status = 200 } = typeof answer === "string" ? { body: answer } : answer
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(body)
  }).on("connection", () => connections++).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    port,
    asked,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
