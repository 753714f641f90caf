/**
 * HTTP as it must be for models: through the proxy that the environment names, and without the clocks of Node's own
 * client, which would end an answer after five minutes of thought; silence is watched where answers are read.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Environment } from "../../../services/Environment.ts"
import { Fetch } from "../../../services/Fetch.ts"

interface AgentOptions {
  readonly headersTimeout: number
  readonly bodyTimeout: number
  readonly httpProxy?: string
  readonly httpsProxy?: string
  readonly noProxy?: string
}
type Dispatcher = NonNullable<RequestInit["dispatcher"]>
type Agent = new(options: AgentOptions) => Dispatcher

/** Where Node keeps the client that its fetch uses; its classes are not to be had otherwise. */
const place = Symbol.for("undici.globalDispatcher.1")
const agent = (): Agent | undefined => (globalThis as unknown as Record<symbol, object | undefined>)[place]?.constructor as Agent | undefined

/** The client's class that knows proxies, where this Node has one: it shows while proxies are switched on. */
const proxying = async (proxy: string): Promise<Agent | undefined> => {
  const http: { readonly setGlobalProxyFromEnv?: (variables: Record<string, string>) => () => void } = await import("node:http")
  const restore = http.setGlobalProxyFromEnv?.({ http_proxy: proxy, https_proxy: proxy })
  if (restore === undefined) return undefined
  const found = agent()
  restore()
  return found
}

const quiet = { headersTimeout: 0, bodyTimeout: 0 }

const dispatcher = async (variables: Readonly<Record<string, string | undefined>>): Promise<Dispatcher | undefined> => {
  const told = (name: string) => variables[name] || variables[name.toUpperCase()] || variables.all_proxy || variables.ALL_PROXY
  const httpProxy = told("http_proxy")
  const httpsProxy = told("https_proxy")
  const noProxy = variables.no_proxy || variables.NO_PROXY
  const proxy = httpsProxy ?? httpProxy
  const Proxying = proxy === undefined ? undefined : await proxying(proxy)
  const Plain = agent()
  if (Proxying === undefined) return Plain === undefined ? undefined : new Plain(quiet)
  return new Proxying({
    ...quiet,
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(noProxy === undefined ? {} : { noProxy })
  })
}

/** Wraps the fetch that is there, so that a cassette or a fault stays in its place. */
export const layer: Layer.Layer<never, never, Environment> = Layer.effect(Fetch, Effect.gen(function*() {
  const { variables } = yield* Environment
  const fetch = yield* Fetch
  let made: Promise<Dispatcher | undefined> | undefined
  return async (input, init) => {
    const dispatch = await (made ??= dispatcher(variables))
    return fetch(input, dispatch === undefined ? init : { ...init, dispatcher: dispatch })
  }
}))
