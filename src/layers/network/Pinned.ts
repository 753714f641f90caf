/**
 * The guard between us and the network: a URL is judged as parsed, its name is resolved once, every address that it
 * gives is judged, and the socket goes to the first of them, and is judged again by what it is connected to.
 */
import type { Socket } from "node:net"
import * as Address from "../../domain/network/Address.ts"
import { WebError } from "../../domain/network/WebError.ts"
import * as WebUrl from "../../domain/network/WebUrl.ts"

/** How names become addresses and addresses become sockets; tests have their own. */
export interface Wires {
  readonly resolve: (host: string) => Promise<ReadonlyArray<string>>
  /** Fails when the socket ends up anywhere else than asked. */
  readonly connect: (address: string, port: number, signal: AbortSignal) => Promise<Socket>
}

/** Whether a rule of the user names the host of a URL: only then may it be of a private network. */
export type Named = (url: string) => boolean

export const wires: Wires = {
  resolve: async (host) => {
    const { lookup } = await import("node:dns/promises")
    return (await lookup(host, { all: true, order: "ipv4first" })).map(({ address }) => address)
  },
  connect: async (address, port, signal) => {
    const net = await import("node:net")
    const socket = net.connect({ host: address, port, signal })
    await new Promise<void>((resolve, reject) => void socket.once("connect", resolve).once("error", reject))
    if (socket.remoteAddress === address) return socket
    socket.destroy()
    throw new Error("The connection leads elsewhere.")
  }
}

export type Target = Exclude<WebUrl.WebUrl, { readonly _tag: "Refused" }>

export const fail = (url: string, reason: WebError["reason"], message: string) => new WebError({ url, reason, message })

export const judged = (url: string, named: Named): Target => {
  const target = WebUrl.read(url)
  if (target._tag === "Refused") throw fail(url, "Refused", sentence(target.why))
  if (target._tag === "Private" && !named(url)) throw fail(url, "Refused", sentence(target.why))
  return target
}

const sentence = (why: string): string => `This is not fetched: ${why}.`

/** Where to connect: the one answer of the resolver, when nothing in it is private or a rule names the host. */
export const address = async ({ host, url }: Target, named: Named, { resolve }: Wires): Promise<string> => {
  const plain = host.replace(/^\[|\]$/g, "")
  const found = Address.isAddress(host) ? [plain] : await resolve(plain)
  const refused = found.map(Address.refusal).find((why) => why !== undefined)
  if (found[0] === undefined) throw fail(url.href, "Unreachable", "The host has no address.")
  if (refused !== undefined && !named(url.href)) throw fail(url.href, "Refused", `${host} leads to an address that is not fetched from: ${refused}.`)
  return found[0]
}
