/** The client that the conformance suite runs: our connection, our answers and our login, with nobody at the keys. */
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant
} from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type { Definition } from "../../../../src/domain/mcp/Definition.ts"
import * as ServerRequests from "../../../../src/layers/mcp/client/ServerRequests.ts"
import * as OAuth from "../../../../src/layers/mcp/oauth/OAuth.ts"
import * as Pinned from "../../../../src/layers/network/Pinned.ts"
import * as Connect from "../../../../src/layers/mcp/client/Connect.ts"
import { Approver } from "../../../../src/services/Approver.ts"

const url = process.argv.at(-1) ?? ""
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
const given: Readonly<Record<string, string>> = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")
const { client_id: clientId = "", client_secret: clientSecret = "" } = given

/** A browser whose user agrees to everything. */
const visit = async (to: URL): Promise<URLSearchParams> => {
  const { headers } = await fetch(to, { redirect: "manual" })
  return new URL(headers.get("location") ?? "", to).searchParams
}

/** Logins without a user, by the scenario. */
const providers: Readonly<Record<string, () => OAuthClientProvider>> = {
  "auth/client-credentials-basic": () => new ClientCredentialsProvider({ clientId, clientSecret }),
  "auth/client-credentials-jwt": () => new PrivateKeyJwtProvider({ clientId, privateKey: given["private_key_pem"] ?? "", algorithm: given["signing_algorithm"] ?? "ES256" }),
  "auth/cross-app-access-complete-flow": () =>
    new CrossAppAccessProvider({
      clientId,
      clientSecret,
      assertion: async ({ authorizationServerUrl, fetchFn, resourceUrl, scope }) =>
        (await requestJwtAuthorizationGrant({
          tokenEndpoint: given["idp_token_endpoint"] ?? "",
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: given["idp_id_token"] ?? "",
          clientId: given["idp_client_id"] ?? "",
          ...(scope === undefined ? {} : { scope }),
          fetchFn
        })).jwtAuthGrant
    })
}

let kept: OAuth.Credentials = {}
const provider = providers[scenario]?.()
const login: OAuth.Login = provider !== undefined ? { server: url, visit, provider, address: () => undefined } : OAuth.login({
  server: url,
  redirectUrl: "http://127.0.0.1:3000/callback",
  state: "a-state",
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  read: async () => kept,
  write: async (next) => void (kept = next),
  visit,
  skipIssuerCheck: scenario.startsWith("auth/2025-03-26"),
  ...(clientId === "" ? {} : { client: { client_id: clientId, client_secret: clientSecret } })
})

const definition: Definition = { name: "conformance", transport: { _tag: "Http", url, headers: {}, isTypeInferred: false }, disabled: false, exclude: [] }

/** Arguments that fit what a tool asks for. */
const sample = (schema: { readonly properties?: Record<string, unknown> | undefined }) =>
  Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, part], i) => [name, (part as { type?: string }).type === "number" ? i + 2 : "text"]))

const work = Effect.gen(function*() {
  const { client } = yield* Connect.open({
    definition,
    transport: definition.transport,
    cwd: ".",
    variables: {},
    marker: "",
    confine: undefined,
    named: () => true,
    wires: Pinned.wires,
    connectMs: 20_000,
    capabilities: ServerRequests.capabilities,
    wrap: (fetch) => OAuth.wrap(fetch, login),
    prepare: ServerRequests.prepare({
      server: "conformance",
      roots: [],
      run: (effect, signal) => Effect.runPromise(Effect.provideService(effect, Approver, { ask: () => Effect.never, question: () => Effect.succeed({ by: "user", text: "" }) }), { signal }),
      sample: () => Effect.succeed({ model: "none", text: "no words", isTruncated: false })
    }),
    changed: () => {},
    closed: () => {}
  })
  yield* Effect.promise(async () => {
    if (client.getServerCapabilities()?.tools === undefined) return
    const { tools } = await client.listTools()
    for (const { inputSchema, name } of tools) await client.callTool({ name, arguments: sample(inputSchema) })
  })
})

// A refusal is what some scenarios want: the suite has seen what came before it.
await Effect.runPromise(Effect.scoped(work)).catch((error: unknown) => console.error(String(error)))
