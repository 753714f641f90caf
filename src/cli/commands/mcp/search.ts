/** `dacapo mcp search <term>...`: finds servers in the public MCP registry, with the command that adds each. Starts and saves none. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Registry from "../../../domain/mcp/Registry.ts"
import * as HttpErrors from "../../../layers/provider/transport/HttpErrors.ts"
import * as FetchLive from "../../../layers/provider/transport/FetchLive.ts"
import { Environment } from "../../../services/Environment.ts"
import { Fetch } from "../../../services/Fetch.ts"
import { RegistryError, UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import type { Action } from "./Action.ts"

const registryUrl = "https://registry.modelcontextprotocol.io"
const maxServers = 20
const maxBytes = 4 * 1024 * 1024

export const run: Action = Effect.fnUntraced(function*({ values: { outputFormat = "text" }, args }) {
  const term = args.join(" ").trim()
  if (term === "") return yield* new UsageError({ message: "Give a part of the server's name: `dacapo mcp search <term>...`." })
  const { environment, stdout } = yield* Host
  const servers = yield* search(environment.variables["DACAPO_MCP_REGISTRY_URL"] || registryUrl, term).pipe(
    Effect.provide(Layer.provide(FetchLive.layer, Layer.succeed(Environment, environment)))
  )
  yield* stdout.write(outputFormat === "text" ? text(servers, term) : StreamJson.line({ servers }))
  return 0
})

const search = Effect.fnUntraced(function*(address: string, term: string) {
  const fetch = yield* Fetch
  const failure = (what: string) => new RegistryError({ message: `The MCP registry at ${address} ${HttpErrors.sentence(what)}` })
  const url = `${address.replace(/\/+$/, "")}/v0/servers?${
    new URLSearchParams({ search: term, limit: `${maxServers}`, version: "latest" }).toString()
  }`
  const body = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { signal, headers: { accept: "application/json" } })
      if (!response.ok) throw new Error(`it responded with status ${response.status}`)
      if (Number(response.headers.get("content-length") ?? 0) > maxBytes) throw new Error("its answer is too large")
      const chunks: Array<Uint8Array> = []
      let size = 0
      for await (const chunk of response.body ?? []) {
        size += chunk.length
        if (size > maxBytes) throw new Error("its answer is too large")
        chunks.push(chunk)
      }
      return JSON.parse(Buffer.concat(chunks).toString()) as unknown
    },
    catch: (error) => failure(`could not be searched: ${HttpErrors.failureReason(error)}`)
  }).pipe(Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.fail(failure("did not respond within 30 s")) }))
  const servers = Registry.servers(body)
  return servers === undefined ? yield* failure("gave an answer that dacapo can't read") : servers.slice(0, maxServers)
})

const text = (servers: ReadonlyArray<Registry.RegistryServer>, term: string): string =>
  [
    ...servers.flatMap(({ add, description, isDeprecated, name, repository, variables, version }) => [
      `${View.line(name)}${version === "" ? "" : ` ${View.line(version)}`}${isDeprecated ? " (deprecated)" : ""}`,
      ...(description === "" ? [] : [`  ${View.line(description)}`]),
      ...(repository === undefined ? [] : [`  ${View.line(repository)}`]),
      ...(variables.length === 0 ? [] : [`  needs ${variables.join(", ")}`]),
      `  ${add ?? "no way to add it that dacapo knows"}`,
      ""
    ]),
    servers.length === 0
      ? `No server's name contains "${View.line(term)}".`
      : "Anyone can publish a server: read what one does before you add it."
  ].map((line) => `${line}\n`).join("")
