/** The guide to writing an MCP server, for the model. */

/** Describes what `dacapo mcp new` creates. */
export const guide = `# Writing an MCP server

A server is a small program that provides tools (and optionally resources and prompts) over the Model Context Protocol.
Write one if a task needs the same external service repeatedly; for a single call, a command is enough.

1. Create it: \`dacapo mcp new <name> [folder]\` writes package.json, server.mjs with one tool, and server.test.mjs.
   Then run \`npm install\` and \`npm test\` in the folder.
2. Replace the example tool. Register each tool with a name, a description, an input schema and a function:

       server.registerTool("forecast", {
         description: "The weather forecast for a place.",
         inputSchema: z.object({ place: z.string().describe("A city."), days: z.number().int().min(1).max(7).default(3) }),
         annotations: { readOnlyHint: true, openWorldHint: true }
       }, async ({ place, days }, { mcpReq }) => ({ content: [{ type: "text", text: await forecast(place, days, mcpReq.signal) }] }))

3. Write descriptions that let a caller choose the tool and fill in its parameters. Prefer a few tools with clear names.
   Return only what was asked for: results take up the caller's context window.
4. Return errors that the caller can act on as results: \`{ content: [{ type: "text", text: "Unknown place: Atlantis." }], isError: true }\`.
5. Standard output is reserved for the protocol: log with console.error only. Stop when the request's signal aborts.
6. Read keys from the environment (\`process.env.WEATHER_KEY\`); never put them in the source.
7. Test each tool through a client, as server.test.mjs does: valid input, invalid input, a failing service.
8. Register it: \`dacapo mcp add <name> -e WEATHER_KEY='\${WEATHER_KEY}' -- node <folder>/server.mjs\`, then \`dacapo mcp test <name>\`.
   The user has to approve that command. The tools are available from the next request on, as mcp__<name>__<tool>.
`
