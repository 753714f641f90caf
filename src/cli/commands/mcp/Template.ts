/** The files of a new MCP server: one tool, and a test that calls it through a client. */

/** File contents by name, for a server called `name`. */
export const files = (name: string): Readonly<Record<string, string>> => ({
  "package.json": `${
    JSON.stringify(
      {
        name: `mcp-${name.toLowerCase()}`,
        version: "0.1.0",
        private: true,
        type: "module",
        scripts: { start: "node server.mjs", test: "node --test" },
        dependencies: { "@modelcontextprotocol/server": "2.4.0", zod: "^4.2.0" },
        devDependencies: { "@modelcontextprotocol/client": "2.4.0" }
      },
      null,
      2
    )
  }\n`,
  "server.mjs": `/** The MCP server ${name}. Standard output carries the protocol; log to console.error. */
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

const make = () => {
  const server = new McpServer({ name: ${JSON.stringify(name)}, version: "0.1.0" })

  server.registerTool("greet", {
    description: "Greet someone by name.",
    inputSchema: z.object({ name: z.string().min(1).describe("Name of the person to greet.") }),
    annotations: { readOnlyHint: true }
  }, async ({ name }) => ({ content: [{ type: "text", text: \`Hello, \${name}.\` }] }))

  return server
}

serveStdio(make)
`,
  "server.test.mjs": `import assert from "node:assert/strict"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

/** Starts the server and connects a client. */
const connected = async (use) => {
  const client = new Client({ name: "test", version: "0.1.0" })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [fileURLToPath(new URL("server.mjs", import.meta.url))] }))
  try {
    await use(client)
  } finally {
    await client.close()
  }
}

test("greets by name", () => connected(async (client) => {
  const { content } = await client.callTool({ name: "greet", arguments: { name: "Ada" } })
  assert.deepEqual(content, [{ type: "text", text: "Hello, Ada." }])
}))

test("rejects a call without a name", () => connected(async (client) => {
  const { isError } = await client.callTool({ name: "greet", arguments: {} })
  assert.equal(isError, true)
}))
`
})
