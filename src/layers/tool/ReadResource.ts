/** read_resource: resources of MCP servers. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Mcp } from "../../services/Mcp.ts"
import { define } from "../../services/Tool.ts"

const params = Schema.Struct({
  server: Schema.optionalKey(Schema.String.annotate({ description: "The server's name." })),
  uri: Schema.optionalKey(Schema.String.annotate({ description: "The resource's URI as listed, with any `{part}` filled in." }))
})

export const ReadResource = define<typeof params.Type>({
  name: "read_resource",
  description: "Read a resource of an MCP server by server and URI. Without a URI, lists the resources.",
  params,
  aliases: ["access_mcp_resource", "read_mcp_resource"],
  paramAliases: { server_name: "server", url: "uri" },
  kind: "read",
  idempotent: true,
  openWorld: true,
  hasNoOtherEffects: true,
  tags: ["mcp"],
  when: ({ offer: { servers } }) => servers.some(({ resources }) => resources),
  access: ({ server, uri }) =>
    uri === undefined || server === undefined ? [Access.other("list_resources")] : [Access.mcp(server, "read_resource", { uri })],
  run: Effect.fn("read_resource")(function*({ server, uri }) {
    const mcp = yield* Mcp
    if (uri === undefined) return yield* mcp.resources(server)
    if (server === undefined)
      return Outcome.mistaken(
        "read_resource needs the name of the server that has the resource. Call it without a URI to list all resources with their servers."
      )
    return yield* mcp.read(server, uri)
  })
})
