/** The first minutes on a machine, at a real terminal: a key, trust, rules, and that nothing is asked twice. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "./support/ChatServer.ts"
import * as Process from "./support/Process.ts"
import * as Tmux from "./support/Tmux.ts"

const idle = "Enter to send, Shift-Tab to change mode"
const nowhere = Object.fromEntries(["OLLAMA", "LMSTUDIO", "LLAMACPP", "VLLM", "LITELLM"].map((name) => [`${name}_BASE_URL`, "http://127.0.0.1:9/v1"]))

/** A folder with a command of its own. */
const wanting = (place: Process.Place) => {
  mkdirSync(join(place.cwd, ".dacapo", "commands"), { recursive: true })
  writeFileSync(join(place.cwd, ".dacapo", "commands", "deploy.md"), "Deploy it.")
}

/** What a start shows, until a text; then it is left. */
const start = async (place: Process.Place, text: string, ...keys: ReadonlyArray<string>) => {
  using terminal = Tmux.open(place, ["--model", place.script({ text: "Deployed." })])
  await (text === idle ? terminal.shows(text) : terminal.asks(text))
  for (const key of keys) terminal.press(key)
  const shown = await terminal.shows(idle)
  terminal.press("C-d")
  await terminal.shows("left with 0")
  return shown
}

const trust = async (place: Process.Place) => (await Process.run(place, ["doctor"])).stdout.split("\n").find((line) => /^\S trust\b/.test(line))

describe.concurrent("trust in a folder", () => {
  it("is asked for once, and a no is remembered", async () => {
    using place = Process.place()
    wanting(place)
    await start(place, "Do you trust this folder?", "Enter")
    expect(await start(place, idle)).not.toContain("trust")
    expect(await trust(place)).toContain("not in effect until you run `dacapo trust`: .dacapo/commands adds commands")
  })

  it("is asked for once, and a yes is remembered", async () => {
    using place = Process.place()
    wanting(place)
    await start(place, "Do you trust this folder?", "Down", "Enter")
    expect(await start(place, idle)).not.toContain("trust")
    expect(await trust(place)).toContain("this folder is trusted")
    expect(await Process.run(place, ["-p", "--model", place.script({ text: "Deployed.", expect: { contains: ["Deploy it."] } }), "/deploy"])).toMatchObject({ code: 0 })
  })

  it("is asked for again after an unanswered question, and not after `dacapo trust`", async () => {
    using place = Process.place()
    wanting(place)
    await start(place, "Do you trust this folder?", "Escape")
    await start(place, "Do you trust this folder?", "Escape")
    await Process.run(place, ["trust", "--revoke"])
    expect(await start(place, idle)).not.toContain("trust")
  })
})

describe.concurrent("a key", () => {
  it("is asked for by the first run, never shown, saved for its owner only, and then the conversation begins", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, [], nowhere)
    await terminal.asks("No model is configured")
    terminal.press("Up", "Enter")
    await terminal.asks("Which provider is the key for?")
    terminal.press("Enter")
    await terminal.shows("Key for Anthropic:")
    terminal.type("sk-ant-0123456789")
    terminal.press("Enter")
    await terminal.shows("anthropic/claude-")
    await terminal.shows(idle)
    expect(terminal.all()).not.toContain("0123456789")
    const file = join(place.root, "home", "data", "auth.json")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, "utf8")).toContain("sk-ant-0123456789")
  })

  it("of any provider is enough to start, with its newest model", async () => {
    using place = Process.place()
    using terminal = Tmux.open(place, [], nowhere)
    await terminal.asks("No model is configured")
    terminal.press("Up", "Enter")
    await terminal.asks("Which provider is the key for?")
    terminal.type("mistral")
    await terminal.shows("› Mistral")
    terminal.press("Enter")
    await terminal.shows("Key for Mistral")
    enter(terminal, "a-key-of-mine")
    expect(await terminal.shows(idle)).toMatch(/mistral\/mistral-\S+ ·/)
  })

  it("is saved by `auth login`, which offers a choice, listed by `auth status`, and deleted by `auth logout`", async () => {
    using place = Process.place()
    {
      using terminal = Tmux.open(place, ["auth", "login"])
      await terminal.asks("Which provider is the key for?")
      terminal.type("openrouter")
      await terminal.shows("› OpenRouter")
      terminal.press("Enter")
      await terminal.shows("Key for OpenRouter:")
      enter(terminal, "sk-or-0123456789")
      await terminal.shows("left with 0, icanon echo")
      expect(terminal.all()).not.toContain("0123456789")
    }
    expect((await Process.run(place, ["auth", "status"])).stdout).toMatch(/^✓ openrouter +\S+auth\.json\nNo key; set/)
    expect(await Process.run(place, ["auth", "logout", "openrouter"])).toMatchObject({ code: 0, stdout: "The key for OpenRouter is deleted.\n" })
    expect((await Process.run(place, ["auth", "status"])).stdout).not.toContain("✓")
    const wrong = await Process.run(place, ["auth", "stats"])
    expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("expected one of login, logout, status") })
  })
})

