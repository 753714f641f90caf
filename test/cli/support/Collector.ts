/** An OpenTelemetry collector on loopback that keeps what it gets. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

/** A collector that answers each request with the next status, the last one again and again. */
export const collector = async (...statuses: ReadonlyArray<number>) => {
  const requests: Array<{ readonly url: string; readonly headers: IncomingMessage["headers"]; readonly body: Buffer }> = []
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part)).on("end", () => {
      requests.push({ url: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) })
      response.writeHead(statuses[Math.min(requests.length, statuses.length) - 1]!, { location: "/elsewhere" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close()
  }
}

export type Collector = Awaited<ReturnType<typeof collector>>
