/** Traces, metrics and logs of a running agent, at a collector on loopback. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "./support/Process.ts"
import { isEnd, serve } from "./support/Server.ts"
import { type Collector, collector } from "./support/Collector.ts"

const withVariables = <P extends Process.Place>(place: P, variables: Readonly<Record<string, string>>): P => ({
  ...place,
  environment: { ...place.environment, ...variables }
})

const exporters = (server: Collector) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp"
})

/** What arrived at a path, in the order of arrival. */
const bodies = (server: Collector, path: string) => server.requests.filter(({ url }) => url === path).map(({ body }) => JSON.parse(`${body}`))

const spansAt = (server: Collector) => bodies(server, "/v1/traces").flatMap((body) => body.resourceSpans[0].scopeSpans[0].spans)

const bySpan = (a: { readonly spanId: string }, b: { readonly spanId: string }) => a.spanId < b.spanId ? -1 : 1

const servers = JSON.stringify({
  mcpServers: { suite: { command: process.execPath, args: [fileURLToPath(new URL("../layers/mcp/servers/suite.mjs", import.meta.url))] } }
})

const secret = "the words of the user"

describe("a running agent", () => {
  it("sends the spans that an export of its log gives, metrics and logs, and no content", async () => {
    await using place = Process.scene()
    using server = await collector(200)
    const file = join(place.root, "script.json")
    writeFileSync(file, JSON.stringify({
      turns: [
        { calls: [{ name: "delegate", params: { tasks: [{ name: "doors", prompt: "Count the doors." }] } }] },
        { calls: [{ name: "run_command", params: { command: "printenv TRACEPARENT > parent.txt" } }] },
        { calls: [{ name: "mcp__suite__echo", params: {} }] },
        { text: "Done." }
      ],
      children: [{ prompt: "Count the doors.", turns: [{ calls: [{ name: "list_files", params: { path: "." } }] }, { text: "Two." }] }]
    }))
    const traced = withVariables(place, exporters(server))
    const ended = await Process.run(traced, ["-p", "--mcp-config", servers, "--permission-mode", "bypassPermissions", "--model", `scripted/${file}`, secret])
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" })

    const sent = spansAt(server).sort(bySpan)
    const exported = JSON.parse((await Process.run(place, ["telemetry", "export"])).stdout).resourceSpans[0].scopeSpans[0].spans
    expect(sent).toEqual(exported.sort(bySpan))
    expect(sent.map(({ name }) => name)).toEqual(expect.arrayContaining(["invoke_agent dacapo", "execute_tool delegate", "execute_tool list_files"]))

    const call = sent.find(({ name }) => name === "execute_tool run_command")
    expect(readFileSync(join(place.cwd, "parent.txt"), "utf8")).toBe(`00-${call.traceId}-${call.spanId}-01\n`)

    const asked = sent.find(({ name }) => name === "execute_tool mcp__suite__echo")
    const { stdout } = await Process.run(place, ["sessions", "show", "latest"])
    expect(stdout).toContain(`echo: 00-${asked.traceId}-${asked.spanId}-01`)

    const metrics = bodies(server, "/v1/metrics").at(-1).resourceMetrics[0].scopeMetrics[0].metrics
    const tokens = metrics.find(({ name }: { readonly name: string }) => name === "gen_ai.client.token.usage")
    expect(tokens.unit).toBe("{token}")
    const requests = sent.filter(({ name }) => name.startsWith("chat "))
    const counted = tokens.histogram.dataPoints.map(({ attributes, count }: { readonly attributes: ReadonlyArray<object>; readonly count: number }) => ({
      type: attributes.find((one) => "key" in one && one.key === "gen_ai.token.type"),
      count: Number(count)
    }))
    expect(counted).toEqual(expect.arrayContaining(["input", "output"].map((type) => ({
      type: { key: "gen_ai.token.type", value: { stringValue: type } },
      count: requests.length
    }))))

    const records = bodies(server, "/v1/logs").flatMap((body) => body.resourceLogs[0].scopeLogs[0].logRecords)
    expect(records.map(({ eventName }) => eventName)).toEqual(expect.arrayContaining(["dacapo.user_said", "dacapo.tool_started", "dacapo.task_finished"]))
    expect(records.filter(({ traceId }) => traceId === call.traceId).length).toBeGreaterThan(5)
    expect(server.requests.some(({ body }) => `${body}`.includes(secret))).toBe(false)
  })

  it("sends content where the standard switch asks for it, and continues without a collector", async () => {
    await using place = Process.scene()
    using server = await collector(200)
    const variables = { ...exporters(server), OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }
    const run = (place: Process.Place, model: string) => Process.run(place, ["-p", "--model", model, secret])
    expect(await run(withVariables(place, variables), place.script({ text: "Done." }))).toMatchObject({ code: 0 })
    for (const path of ["/v1/traces", "/v1/logs"])
      expect(server.requests.some(({ body, url }) => url === path && `${body}`.includes(secret))).toBe(true)
    const nowhere = { ...variables, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
    expect(await run(withVariables(place, nowhere), place.script({ text: "Done." }))).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
  })

  it("sends nothing unless an exporter is named, whatever a project says", async () => {
    await using place = Process.scene()
    using server = await collector(200)
    mkdirSync(join(place.cwd, ".dacapo"), { recursive: true })
    writeFileSync(join(place.cwd, ".env"), `OTEL_TRACES_EXPORTER=otlp\nOTEL_EXPORTER_OTLP_ENDPOINT=${server.url}\n`)
    const { OTEL_EXPORTER_OTLP_ENDPOINT } = exporters(server)
    const run = (place: Process.Place, model: string) => Process.run(place, ["-p", "--model", model, "go"])
    expect(await run(withVariables(place, { OTEL_EXPORTER_OTLP_ENDPOINT }), place.script({ text: "Done." }))).toMatchObject({ code: 0 })
    expect(await run(withVariables(place, { ...exporters(server), OTEL_SDK_DISABLED: "true" }), place.script({ text: "Done." }))).toMatchObject({ code: 0 })
    expect(server.requests).toEqual([])
  })
})

describe("a server", () => {
  it("offers its metrics to Prometheus behind its token, if it is told to", async () => {
    await using place = Process.scene()
    const server = await serve(withVariables(place, { OTEL_METRICS_EXPORTER: "prometheus" }), place.script({ text: "Done." }))
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await server.operate({ _tag: "Say", session, text: "go" })
    await server.events(session, 0, isEnd)
    const metrics = async (headers: Record<string, string>) => await fetch(`${server.url}/metrics`, { headers })
    expect((await metrics({})).status).toBe(401)
    const response = await metrics({ authorization: `Bearer ${server.token}` })
    expect(response.headers.get("content-type")).toContain("version=0.0.4")
    expect(await response.text()).toMatch(/gen_ai_client_operation_duration_count\{[^}]*gen_ai_operation_name="chat"[^}]*\} 1\n/)
    await server.stop()
  })
})