describe("the way to the first edit", () => {
  /** A server with a model that creates one file. */
  const serve = () =>
    ChatServer.start(({ body, path }) =>
      path.endsWith("/v1/models") ? { json: { object: "list", data: [{ id: "qwen3-coder", object: "model" }] } }
        : !path.endsWith("/chat/completions") ? undefined
        : (body["messages"] as ReadonlyArray<{ readonly role: string }>).some(({ role }) => role === "tool") ? { text: "It is there." }
        : { calls: [{ name: "write_file", params: { path: "hello.txt", content: "hello\n" } }] })

  const edits = async (environment: Readonly<Record<string, string>>, play: (terminal: Tmux.Terminal) => Promise<void>) => {
    await using place = Process.scene()
    let keystrokes = 0
    using terminal = Tmux.open(place, ["create hello.txt"], { ...nowhere, ...environment })
    await play({ ...terminal, press: (...keys) => (keystrokes += keys.length, terminal.press(...keys)), type: (text) => (keystrokes += text.length, terminal.type(text)) })
    await terminal.shows("It is there.")
    expect(await Process.written(join(place.cwd, "hello.txt"))).toBe("hello")
    terminal.press("C-d")
    await terminal.shows("left with 0")
    return keystrokes
  }

  it("takes two keystrokes with a model on this machine: the model, and the edit", async () => {
    using server = await serve()
    expect(
      await edits({ VLLM_BASE_URL: server.url }, async (terminal) => {
        await terminal.asks("Choose a model")
        terminal.press("Enter")
        await terminal.shows("› y  Yes")
        terminal.press("Enter")
      })
    ).toBe(2)
  })

  it("takes one with a key that is set", async () => {
    using server = await serve()
    expect(
      await edits({ MISTRAL_API_KEY: "a-key", MISTRAL_BASE_URL: server.url }, async (terminal) => {
        await terminal.shows("› y  Yes")
        terminal.press("Enter")
      })
    ).toBe(1)
    expect(server.requests().length).toBeGreaterThan(1)
  })
})

describe("a project", () => {
  it("gets rules from `init`, which the model sees and `doctor` lists; an existing file stays", async () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "package.json"), JSON.stringify({ scripts: { test: "vitest run" } }))
    expect(await Process.run(place, ["init"])).toMatchObject({ code: 0, stdout: expect.stringContaining("Created AGENTS.md.") })
    const rules = readFileSync(join(place.cwd, "AGENTS.md"), "utf8")
    expect(rules).toContain("npm test")
    expect(await Process.run(place, ["init"])).toMatchObject({ code: 0, stdout: "AGENTS.md already exists. Nothing was changed.\n" })
    expect(readFileSync(join(place.cwd, "AGENTS.md"), "utf8")).toBe(rules)
    expect((await Process.run(place, ["doctor"])).stdout).toContain("AGENTS.md (1 kB)")
    expect(await Process.run(place, ["-p", "--model", place.script({ text: "Read.", expect: { system: ["npm test"] } }), "go"])).toMatchObject({ code: 0, stdout: "Read.\n" })
  })
})

const enter = (terminal: Tmux.Terminal, text: string) => {
  terminal.type(text)
  terminal.press("Enter")
}
