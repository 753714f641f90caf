/** search_code through the command line: words alone, and with embeddings of a scripted service in each of the four wires. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import * as CodeChunks from "../../src/domain/search/CodeChunks.ts"
import * as Process from "../cli/support/Process.ts"

/** Words that mean the same to the scripted model. */
const synonyms: Readonly<Record<string, string>> = { automobile: "car", vehicle: "car", cars: "car", halt: "stop", brake: "stop", braking: "stop" }

const size = 64

/** A deterministic embedding: each word counts in one place, which words of the same meaning share. */
const embedding = (text: string): ReadonlyArray<number> => {
  const vector = new Array<number>(size).fill(0)
  for (const word of CodeChunks.words(text)) {
    const meaning = synonyms[word] ?? word
    let place = 7
    for (const char of meaning) place = (place * 31 + char.charCodeAt(0)) % size
    vector[place]! += synonyms[word] === undefined && meaning !== "car" && meaning !== "stop" ? 0.05 : 1
  }
  return vector
}

interface Received {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: any
}

/** Each wire: what a request must be, its texts, and the response; `local` is a server with OpenAI's wire that needs no key. */
const wires: Readonly<Record<string, { readonly base: string; readonly texts: (request: Received) => ReadonlyArray<string> | undefined; readonly response: (vectors: ReadonlyArray<unknown>) => object }>> = {
  ollama: {
    base: "",
    texts: ({ body, path }) => path === "/api/embed" && body.model === "embedder" ? body.input : undefined,
    response: (embeddings) => ({ model: "embedder", embeddings })
  },
  openai: {
    base: "/v1",
    texts: ({ body, headers, path }) => path === "/v1/embeddings" && headers["authorization"] === "Bearer embed-key" && body.model === "embedder" && body.encoding_format === "float" ? body.input : undefined,
    // In another order than asked, as the index says.
    response: (vectors) => ({ object: "list", data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse() })
  },
  gemini: {
    base: "",
    texts: ({ body, headers, path }) =>
      path === "/v1beta/models/embedder:batchEmbedContents" && headers["x-goog-api-key"] === "embed-key" && body.requests.every(({ model, taskType }: { readonly model: string; readonly taskType: string }) => model === "models/embedder" && /^(?:RETRIEVAL_DOCUMENT|CODE_RETRIEVAL_QUERY)$/.test(taskType))
        ? body.requests.map(({ content }: { readonly content: { readonly parts: ReadonlyArray<{ readonly text: string }> } }) => content.parts[0]!.text) : undefined,
    response: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) })
  },
  local: {
    base: "/v1",
    texts: ({ body, headers, path }) => path === "/v1/embeddings" && headers["authorization"] === undefined && body.model === "embedder" ? body.input : undefined,
    response: (vectors) => ({ object: "list", data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })) })
  },
  voyage: {
    base: "/v1",
    texts: ({ body, headers, path }) => path === "/v1/embeddings" && headers["authorization"] === "Bearer embed-key" && /^(?:document|query)$/.test(body.input_type) ? body.input : undefined,
    response: (vectors) => ({ data: vectors.map((embedding, index) => ({ index, embedding })) })
  }
}

