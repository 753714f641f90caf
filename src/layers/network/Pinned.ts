/**
 * The guard between us and the network: a URL is judged as parsed, its name is resolved once, every resulting address
 * is judged, and the socket connects to the first of them, and is judged again by its peer.
 */
import type { Socket } from "node:net"
import * as Address from "../../domain/network/Address.ts"
import { WebError } from "../../domain/network/WebError.ts"
import * as WebUrl from "../../domain/network/WebUrl.ts"

/** How names become addresses and addresses become sockets; tests supply their own. */
export interface Wires {
  readonly resolve: (host: string) => Promise<ReadonlyArray<string>>
  /** Fails when the socket is connected to any other address. */
  readonly connect: (address: string, port: number, signal: AbortSignal) => Promise<Socket>
}

/** Whether one of the user's rules names the host of a URL as a private one: only then may it be on a private network. */
export type IsHostAllowed = (url: string) => boolean

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
    throw new Error("The connection leads to another address.")
  }
}

export type Target = Exclude<WebUrl.WebUrl, { readonly _tag: "Refused" }>

export const fail = (url: string, reason: WebError["reason"], message: string) => new WebError({ url, reason, message })

export const checkUrl = (url: string, isHostAllowed: IsHostAllowed): Target => {
  const target = WebUrl.read(url)
  if (target._tag === "Refused") throw fail(url, "Refused", sentence(target.why))
  if (target._tag === "Private" && !isHostAllowed(url)) throw fail(url, "Refused", sentence(target.why))
  return target
}

const sentence = (why: string): string => `This URL is not fetched: ${why}.`

/** Where to connect: the resolver's single answer, if nothing in it is private or a rule names the host as a private one. */
export const address = async ({ host, url }: Target, isHostAllowed: IsHostAllowed, { resolve }: Wires): Promise<string> => {
  const plain = host.replace(/^\[|\]$/g, "")
  const addresses = Address.isAddress(host) ? [plain] : await resolve(plain)
  const refusal = addresses.map(Address.refusal).find((why) => why !== undefined)
  if (addresses[0] === undefined) throw fail(url.href, "Unreachable", "The host has no address.")
  if (refusal !== undefined && !isHostAllowed(url.href))
    throw fail(url.href, "Refused", `${host} resolves to a blocked address: ${refusal}. A rule for private:${host} would allow it.`)
  return addresses[0]
}
