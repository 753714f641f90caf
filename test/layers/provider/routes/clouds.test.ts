/** Where the routes of Google Cloud and AWS go, and with whose credentials. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash, createHmac, generateKeyPairSync, verify } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { anthropicBedrock as anthropicBedrockRoute, anthropicVertex as anthropicVertexRoute } from "../../../../src/layers/provider/routes/anthropic.ts"
import { bedrock as bedrockRoute, gemini as geminiRoute, geminiVertex } from "../../../../src/layers/provider/routes/clouds.ts"
import * as ProviderLive from "../../../../src/layers/provider/ProviderLive.ts"
import { collect } from "../../../../src/layers/testing/CollectResponse.ts"
import { environment, request } from "../../../../src/layers/testing/conformance/route.ts"
import { anthropicBedrock, anthropicVertex } from "../../../../src/layers/testing/servers/anthropicHosted.ts"
import { bedrock } from "../../../../src/layers/testing/servers/bedrock.ts"
import { event, exception } from "../../../../src/layers/testing/servers/EventFrames.ts"
import { gemini } from "../../../../src/layers/testing/servers/gemini.ts"
import * as Server from "../../../../src/layers/testing/servers/Server.ts"
import type { WireRequest, Wire } from "../../../../src/layers/testing/servers/Wire.ts"
import { Fetch } from "../../../../src/services/Fetch.ts"
import { Provider } from "../../../../src/services/Provider.ts"
import type { Route } from "../../../../src/services/Route.ts"

const hello = request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }])
const says = Server.ScriptedResponse.Says({ turn: { text: "Hi." } })

/** What came of a request, and how it went out. */
const ask = (route: Route, wire: Wire, id: string, variables: Readonly<Record<string, string>>, answer: Server.ScriptedResponse = says, path = "", fetch = globalThis.fetch, providers = {}) =>
  Effect.gen(function*() {
    const server = yield* Server.start(wire, [answer])
    const result = yield* Effect.gen(function*() {
      const provider = yield* Provider
      const model = yield* provider.describe(`${route.name}/${id}`)
      const prepared = yield* provider.prepare(model, hello)
      const chunks = yield* Stream.runCollect(provider.stream(prepared))
      return { model, ...collect(chunks.map(({ chunk }) => chunk)) }
    }).pipe(Effect.provide(ProviderLive.layer({ routes: [route], providers, baseUrl: `${server.url}${path}` }).pipe(Layer.provide([environment(variables), Layer.succeed(Fetch, fetch)]))), Effect.result)
    const [asked] = server.requests
    return { result, asked, refused: server.refused, error: result._tag === "Failure" ? result.failure : undefined }
  })

/** AWS Signature Version 4 of a request that came, by its own list of signed headers. */
const signatureOf = (asked: WireRequest, { search }: URL, secret: string): string => {
  const { authorization = "" } = asked.headers
  const [, scope = "", names = ""] = /Credential=[^/]+\/(\S+), SignedHeaders=(\S+),/.exec(authorization) ?? []
  const hash = (text: string) => createHash("sha256").update(text).digest("hex")
  const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()
  const canonical = [
    "POST",
    asked.path.split("/").map(encodeURIComponent).join("/"),
    search.slice(1).replaceAll("+", "%20"),
    ...names.split(";").map((name) => `${name}:${asked.headers[name]}`),
    "",
    names,
    hash(asked.text)
  ].join("\n")
  const key = scope.split("/").reduce<string | Buffer>(mac, `AWS4${secret}`)
  return mac(key, ["AWS4-HMAC-SHA256", asked.headers["x-amz-date"], scope, hash(canonical)].join("\n")).toString("hex")
}

const aws = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret-of-a-test", AWS_SESSION_TOKEN: "session-of-a-test", AWS_REGION: "ap-south-1" }

