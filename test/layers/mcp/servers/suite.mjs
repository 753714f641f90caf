/** The server that the suite of Mcp asks for. */
import { createInterface } from "node:readline"

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const text = (text) => [{ type: "text", text }]

const answers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "suite", version: "1.0.0" }
  }),
  "tools/list": () => ({
    tools: [
      { name: "echo", description: "Echoes.", inputSchema: { type: "object", properties: { text: { type: "string" } } } },
      { name: "fail", description: "Fails.", inputSchema: { type: "object" } }
    ]
  }),
  "tools/call": ({ _meta, arguments: given, name }) =>
    name === "fail" ? { content: text("It failed."), isError: true } : { content: text(`echo: ${given.text ?? _meta?.traceparent}`) },
  "resources/list": () => ({ resources: [{ uri: "test://note", name: "note" }] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": () => ({ contents: [{ uri: "test://note", text: "A note." }] }),
  "prompts/list": () => ({ prompts: [{ name: "greet", description: "Greets.", arguments: [{ name: "name", required: true }] }] }),
  "prompts/get": ({ arguments: given }) => ({ messages: [{ role: "user", content: { type: "text", text: `Hello, ${given.name}` } }] })
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = answers[method]
  if (id === undefined) return
  if (answer === undefined) say({ id, error: { code: -32601, message: `no ${method}` } })
  else say({ id, result: answer(params) })
}).on("close", () => process.exit(0))
