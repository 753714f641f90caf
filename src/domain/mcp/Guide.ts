/** How one writes a server, for a model that is to write one. */

/** What `dacapo mcp new` lays out is what this tells of. */
export const guide = `# Writing an MCP server

A server is a small program that offers tools (and, where useful, resources and prompts) over the Model Context Protocol.
Write one when a task needs the same outside service again and again; for a single call a command is enough.

1. Lay it out: \`dacapo mcp new <name> [folder]\`. You get package.json, server.mjs with one tool, and server.test.mjs.
   Then \`npm install\` and \`npm test\` in the folder.
2. Replace the tool. Each is registered with a name, a description, an input schema and a function:

       server.registerTool("forecast", {
         description: "The weather of the next days at a place.",
         inputSchema: z.object({ place: z.string().describe("A city."), days: z.number().int().min(1).max(7).default(3) }),
         annotations: { readOnlyHint: true, openWorldHint: true }
       }, async ({ place, days }, { mcpReq }) => ({ content: [{ type: "text", text: await forecast(place, days, mcpReq.signal) }] }))

3. Say in descriptions what a caller needs to choose the tool and to fill in its params. Few tools with clear names are
   better than many. Give only what is asked for: answers fill the caller's window.
4. Errors that the caller can act on are results: \`{ content: [{ type: "text", text: "There is no place Atlantis." }], isError: true }\`.
5. Standard output belongs to the protocol: write notes with console.error alone. Stop when the signal of the request aborts.
6. Keys come from the environment (\`process.env.WEATHER_KEY\`), never from the source.
7. Test each tool through a client, as server.test.mjs does: right input, wrong input, the service failing.
8. Add it: \`dacapo mcp add <name> -e WEATHER_KEY='\${WEATHER_KEY}' -- node <folder>/server.mjs\`, then \`dacapo mcp test <name>\`.
   The user is asked before that command runs. Its tools are there from the next request on, as mcp__<name>__<tool>.
`
