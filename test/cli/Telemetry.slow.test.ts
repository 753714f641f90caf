/** `dacapo telemetry export` over recorded sessions, with a collector on loopback. */
import { describe, expect, it } from "@effect/vitest"
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { collector } from "./support/Collector.ts"
import * as Process from "./support/Process.ts"

/** A place with a recorded store of test/fixtures/stores. */
const placeWith = (store: string) => {
  const place = Process.place()
  const data = join(place.root, "home", "data")
  mkdirSync(data, { recursive: true })
  copyFileSync(new URL(`../fixtures/stores/${store}/sessions.db`, import.meta.url), join(data, "sessions.db"))
  return place
}

/** The same place with other variables. */
const withVariables = (place: Process.Place, variables: Readonly<Record<string, string>>): Process.Place => ({
  ...place,
  environment: { ...place.environment, ...variables }
})

const spansOf = (text: string) => JSON.parse(text).resourceSpans[0].scopeSpans[0].spans

describe("dacapo telemetry export", () => {
  it("prints the spans of a session and its subagents as OTLP JSON, each time the same", async () => {
    using place = placeWith("delegation")
    const first = await Process.run(place, ["telemetry", "export", "latest"])
    expect(first).toMatchObject({ code: 0, stderr: "" })
    expect((await Process.run(place, ["telemetry", "export", "latest"])).stdout).toBe(first.stdout)
    const lines = spansOf(first.stdout).map((span: object) => `${JSON.stringify(span)}\n`)
    await expect(lines.join("")).toMatchFileSnapshot("golden/delegation.spans.jsonl")
  })

  it("contains text of the session only with --content", async () => {
    using place = placeWith("native")
    expect((await Process.run(place, ["telemetry", "export"])).stdout).not.toContain("gen_ai.input.messages")
    expect((await Process.run(place, ["telemetry", "export", "--content"])).stdout).toContain("gen_ai.input.messages")
  })

  it("names the service and the parent as the standard variables say", async () => {
    using place = placeWith("provider")
    const { stdout } = await Process.run(
      withVariables(place, {
        OTEL_SERVICE_NAME: "ci",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=test%20bed,broken=%",
        TRACEPARENT: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      }),
      ["telemetry", "export"]
    )
    expect(JSON.parse(stdout).resourceSpans[0].resource.attributes).toEqual(expect.arrayContaining([
      { key: "service.name", value: { stringValue: "ci" } },
      { key: "deployment.environment.name", value: { stringValue: "test bed" } }
    ]))
    expect(spansOf(stdout).at(-1)).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331" })
  })

  it("sends exactly these spans to the collector with --send, again if it is busy", async () => {
    using place = placeWith("provider")
    using server = await collector(503, 200)
    const sender = withVariables(place, { OTEL_EXPORTER_OTLP_ENDPOINT: `${server.url}/`, OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key" })
    const { code, stdout } = await Process.run(sender, ["telemetry", "export", "--send"])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Sent \d+ spans to http.*\/v1\/traces\.\n$/) })
    expect(server.requests).toHaveLength(2)
    expect(server.requests[1]).toMatchObject({ url: "/v1/traces", headers: { authorization: "Bearer key", "content-type": "application/json" } })
    expect(`${server.requests[1]!.body}`).toBe((await Process.run(place, ["telemetry", "export"])).stdout.trimEnd())
  })

  it("fails if the collector is missing, unusable, rejects the spans or redirects", async () => {
    using place = placeWith("provider")
    using server = await collector(400)
    using redirecting = await collector(307)
    const send = (variables: Readonly<Record<string, string>>) => Process.run(withVariables(place, variables), ["telemetry", "export", "--send"])
    expect(await send({})).toMatchObject({ code: 2, stderr: expect.stringContaining("Set OTEL_EXPORTER_OTLP_ENDPOINT") })
    expect(await send({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" })).toMatchObject({ code: 2, stderr: expect.stringContaining("not a valid OTLP endpoint") })
    expect(await send({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toMatchObject({ code: 2, stderr: expect.stringContaining("http/protobuf") })
    expect(await send({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: server.url })).toMatchObject({ code: 1, stderr: expect.stringContaining("did not accept the spans") })
    expect(await send({ OTEL_EXPORTER_OTLP_ENDPOINT: redirecting.url })).toMatchObject({ code: 1 })
    expect(redirecting.requests.every(({ url }) => url === "/v1/traces")).toBe(true)
  })
})
