/** The providers of the settings and the environment, as a request would find them: the wire, the address, and whether the key is there. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import * as Variables from "../../domain/config/Variables.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import * as CustomRoutes from "../../layers/provider/CustomRoutes.ts"
import { Environment } from "../../services/Environment.ts"
import * as Keys from "../../services/Keys.ts"
import * as Route from "../../services/Route.ts"
import { Settings } from "../../services/Settings.ts"

/** One line for each of the settings, and for each whose address the environment changes; nothing is sent to a server. */
export const describe = Effect.fnUntraced(function*(cwd: string) {
  const { variables } = yield* Environment
  const { providers = {} } = yield* Effect.flatMap(Settings, ({ load }) => load(cwd))
  const moved = builtin.filter(({ baseUrlVariable, name }) =>
    baseUrlVariable !== undefined && Boolean(variables[baseUrlVariable]?.trim()) && !(name in providers)
  )
  return yield* Effect.forEach(
    [...Object.entries(providers), ...moved.map(({ name }) => [name, {}] as const)],
    ([name, settings]) => describeOne(name, settings, variables)
  )
})

const describeOne = Effect.fnUntraced(function*(name: string, settings: ProviderSettings, variables: Variables.Variables) {
  const fault = CustomRoutes.faultOf(name, settings)
  if (fault !== undefined) return { isUsable: false, detail: `${name}: ${fault.message}` }
  const route = CustomRoutes.routes({ [name]: settings })[0] ?? builtin.find((one) => one.name === name)!
  const address = addressOf(Route.address(route, variables, { setting: settings.baseUrl }) || route.baseUrl, variables)
  const key = route.keys.length === 0 ? undefined : yield* Keys.find(route.keys, variables, Redacted.make)
  const needsKey = route.keys.length > 0 && route.keyOptional !== true
  const keyText = key !== undefined ? `key from ${key.source}`
    : route.keys.length === 0 ? "needs no key"
    : `no key in ${route.keys.join(" or ")}${needsKey ? "" : ", which is optional"}`
  return {
    isUsable: address.problem === undefined && (key !== undefined || !needsKey),
    detail: `${name}: ${route.wire} at ${address.problem ?? address.url}, ${keyText}`
  }
})

/** The address with its variables, and the problem with it, if there is one. */
const addressOf = (text: string, variables: Variables.Variables): { readonly url: string; readonly problem?: string } => {
  const missing: Array<string> = []
  const url = Variables.expand(text, variables, (name, value) => {
    if (value === undefined) missing.push(name)
  })
  return missing.length > 0 ? { url, problem: `${text} (${missing.join(", ")} is not set)` }
    // A place such as <region> is filled in from variables of its own.
    : URL.canParse(url.replace(/<[^>]*>/g, "x")) ? { url }
    : { url, problem: `"${url}", which is not a valid URL` }
}
