/** An npm registry on the loopback interface: documents of packages and their archives, as `npm publish` would have put them there. */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** One version of a package. `integrity` is what the document claims; by default that of the archive. */
export interface Published {
  readonly name: string
  readonly version: string
  readonly archive: Buffer
  readonly integrity?: string
}

export interface Registry extends AsyncDisposable {
  readonly url: string
  /** Method and path of each request. */
  readonly requests: ReadonlyArray<string>
  /** Replaces the version of this name and number, or adds one, which becomes the latest. */
  readonly publish: (version: Published) => void
}

export const integrityOf = (archive: Buffer): string => `sha512-${createHash("sha512").update(archive).digest("base64")}`

export const open = async (): Promise<Registry> => {
  const versions = new Map<string, Published>()
  const requests: Array<string> = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", url).pathname).slice(1)
    requests.push(`${request.method} /${path}`)
    const refuse = (status: number, error: string) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }))
    if (request.method !== "GET") return refuse(405, "method not allowed")
    const archive = [...versions.values()].find((one) => path === archivePath(one))
    if (archive !== undefined) return response.writeHead(200, { "content-type": "application/octet-stream" }).end(archive.archive)
    const all = [...versions.values()].filter(({ name }) => name === path)
    if (all.length === 0) return refuse(404, "Not found")
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({
      _id: path,
      name: path,
      "dist-tags": { latest: all.at(-1)!.version },
      versions: Object.fromEntries(all.map((one) => [one.version, {
        name: path,
        version: one.version,
        dist: {
          tarball: `${url}/${archivePath(one)}`,
          integrity: one.integrity ?? integrityOf(one.archive),
          ...(one.integrity === undefined ? { shasum: createHash("sha1").update(one.archive).digest("hex") } : {})
        }
      }]))
    }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requests,
    publish: (version) => {
      const key = `${version.name}@${version.version}`
      versions.set(key, version)
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections()))
  }
}

const archivePath = ({ name, version }: Published): string => `${name}/-/${name.split("/").at(-1)}-${version}.tgz`
