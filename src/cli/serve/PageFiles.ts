/** The files of the page, as the build wrote them: read once, sent with headers that let no other code run in it. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Its bytes, and the same compressed with Brotli, if the build did so. */
interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly compressed: Uint8Array<ArrayBuffer> | undefined
  readonly type: string
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml"
}

/** The build puts them beside the bundle; a checkout has them there, too. */
const pageFolder = (): string | undefined => {
  for (let ancestor = dirname(fileURLToPath(import.meta.url));; ancestor = dirname(ancestor)) {
    for (const candidate of [join(ancestor, "page"), join(ancestor, "dist", "page")]) {
      if (existsSync(join(candidate, "index.html"))) return candidate
    }
    if (ancestor === dirname(ancestor)) return undefined
  }
}

/** By path of the URL. */
const load = (): ReadonlyMap<string, PageFile> => {
  const folder = pageFolder()
  if (folder === undefined) return new Map()
  const names = readdirSync(folder).filter((name) => types[extname(name)] !== undefined)
  const files = names.map((name): [string, PageFile] => {
    const compressed = join(folder, `${name}.br`)
    return [`/${name}`, {
      bytes: new Uint8Array(readFileSync(join(folder, name))),
      compressed: existsSync(compressed) ? new Uint8Array(readFileSync(compressed)) : undefined,
      type: types[extname(name)]!
    }]
  })
  return new Map(files.flatMap(([path, file]) => path === "/index.html" ? [[path, file], ["/", file]] : [[path, file]]))
}

/** Scripts and styles are files of this server, nothing can be made into code, and nobody may frame the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** For everything that a browser receives. */
export const headers: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

export interface PageFiles {
  /** The file of a path, if the page has one. They hold nothing of any session, so no token is needed. */
  readonly respond: (method: string, path: string, encodings: string) => Response | undefined
}

/** Names with a hash never change their content. */
const immutable = /-[\w-]{8}\.(?:js|css)$/

export const make = (): PageFiles => {
  const files = load()
  return {
    respond: (method, path, encodings) => {
      const file = method === "GET" ? files.get(path) : undefined
      if (file === undefined) return undefined
      const compressed = /\bbr\b/.test(encodings) ? file.compressed : undefined
      return new Response(compressed ?? file.bytes, {
        headers: {
          ...headers,
          "content-type": file.type,
          "cache-control": immutable.test(path) ? "private, max-age=31536000, immutable" : "no-cache",
          vary: "accept-encoding",
          ...(compressed === undefined ? {} : { "content-encoding": "br" })
        }
      })
    }
  }
}