for (const [route, wire, operation] of [[bedrockRoute, bedrock, "converse-stream"], [anthropicBedrockRoute, anthropicBedrock, "invoke-with-response-stream"]] as const) {
  describe(route.name, () => {
    const id = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"

    it.live("signs with an account's credentials, for its region", () =>
      Effect.gen(function*() {
        const { asked, error, refused, result } = yield* ask(route, wire, id, aws)
        assert.deepStrictEqual([error, refused], [undefined, []])
        assert.strictEqual(asked?.path, `/model/${encodeURIComponent(id)}/${operation}`)
        assert.match(asked?.headers.authorization ?? "", /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/ap-south-1\/bedrock\/aws4_request, /)
        assert.strictEqual(asked?.headers["x-amz-security-token"], "session-of-a-test")
        // Figures are those of the model where it comes from.
        assert.isTrue(result._tag === "Success" && result.success.text === "Hi." && result.success.model.id === id && result.success.model.window > 150_000 && result.success.model.price !== undefined)
      }).pipe(Effect.scoped))

    it.live("signs what the user's settings add, too", () =>
      Effect.gen(function*() {
        const body = route === bedrockRoute ? { additionalModelRequestFields: { note: "ä" } } : { metadata: { user_id: "ä" } }
        const added = { headers: { "X-Team": "blue" }, query: { trace: "a b" }, body }
        let url = new URL("http://nowhere")
        const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(url = new URL(String(input)), init)
        const { asked, error } = yield* ask(route, wire, id, aws, says, "", fetch, { [route.name]: added })
        assert.isUndefined(error)
        assert.strictEqual(url.searchParams.get("trace"), "a b")
        assert.strictEqual(asked?.headers["x-team"], "blue")
        assert.deepInclude(asked?.body, added.body)
        assert.strictEqual(asked?.headers.authorization?.split("Signature=")[1], signatureOf(asked!, url, aws.AWS_SECRET_ACCESS_KEY))
      }).pipe(Effect.scoped))

    it.live("sends a key of Bedrock's own as a bearer", () =>
      Effect.gen(function*() {
        const { asked, refused } = yield* ask(route, wire, id, { AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-of-a-test" })
        assert.deepStrictEqual([asked?.headers.authorization, refused], ["Bearer bedrock-key-of-a-test", []])
      }).pipe(Effect.scoped))

    it.live("tells a refused credential", () =>
      Effect.gen(function*() {
        const { error } = yield* ask(route, wire, id, { AWS_BEARER_TOKEN_BEDROCK: "invalid-key-of-a-test" })
        assert.strictEqual(error?.reason._tag, "Auth")
        assert.include(error?.message, "security token")
      }).pipe(Effect.scoped))

    it.live("tells an exception in mid-stream, and a frame that is damaged", () =>
      Effect.gen(function*() {
        const begun = wire.frames({ text: "Hi" }, { method: "", path: "", headers: {}, text: "", body: {} }).slice(0, 1) as ReadonlyArray<Uint8Array>
        const thrown = yield* ask(route, wire, id, aws, Server.ScriptedResponse.Raw({ parts: [...begun, exception("throttlingException", "Too many tokens, please wait before trying again.")] }))
        assert.strictEqual(thrown.error?.reason._tag, "RateLimited")
        const damaged = Buffer.from(event("messageStart", { role: "assistant" }))
        damaged[damaged.length - 6]! ^= 1
        const broken = yield* ask(route, wire, id, aws, Server.ScriptedResponse.Raw({ parts: [damaged] }))
        assert.strictEqual(broken.error?.reason._tag, "BadAnswer")
        assert.include(broken.error?.message, "checksum")
      }).pipe(Effect.scoped))
  })
}

const google = { GOOGLE_CLOUD_PROJECT: "some-project", GOOGLE_CLOUD_LOCATION: "europe-west1" }

/** A service account's file, and a fetch that finds who gives tokens to who signs with its key. */
const account = Effect.gen(function*() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  let given = 0
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (part) => text += part)
    request.on("end", () => {
      const [head = "", claims = "", signature = ""] = new URLSearchParams(text).get("assertion")?.split(".") ?? []
      const right = verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url"))
      response.writeHead(right ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify(right ? { access_token: `ya29.token-${++given}`, expires_in: 3600, token_type: "Bearer" } : { error: "invalid_grant" }))
    })
  })
  yield* Effect.promise(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))
  const folder = mkdtempSync(join(tmpdir(), "dacapo-account-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => {
    server.close()
    rmSync(folder, { recursive: true })
  }))
  const file = join(folder, "account.json")
  writeFileSync(file, JSON.stringify({
    type: "service_account",
    project_id: "project-of-the-account",
    private_key_id: "1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "agent@project-of-the-account.iam.gserviceaccount.com"
  }))
  const fetch: typeof globalThis.fetch = (input, init) =>
    globalThis.fetch(String(input) === "https://oauth2.googleapis.com/token" ? `http://127.0.0.1:${(server.address() as AddressInfo).port}/` : input, init)
  return { file, fetch }
})

