/**
 * HTTP for model requests: through the proxy that the environment names, and without the timeouts of Node's own client, which
 * would end a response after five minutes of thinking. Idle timeouts are applied where responses are read.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { optional } from "../../../domain/Optional.ts"
import { Environment } from "../../../services/Environment.ts"
import { Fetch } from "../../../services/Fetch.ts"
import * as HttpAgent from "../../network/HttpAgent.ts"
import * as HttpFetch from "./HttpFetch.ts"

/** The client's agent that supports proxies, if this Node has one: it is visible while a global proxy is set. */
const proxyAgent = async (proxy: string): Promise<HttpAgent.HttpAgent | undefined> => {
  const http: { readonly setGlobalProxyFromEnv?: (variables: Record<string, string>) => () => void } = await import("node:http")
  const restore = http.setGlobalProxyFromEnv?.({ http_proxy: proxy, https_proxy: proxy })
  if (restore === undefined) return undefined
  const agent = HttpAgent.current()
  restore()
  return agent
}

const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 }

interface Proxies {
  readonly httpProxy: string | undefined
  readonly httpsProxy: string | undefined
  readonly noProxy: string | undefined
}

const proxiesOf = (variables: Readonly<Record<string, string | undefined>>): Proxies => {
  const proxyVariable = (name: string) => variables[name] || variables[name.toUpperCase()] || variables.all_proxy || variables.ALL_PROXY
  return {
    httpProxy: proxyVariable("http_proxy"),
    httpsProxy: proxyVariable("https_proxy"),
    noProxy: variables.no_proxy || variables.NO_PROXY
  }
}

const dispatcherFor = async ({ httpProxy, httpsProxy, noProxy }: Proxies): Promise<HttpAgent.Dispatcher | undefined> => {
  const proxy = httpsProxy ?? httpProxy
  const ProxyAgent = proxy === undefined ? undefined : await proxyAgent(proxy)
  const Agent = HttpAgent.current()
  if (ProxyAgent === undefined) return Agent === undefined ? undefined : new Agent(noTimeouts)
  return new ProxyAgent({
    ...noTimeouts,
    ...optional({ httpProxy, httpsProxy, noProxy })
  })
}

/** Wraps the current fetch, so that a cassette or an injected fault stays in effect; Node's own is used where there is a proxy. */
export const layer: Layer.Layer<never, never, Environment> = Layer.effect(
  Fetch,
  Effect.gen(function*() {
    const proxies = proxiesOf((yield* Environment).variables)
    const fetch = yield* Fetch
    let dispatcher: Promise<HttpAgent.Dispatcher | undefined> | undefined
    const unlimited: typeof globalThis.fetch = async (input, init) => {
      const current = await (dispatcher ??= dispatcherFor(proxies))
      return fetch(input, current === undefined ? init : { ...init, dispatcher: current })
    }
    const isDirect = fetch === Fetch.defaultValue() && proxies.httpProxy === undefined && proxies.httpsProxy === undefined
    return isDirect ? HttpFetch.over(unlimited) : unlimited
  })
)
