/** The files of docs/deploying.md: what Docker and Kubernetes would run is parsed as dacapo does, and the parts refer to each other. */
import { describe, expect, it } from "@effect/vitest"
import * as Yaml from "effect/encoding/Yaml"
import { readFileSync } from "node:fs"
import * as ParseArgs from "../src/cli/args/ParseArgs.ts"

const read = (name: string) => readFileSync(`examples/deploy/${name}`, "utf8")

type Json = Record<string, any>

/** Anchors and merge keys, as Compose resolves them, for the one form that the file uses. */
const compose = (() => {
  const file = Yaml.parse(read("compose.yaml")) as Json
  const merged = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(merged)
    if (typeof value !== "object" || value === null) return value
    const { "<<": base, ...own } = value as Json
    return { ...(base === undefined ? {} : merged(base) as Json), ...Object.fromEntries(Object.entries(own).map(([key, each]) => [key, merged(each)])) }
  }
  return merged(file) as Json
})()

const objects = read("kubernetes.yaml").split(/^---$/m).map((text) => Yaml.parse(text) as Json)
const object = (kind: string, name: string) => objects.find((one) => one["kind"] === kind && one["metadata"].name === name)!

/** The value of a flag. */
const flag = (args: ReadonlyArray<string>, name: string) => args[args.indexOf(name) + 1]

const commands: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ...Object.entries(compose["services"] as Json).flatMap(([name, { command }]) => command === undefined ? [] : [[`compose ${name}`, command] as const]),
  ...["StatefulSet", "Deployment"].flatMap((kind) =>
    objects.filter((one) => one["kind"] === kind).map((one) => [`kubernetes ${one["metadata"].name}`, one["spec"].template.spec.containers[0].args] as const)
  )
]

describe("the files for deployment", () => {
  it("start commands that exist, with flags that exist", () => {
    expect(commands.map(([name]) => name)).toEqual([
      "compose runner-1",
      "compose runner-2",
      "compose runner-3",
      "compose gateway",
      "kubernetes runner",
      "kubernetes gateway"
    ])
    for (const [name, args] of commands) expect([name, ParseArgs.parse(args).problem]).toEqual([name, undefined])
  })

  it("let each Compose runner be reached by its service's name, and the gateway from this machine alone", () => {
    for (const [name, { command, environment }] of Object.entries(compose["services"] as Json).filter(([name]) => name.startsWith("runner"))) {
      expect(flag(command, "--advertise")).toBe(`${name}:${flag(command, "--listen")!.split(":")[1]}`)
      expect(environment).toMatchObject({ DACAPO_STORAGE: expect.stringContaining("@database:5432/agents"), ANTHROPIC_API_KEY: expect.any(String) })
    }
    const { gateway } = compose["services"]
    expect(gateway.ports).toEqual(["127.0.0.1:7700:7700"])
    expect(gateway.environment).not.toHaveProperty("ANTHROPIC_API_KEY")
    for (const secret of gateway.secrets) expect(compose["secrets"]).toHaveProperty(secret)
    expect(Object.keys(compose["volumes"])).toEqual(["database"])
  })

  it("give Kubernetes objects whose selectors, names and ports fit each other", () => {
    const known: Json = {
      Service: "v1",
      StatefulSet: "apps/v1",
      Deployment: "apps/v1",
      PodDisruptionBudget: "policy/v1",
      NetworkPolicy: "networking.k8s.io/v1"
    }
    for (const { apiVersion, kind, metadata, spec } of objects) {
      expect([kind, apiVersion]).toEqual([kind, known[kind]])
      expect(metadata.name).toMatch(/^[a-z0-9-]+$/)
      if (spec.template === undefined) continue
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
      const { containers, volumes } = spec.template.spec
      for (const { args, env, image, ports, volumeMounts } of containers) {
        expect(image).toMatch(/:\d+\.\d+\.\d+$/)
        expect(volumeMounts.map(({ name }: Json) => name)).toEqual(volumes.map(({ name }: Json) => name))
        const variables = new Set(env.map(({ name }: Json) => name))
        for (const [, name] of JSON.stringify(args).matchAll(/\$\((\w+)\)/g)) expect(variables).toContain(name)
        const port = flag(args, "--port") ?? flag(args, "--listen")!.split(":")[1]
        expect(`${ports[0].containerPort}`).toBe(args.includes("--port") ? flag(args, "--port") : flag(args, "--listen")!.split(":")[1])
        expect(port).toBeDefined()
      }
    }
    const { spec } = object("StatefulSet", "runner")
    expect(flag(spec.template.spec.containers[0].args, "--advertise")).toBe(`$(POD_NAME).${spec.serviceName}:7801`)
    expect(object("Service", spec.serviceName).spec).toMatchObject({ clusterIP: "None", selector: spec.selector.matchLabels })
    expect(object("NetworkPolicy", "runner").spec.podSelector).toEqual({ matchLabels: spec.selector.matchLabels })
    expect(object("Service", "gateway").spec.selector).toEqual(object("Deployment", "gateway").spec.selector.matchLabels)
  })
})