for (const [route, wire, id, publisher] of [[geminiVertex, gemini, "gemini-2.5-flash", "google"], [anthropicVertexRoute, anthropicVertex, "claude-sonnet-4-5@20250929", "anthropic"]] as const) {
  describe(route.name, () => {
    it.live("goes to the project and place that the environment names, with its token", () =>
      Effect.gen(function*() {
        const { asked, error, refused, result } = yield* ask(route, wire, id, { ...google, GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.given", GEMINI_API_KEY: "not-for-this" })
        assert.deepStrictEqual([error, refused], [undefined, []])
        assert.isTrue(asked?.path.startsWith(`/v1/projects/some-project/locations/europe-west1/publishers/${publisher}/models/`), asked?.path)
        assert.deepStrictEqual([asked?.headers.authorization, asked?.headers["x-goog-api-key"], asked?.headers["x-api-key"]], ["Bearer ya29.given", undefined, undefined])
        assert.isTrue(result._tag === "Success" && result.success.text === "Hi." && result.success.model.window >= 200_000)
      }).pipe(Effect.scoped))

    it.live("gets a token for a service account, whose project it takes where none is named", () =>
      Effect.gen(function*() {
        const { fetch, file } = yield* account
        const { asked, error } = yield* ask(route, wire, id, { GOOGLE_APPLICATION_CREDENTIALS: file }, says, "", fetch)
        assert.strictEqual(error, undefined)
        assert.deepStrictEqual([asked?.path.slice(0, 59), asked?.headers.authorization], ["/v1/projects/project-of-the-account/locations/global/publis", "Bearer ya29.token-1"])
      }).pipe(Effect.scoped))

    it.live("says what is missing", () =>
      Effect.gen(function*() {
        const { error } = yield* ask(route, wire, id, { GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.given" })
        assert.strictEqual(error?.reason._tag, "Auth")
        assert.match(error?.message ?? "", /No Google Cloud project for .*\. Set \w+_PROJECT\w*\./)
        const lost = yield* ask(route, wire, id, { ...google, GOOGLE_APPLICATION_CREDENTIALS: "/nowhere/account.json" })
        assert.strictEqual(lost.error?.reason._tag, "Auth")
        assert.include(lost.error?.message, "gcloud auth application-default login")
      }).pipe(Effect.scoped))
  })
}

describe("gemini", () => {
  it.live("takes a base URL with a version, with another wire's, or without", () =>
    Effect.gen(function*() {
      for (const [path, version] of [["", "v1beta"], ["/", "v1beta"], ["/v1", "v1beta"], ["/v1beta", "v1beta"], ["/v1alpha/", "v1alpha"]] as const) {
        const { asked, error } = yield* ask(geminiRoute, gemini, "gemini-2.5-flash", { GEMINI_API_KEY: "key-of-a-test" }, says, path)
        assert.deepStrictEqual([error, asked?.path, asked?.headers["x-goog-api-key"]], [undefined, `/${version}/models/gemini-2.5-flash:streamGenerateContent`, "key-of-a-test"])
      }
    }).pipe(Effect.scoped))
})

describe("a place in an address", () => {
  it("is made from the environment", () => {
    const address = (route: Route, variables: Readonly<Record<string, string>>) => route.place?.address(variables)
    assert.strictEqual(address(bedrockRoute, { AWS_DEFAULT_REGION: "eu-west-3" }), "https://bedrock-runtime.eu-west-3.amazonaws.com")
    assert.strictEqual(address(geminiVertex, google), "https://europe-west1-aiplatform.googleapis.com")
    assert.strictEqual(address(geminiVertex, {}), "https://aiplatform.googleapis.com")
  })
})
