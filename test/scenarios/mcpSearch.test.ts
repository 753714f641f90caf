/** `dacapo mcp search` against a registry on loopback, which answers as the public one does. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "../cli/support/ChatServer.ts"
import * as Process from "../cli/support/Process.ts"

const meta = (fields: object = {}) => ({ "io.modelcontextprotocol.registry/official": { status: "active", isLatest: true, publishedAt: "2026-10-01T00:00:00Z", ...fields } })

/** Of the shape that the registry's API has; the last ones are made to harm whoever copies a command. */
const found = {
  servers: [
    {
      server: {
        $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        name: "io.github.acme/tickets",
        description: "Tickets of a team.",
        version: "1.2.0",
        repository: { url: "https://github.com/acme/tickets", source: "github" },
        packages: [{ registryType: "npm", identifier: "@acme/tickets", version: "1.2.0", transport: { type: "stdio" }, environmentVariables: [{ name: "TICKETS_KEY", isRequired: true, isSecret: true }, { name: "DEBUG" }] }]
      },
      _meta: meta()
    },
    { server: { name: "com.example/docs", description: "Documents.", version: "0.3.0", remotes: [{ type: "streamable-http", url: "https://mcp.example.com/mcp" }] }, _meta: meta({ status: "deprecated" }) },
    { server: { name: "com.example/old", description: "An old version.", version: "0.1.0", remotes: [{ type: "sse", url: "https://mcp.example.com/sse" }] }, _meta: meta({ isLatest: false }) },
    { server: { name: "evil/\u001b[2Jserver", description: "x\u001b]0;owned\u0007\nsecond line", version: "1", packages: [{ registryType: "npm", identifier: "x; rm -rf ~", version: "1", transport: { type: "stdio" } }] }, _meta: meta() },
    { server: { name: "evil/option", description: "An option.", version: "1", packages: [{ registryType: "npm", identifier: "--unsafe-perm", transport: { type: "stdio" } }] }, _meta: meta() }
  ],
  metadata: { count: 5 }
}

const search = (place: Process.Place, url: string, ...args: ReadonlyArray<string>) =>
  Process.run({ ...place, environment: { ...place.environment, DACAPO_MCP_REGISTRY_URL: url } }, ["mcp", "search", ...args])

describe("dacapo mcp search", () => {
  it("shows the servers and how each is added, and adds none", async () => {
    using place = Process.place()
    using registry = await ChatServer.start(() => ({ json: found }))
    const { code, stdout } = await search(place, registry.url.replace(/\/v1$/, ""), "ticket", "server")
    expect(code).toBe(0)
    expect(registry.asked.map(({ path }) => path)).toEqual(["/v0/servers?search=ticket+server&limit=20&version=latest"])
    expect(stdout).toContain([
      "io.github.acme/tickets 1.2.0",
      "  Tickets of a team.",
      "  https://github.com/acme/tickets",
      "  needs TICKETS_KEY",
      "  dacapo mcp add tickets -- npx -y @acme/tickets@1.2.0",
      "",
      "com.example/docs 0.3.0 (deprecated)",
      "  Documents.",
      "  dacapo mcp add docs https://mcp.example.com/mcp"
    ].join("\n"))
    expect(stdout).not.toContain("An old version.")
    expect(existsSync(join(place.root, "home", "config.jsonc"))).toBe(false)
  })

  it("offers no command that would do something else, and shows no control characters", async () => {
    using place = Process.place()
    using registry = await ChatServer.start(() => ({ json: found }))
    const { stdout } = await search(place, registry.url, "evil")
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    expect(stdout).not.toContain("rm -rf")
    expect(stdout.match(/no way to add it that dacapo knows/g)).toHaveLength(2)
    const { servers } = JSON.parse((await search(place, registry.url, "evil", "--output-format", "json")).stdout)
    expect(servers.map(({ add, name }: { add?: string; name: string }) => [name, add !== undefined])).toEqual([
      ["io.github.acme/tickets", true],
      ["com.example/docs", true],
      ["evil/\u001b[2Jserver", false],
      ["evil/option", false]
    ])
  })

  it("says what is wrong where the registry fails", async () => {
    using place = Process.place()
    using registry = await ChatServer.start(({ path }) => path.startsWith("/broken") ? { status: 503 } : { json: { nothing: true } })
    const root = registry.url.replace(/\/v1$/, "")
    expect(await search(place, `${root}/broken`, "x")).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("it responded with status 503") })
    expect(await search(place, root, "x")).toMatchObject({ code: 1, stderr: expect.stringContaining("gave an answer that dacapo can't read") })
    expect(await search(place, "http://registry.invalid", "x")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^dacapo: The MCP registry at http:\/\/registry\.invalid could not be searched: the host name [^.]+\. Is the network up\? .*DACAPO_MCP_REGISTRY_URL/)
    })
    expect((await search(place, root)).code).toBe(2)
  })
})
