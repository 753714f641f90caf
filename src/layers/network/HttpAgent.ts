/** The HTTP client behind Node's own fetch, whose classes are not exported: how a fetch is given its own connections. */

export type Dispatcher = NonNullable<RequestInit["dispatcher"]>

/** A connection to be made: `host` includes the port if it is not the default. */
export interface Destination {
  readonly host: string
  readonly protocol: string
}
type OnConnected = (error: Error | null, socket: import("node:net").Socket | null) => void

export interface Options {
  readonly headersTimeout: number
  readonly bodyTimeout: number
  readonly httpProxy?: string
  readonly httpsProxy?: string
  readonly noProxy?: string
  readonly connect?: (destination: Destination, onConnected: OnConnected) => void
}
export type HttpAgent = new(options: Options) => Dispatcher

const dispatcherSymbol = Symbol.for("undici.globalDispatcher.1")

/** The class of the client that fetch currently uses; undefined if this Node has none. */
export const current = (): HttpAgent | undefined => {
  void globalThis.Headers // Node loads its client when one of its classes is first accessed
  return (globalThis as unknown as Record<symbol, object | undefined>)[dispatcherSymbol]?.constructor as HttpAgent | undefined
}
