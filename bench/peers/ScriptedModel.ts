/**
 * A model server on loopback for any agent: it accepts what a real one might refuse, and asks for a file through whatever tool the
 * agent offers, since each has names of its own.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import { openAiResponses } from "../../src/layers/testing/servers/openAiResponses.ts"
import { list, record, type ScriptedTurn, type UnknownRecord, type Wire } from "../../src/layers/testing/servers/Wire.ts"

/** A request with tools, in ms of `performance.now()`, and when its response had been written. */
export interface Exchange {
  readonly requestedAt: number
  readonly respondedAt: number
  readonly bytes: number
}

export interface ScriptedModel {
  readonly url: string
  /** Those since the last `begin`. */
  readonly exchanges: ReadonlyArray<Exchange>
  /** The next task reads the file so many times. */
  readonly begin: (reads: number) => void
  readonly close: () => void
}

const wires: ReadonlyArray<readonly [suffix: string, wire: Wire]> = [["/messages", anthropic], ["/responses", openAiResponses]]

/** `file` is the absolute path of the file that the tasks read. */
export const start = async (file: string): Promise<ScriptedModel> => {
  let exchanges: Array<Exchange> = []
  let reads = 0
  const server = http.createServer((request, response) => {
    const requestedAt = performance.now()
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8")
      const path = (request.url ?? "").replace(/\?.*/, "")
      const wire = wires.find(([suffix]) => path.endsWith(suffix))?.[1]
      if (request.method !== "POST" || wire === undefined) {
        response.writeHead(request.method === "HEAD" ? 200 : 404).end()
        return
      }
      const body = JSON.parse(text) as UnknownRecord
      const isTask = list(body["tools"]).length > 0
      const call = isTask && exchanges.length < reads ? readCall(body, file, exchanges.length + 1) : undefined
      const turn: ScriptedTurn = call === undefined ? { text: "Done." } : { calls: [call] }
      const frames = wire.frames(turn, { method: "POST", path, headers: {}, text, body })
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(Buffer.concat(frames.map((frame) => Buffer.from(frame))))
      if (isTask) exchanges.push({ requestedAt, respondedAt: performance.now(), bytes: Buffer.byteLength(text) })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get exchanges() {
      return exchanges
    },
    begin: (count) => {
      exchanges = []
      reads = count
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

/** A call that reads the file from a line on: with the agent's tool for files, else with its shell. */
const readCall = (body: UnknownRecord, file: string, line: number): NonNullable<ScriptedTurn["calls"]>[number] => {
  const tools = list(body["tools"]).map((tool) => ({ name: String(tool["name"]), properties: record(record(tool["input_schema"] ?? tool["parameters"])["properties"]) }))
  const reader = tools.find(({ name }) => /^read(?:_?file)?$/i.test(name))
  if (reader !== undefined) {
    const names = Object.keys(reader.properties)
    const path = names.find((name) => /path|file/i.test(name)) ?? "path"
    const start = names.find((name) => /^(?:offset|start_line)$/.test(name))
    return { name: reader.name, params: { [path]: file, ...(start === undefined ? {} : { [start]: line }) } }
  }
  const shell = tools.find(({ name }) => /^(?:exec_command|shell|local_shell|bash|run_command|shell_command)$/i.test(name))
  if (shell === undefined) throw new Error(`no tool reads files: ${tools.map(({ name }) => name).join(", ")}`)
  const param = Object.keys(shell.properties).find((name) => /^(?:cmd|command)$/.test(name)) ?? "command"
  const command = `tail -n +${line} ${file}`
  return { name: shell.name, params: { [param]: record(shell.properties[param])["type"] === "array" ? ["bash", "-c", command] : command } }
}