const serve = async (route: string) => {
  const { response: responseOf, texts: textsOf } = wires[route]!
  const embedded: Array<string> = []
  const faults: Array<string> = []
  const server = http.createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part)).on("end", () => {
      const texts = textsOf({ path: request.url ?? "", headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) })
      if (texts === undefined) {
        faults.push(request.url ?? "")
        return response.writeHead(400).end("{}")
      }
      embedded.push(...texts)
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(responseOf(texts.map(embedding))))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    embedded,
    faults,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${wires[route]!.base}`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

const sources: Readonly<Record<string, string>> = {
  "src/transport.ts": `${"void 0\n".repeat(12)}/** Lets the automobile halt. */\nexport function pullOver(vehicle: string) {\n${"  void vehicle\n".repeat(12)}}\n\nexport class Fleet {\n${"  size = 1\n".repeat(12)}}\n`,
  "src/readConfigFile.ts": "export const parseSettings = (text: string) => JSON.parse(text)\n",
  "docs/notes.md": "Nothing about it here.\n",
  ".env": "PASSWORD=car stop\n",
  "secret.ts": "export const car = 'stop the secret car'\n",
  ".gitignore": "ignored.ts\n",
  "ignored.ts": "export const car = 'stop car ignored'\n"
}

const project = (scene: Process.Place, codeSearch: unknown): Process.Place => {
  mkdirSync(join(scene.root, "home"), { recursive: true })
  writeFileSync(join(scene.root, "home", "config.jsonc"), JSON.stringify({ ...(codeSearch === undefined ? {} : { codeSearch }), permissions: { deny: ["Read(./secret.ts)"] } }))
  mkdirSync(join(scene.cwd, ".git"), { recursive: true })
  writeFileSync(join(scene.cwd, ".git/HEAD"), "ref: refs/heads/main\n")
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(scene.cwd, path)), { recursive: true })
    writeFileSync(join(scene.cwd, path), text)
  }
  return { ...scene, environment: { ...scene.environment, EMBED_KEY: "embed-key", DACAPO_DISABLE_KEYRING: "1" } }
}

/** What search_code returns in a session of its own. */
const search = async (place: Process.Place, params: object): Promise<string> => {
  const ended = await Process.run(place, ["-p", "--model", place.script({ calls: [{ name: "search_code", params }] }, { text: "Done." }), "Search"])
  expect(ended, ended.stderr).toMatchObject({ code: 0 })
  const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
  const [outcome] = stdout.split("\n").flatMap((line) => {
    const event = line.startsWith("{") ? JSON.parse(line).event : undefined
    return event?._tag === "ToolFinished" ? [event.outcome] : []
  })
  return outcome.content[0].text
}

describe("search_code", () => {
  it("does not exist until the settings turn it on", async () => {
    await using scene = Process.scene()
    expect(await search(project(scene, undefined), { query: "settings" })).toContain("Unknown tool \"search_code\"")
    expect(await search(project(scene, false), { query: "settings" })).toContain("Unknown tool \"search_code\"")
  })

  it("finds definitions by words and names, with their comments; closed and ignored files stay out; changed files are read again", async () => {
    await using scene = Process.scene()
    const place = project(scene, true)
    const found = await search(place, { query: "Where does the automobile halt?" })
    expect(found).toMatch(/^src\/transport\.ts:13-\d+\n13 \| \/\*\* Lets the automobile halt\. \*\/\n14 \| export function pullOver/)
    expect(await search(place, { query: "read config file" })).toMatch(/^src\/readConfigFile\.ts:1-1\n/)
    const cars = await search(place, { query: "car stop password" })
    expect(cars).toBe("No matches found.")
    writeFileSync(join(scene.cwd, "docs/notes.md"), "The steering wheel.\n")
    rmSync(join(scene.cwd, "src/readConfigFile.ts"))
    expect(await search(place, { query: "steering wheel" })).toMatch(/^docs\/notes\.md:1-1\n1 \| The steering wheel\./)
    expect(await search(place, { query: "parseSettings" })).toBe("No matches found.")
    expect(await search(place, { query: "steering wheel", path: "src" })).toBe("No matches found.")
  })

  it.each(Object.keys(wires))("finds by meaning with embeddings of %s, embeds only what changed, and sends no closed file", async (route) => {
    await using scene = Process.scene()
    using server = await serve(route)
    const place = project(scene, { embeddings: { route: route === "local" ? "openai" : route, model: "embedder", baseUrl: server.url, ...(route === "ollama" || route === "local" ? {} : { keyEnv: "EMBED_KEY" }) } })
    expect(await search(place, { query: "braking cars" })).toMatch(/^src\/transport\.ts:13-/)
    expect(server.faults).toEqual([])
    expect(server.embedded.some((text) => /secret|PASSWORD|ignored/.test(text.replace("ignored.ts\n", "")))).toBe(false)
    server.embedded.length = 0
    writeFileSync(join(scene.cwd, "docs/notes.md"), "Changed.\n")
    await search(place, { query: "braking cars" })
    expect(server.embedded).toEqual(["docs/notes.md\nChanged.\n".trimEnd(), "braking cars"])
  })

  it("searches by words and says why when the service does not respond", async () => {
    await using scene = Process.scene()
    const place = project(scene, { embeddings: { route: "ollama", model: "embedder", baseUrl: "http://127.0.0.1:9" } })
    expect(await search(place, { query: "automobile" })).toMatch(/^src\/transport\.ts:[\s\S]*\[Searched by words alone\. Could not reach Ollama at http:\/\/127\.0\.0\.1:9: /)
  })
})
