/** Network specs: `domain:example.com` is that host alone, `domain:*.example.com` its sub-domains and not itself; a port may follow. */
import * as Result from "effect/Result"

export interface HostSpec {
  readonly host: string
  readonly subdomains: boolean
  /** Undefined: web servers' usual ports. */
  readonly port: number | undefined
}

export const parse = (spec: string): Result.Result<HostSpec, string> => {
  if (!spec.startsWith("domain:")) return Result.fail(`takes a host: write domain:${hostOf(spec) ?? "example.com"}`)
  const written = spec.slice("domain:".length).trim()
  const subdomains = written.startsWith("*.")
  const [, name = "", digits] = /^(.*?)(?::(\d{1,5}))?$/.exec(subdomains ? written.slice(2) : written)!
  const port = digits === undefined ? undefined : Number(digits)
  const odd = port !== undefined && port > 65_535
  const host = odd || name === "" || /[*/:@?#\s\\]/.test(name) && !/^\[[\da-f:.]+\]$/i.test(name) ? undefined : hostOf(`http://${name}`)
  return host === undefined
    ? Result.fail(`"${written}" is no host name; write domain:example.com, or domain:*.example.com for its sub-domains`)
    : Result.succeed({ host, subdomains, port })
}

/** The host that a URL reaches, as a browser reads it: lower case, punycode, no trailing dot. */
export const hostOf = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { hostname, protocol } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:") return undefined
  return hostname === "" ? undefined : hostname.replace(/\.$/, "")
}
