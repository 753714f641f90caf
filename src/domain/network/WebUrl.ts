/**
 * Classifies a URL, using the parser that browsers use, and whether it may be requested at all. What its name resolves
 * to is judged again when connecting (Address).
 */
import * as Address from "./Address.ts"

/**
 * - `Public`: rules, risk and people decide.
 * - `Private`: this machine, its network, a name without a dot: refused unless a rule names the host.
 * - `Refused`: always refused: another scheme, credentials, a port of another protocol, an invalid URL.
 */
export type WebUrl =
  | { readonly _tag: "Public"; readonly url: URL; readonly host: string; readonly port: number }
  | { readonly _tag: "Private"; readonly url: URL; readonly host: string; readonly port: number; readonly why: string }
  | { readonly _tag: "Refused"; readonly why: string }

/** In characters. */
const maxCharacters = 8192

export const read = (text: string): WebUrl => {
  if (text.length > maxCharacters) return refuse(`it is longer than ${maxCharacters} characters`)
  if (!URL.canParse(text)) return refuse("it is not a valid URL")
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse(`only http and https are supported, not ${url.protocol.slice(0, -1)}`)
  if (url.username !== "" || url.password !== "") return refuse("it carries credentials")
  const host = url.hostname.replace(/\.$/, "")
  if (host === "") return refuse("it names no host")
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
  if (badPorts.has(port)) return refuse(`port ${port} belongs to another protocol`)
  const why = privateReason(host)
  return why === undefined ? { _tag: "Public", url, host, port } : { _tag: "Private", url, host, port, why }
}

const refuse = (why: string): WebUrl => ({ _tag: "Refused", why })

const privateReason = (host: string): string | undefined => {
  if (Address.isAddress(host)) return Address.refusal(host.replace(/^\[|\]$/g, ""))
  if (/(?:^|\.)localhost$/.test(host)) return "it is this machine"
  if (!host.includes(".")) return "a name without a dot belongs to the local network"
  return privateName.test(host) ? "the name belongs to a private network" : undefined
}

/** Names that are never public, or that networks use internally. */
const privateName = /\.(?:local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/

/** Ports that browsers block: services there would mistake a request for something else (WHATWG Fetch, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  0,
  1,
  7,
  9,
  11,
  13,
  15,
  17,
  19,
  20,
  21,
  22,
  23,
  25,
  37,
  42,
  43,
  53,
  69,
  77,
  79,
  87,
  95,
  101,
  102,
  103,
  104,
  109,
  110,
  111,
  113,
  115,
  117,
  119,
  123,
  135,
  137,
  139,
  143,
  161,
  179,
  389,
  427,
  465,
  512,
  513,
  514,
  515,
  526,
  530,
  531,
  532,
  540,
  548,
  554,
  556,
  563,
  587,
  601,
  636,
  989,
  990,
  993,
  995,
  1719,
  1720,
  1723,
  2049,
  3659,
  4045,
  4190,
  5060,
  5061,
  6000,
  6566,
  6665,
  6666,
  6667,
  6668,
  6669,
  6679,
  6697,
  10080
])
