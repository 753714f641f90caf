/**
 * A scripted language server over stdio, without a library: every line with BAD is an error, with ODD a warning. It writes what it is
 * asked to the file LSP_LOG names beside it, and obeys the file `mode` there: `exit` ends it at once, `silent` answers nothing.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const folder = dirname(process.argv[1])
const log = (text) => appendFileSync(join(folder, "log"), `${text}\n`)
const mode = existsSync(join(folder, "mode")) ? readFileSync(join(folder, "mode"), "utf8").trim() : ""
log(`start ${process.pid} ${process.argv.slice(2).join(" ")} key=${process.env.OPENAI_API_KEY ?? "none"}`)
if (mode === "exit") {
  process.stderr.write("no such library\n")
  process.exit(3)
}

const send = (message) => {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message })
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
}

const diagnostics = (text) =>
  text.split("\n").flatMap((line, i) =>
    ["BAD", "ODD"].flatMap((word, severity) => {
      const character = line.indexOf(word)
      return character < 0 ? [] : [{ range: { start: { line: i, character }, end: { line: i, character: character + 3 } }, severity: severity + 1, code: 42, source: "scripted", message: `${word} is not\nallowed in: ${line.trim()}` }]
    })
  )

const publish = ({ uri, version }, text) => {
  // As real servers do, in two steps: the first one does not know everything yet.
  send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics: [] } })
  setTimeout(() => send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics: diagnostics(text) } }), 50)
}

const handlers = {
  initialize: ({ rootUri }) => (log(`initialize ${rootUri}`), { capabilities: { textDocumentSync: 1 } }),
  shutdown: () => (log("shutdown"), null),
  exit: () => process.exit(0),
  "textDocument/didOpen": ({ textDocument }) => publish(textDocument, textDocument.text),
  "textDocument/didChange": ({ contentChanges: [{ text }], textDocument }) => publish(textDocument, text)
}

let buffer = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk])
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n")
    if (end < 0) return
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1])
    if (buffer.length < end + 4 + length) return
    const { id, method, params } = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString())
    buffer = buffer.subarray(end + 4 + length)
    if (mode === "silent") continue
    const result = handlers[method]?.(params)
    if (id !== undefined) send(result === undefined ? { id, error: { code: -32601, message: `unknown ${method}` } } : { id, result })
  }
})
