/**
 * What people see, from a real terminal (tmux): each scene at 60, 80, 120 and 200 columns, without colour, on a dark and on a light
 * background; those that look alike everywhere at three of these. A width changes lines and a background changes colours, so each of them is
 * there, but not each with each. The quick suite takes one variant of each scene, another for the next scene; `npm run test:all` takes all of them. The files in `screens/` are to be read; ⟦1;36⟧ stands for the escape that
 * sets these attributes. `SUITE=all npx vitest run test/scenarios/screens.slow.test.ts --update` writes them.
 */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import type { ProviderReason } from "../../src/domain/provider/ProviderError.ts"
import type { Access } from "../../src/domain/tool/Access.ts"
import { builtin } from "../../src/layers/tool/builtin.ts"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"
import { isComplete } from "../suite.ts"

/** A terminal, and what it says of colours. */
const palettes = [
  { palette: "no colour", environment: { NO_COLOR: "1" }, escapes: undefined },
  { palette: "dark", environment: { COLORFGBG: "15;0" }, escapes: "escapes" },
  { palette: "light", environment: { COLORFGBG: "0;15" }, escapes: "escapes" }
] as const
const [none, dark, light] = palettes
const at = (columns: number, { palette, ...one }: (typeof palettes)[number]) => ({ ...one, columns, title: `${columns} columns, ${palette}` })
const few = [at(80, none), at(120, dark), at(60, none)]
const variants = [...few, at(80, light), at(200, dark)]

/** A server on this machine: one that has models, with a page. */
const server = createServer(({ url }, response) =>
  url === "/v1/models"
    ? response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data: ["qwen3-coder", "gpt-oss-20b"].map((id) => ({ id, object: "model" })) }))
    : url?.startsWith("/search?") === true
    ? response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ results: [{ title: "Tax", url: "https://tax.example/rates", content: "It is nineteen." }] }))
    : response.writeHead(200, { "content-type": "text/html" }).end("<title>Tax</title><p>It is nineteen.</p>"))
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
afterAll(() => void server.close())
const served = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** What a scene is made of: the model's turns, files, flags, and what the person does until the screen is taken. */
interface Scene {
  /** A few variants show all that there is to see. */
  readonly plain?: true
  readonly turns?: ReadonlyArray<object>
  readonly model?: object
  readonly children?: ReadonlyArray<object>
  readonly files?: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
  readonly rows?: number
  readonly environment?: Readonly<Record<string, string>>
  readonly before?: (place: Process.Place) => Promise<unknown>
  readonly play: (terminal: Tmux.Terminal) => Promise<unknown>
}

const usage = { input: 1_200, output: 34, cacheRead: 800 }
const model = { name: "Demo", window: 200_000, nativeTools: true, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }
const call = (name: string, params: object) => ({ calls: [{ name, params }], usage })
const run = (command: string) => call("run_command", { command })
const says = (text: string) => ({ text, usage })
const idle = "Enter to send, Shift-Tab to change mode"
const free = ["--permission-mode", "bypassPermissions"]

/** What differs from run to run. */
const normalised = (screen: string, place: Process.Place): string =>
  screen
    .replaceAll(place.root, "/tmp/dacapo-cli-ABCDEF")
    .replaceAll(served, "http://127.0.0.1:40000")
    .replace(/(?<![\d.])\d+(\.\d)? m?s(?=$|,| left|\u001b)/gm, "1.0 s")
    .replace(/[◐◓◑◒](?=.*1\.0 s)/g, "◐")
    .replace(/(?<= s, )[\d.]+k? tokens$/gm, "10 tokens")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "2026-01-01 00:00")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "01900000-0000-7000-8000-000000000001")
    .replace(/dacapo-bug-[0-9a-f]{8}/g, "dacapo-bug-01900000")
    .replace(/dacapo \d+\.\d+\.\d+/g, "dacapo 0.0.0")
    .replace(/\d+ min ago /g, "just now  ")
    .replace(/\b(in|after) \d+ m?s/g, "$1 1 s")
    .replace(/(?<=could\s+cost[^?]*up to )[\d,]+(?= tokens)/g, "31,000")
    .replace(/[\d.]+k\/200k(?=.*estimated)/g, "8.0k/200k")
    .replace(/\$0\.\d{4}(?=.*estimated)/g, "$$0.0100")
    .replace(/\u001b\[([\d;]*)m/g, "⟦$1⟧")
    .replace(/[ \t]+$/gm, "")

const shot = async ({ args = [], before, children, environment: own = {}, files = {}, model: other = {}, play, rows = 40, turns }: Scene, { columns, environment, escapes }: (typeof variants)[number]) => {
  using place = Process.place()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.cwd, path)), { recursive: true })
    writeFileSync(join(place.cwd, path), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 })
  }
  writeFileSync(join(place.root, "model.json"), JSON.stringify({ model: { ...model, ...other }, turns: turns ?? [], ...(children === undefined ? {} : { children }) }))
  await before?.(place)
  const nowhere = Object.fromEntries(["OLLAMA", "LMSTUDIO", "LLAMACPP", "VLLM", "LITELLM"].map((name) => [`${name}_BASE_URL`, "http://127.0.0.1:9/v1"]))
  const chosen = turns === undefined ? [] : ["--model", "scripted/../model.json"]
  using terminal = Tmux.open(place, [...chosen, ...args], { ...nowhere, ...own, ...environment }, { columns, rows })
  await play(terminal)
  return normalised(await terminal.still(escapes), place)
}

const enter = (terminal: Tmux.Terminal, text: string) => {
  terminal.type(text)
  terminal.press("Enter")
}

/** The screen has come to a text, and then nothing runs any more: before the task begins nothing runs either. */
const over = (text: string | RegExp) => async (terminal: Tmux.Terminal) => {
  await terminal.shows(text)
  await terminal.shows(idle)
}

/** An answer with everything that Markdown has here. */
const answer = [
  "# What fails",
  "",
  "The **tax** is added *after* the discount, see `src/basket.ts`:",
  "",
  "1. sum",
  "2. discount",
  "",
  "- [the rule](https://example.com/tax)",
  "> as the law wants it",
  "",
  "```ts",
  "// all of it",
  "export const total = (net: number, tax = 19): string => {",
  "  return `${(net * (1 + tax / 100)).toFixed(2)} €`",
  "}",
  "```"
].join("\n")

const basket = { "src/basket.ts": "export const total = (net: number) => {\n  const tax = 7\n  return net + tax\n}\n", "README.md": "# Shop\n" }
const edit = (from: string, to: string) => call("edit_file", { path: "src/basket.ts", old_text: from, new_text: to })
const read = call("read_file", { path: "src/basket.ts" })

/** Reasons that end a task at once and have no scene of their own, with what a server says. */
const lasting: { readonly [Tag in Exclude<ProviderReason["_tag"], Transient | "Auth" | "ContextOverflow">]: { readonly name: string; readonly message: string } & Readonly<Record<string, unknown>> } = {
  Quota: { name: "exhausted credit", message: "You have used up what you paid for." },
  BadRequest: { name: "a request that is refused", message: "The field temperature is not known." },
  UnknownModel: { name: "an unknown model", message: "There is no such model.", near: ["gpt-5"] }
}
type Transient = "RateLimited" | "Overloaded" | "ServerFault" | "Connection" | "StreamBroken" | "Idle" | "EmptyAnswer" | "BadAnswer"

/** A folder with an MCP server, under a name that is as long everywhere. */
const everything = {
  "server.mjs": `import ${JSON.stringify(import.meta.resolve("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js"))}`,
  // A program of the folder, whose path is as long on every machine.
  "server": `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} server.mjs\n`,
  ".mcp.json": JSON.stringify({ mcpServers: { everything: { command: "./server" } } })
}

const scenes: Readonly<Record<string, Scene>> = {
  "first run, without a model": { play: (terminal) => terminal.asks("No model is configured") },
  "first run, in a folder with active settings": {
    turns: [says("Hello.")],
    files: { ".mcp.json": "{}", ".dacapo/commands/deploy.md": "Deploy." },
    play: (terminal) => terminal.asks("Do you trust this folder?")
  },
  "first run, with models on this machine": { environment: { VLLM_BASE_URL: `${served}/v1` }, play: (terminal) => terminal.asks("vllm/gpt-oss-20b") },
  "first run, a key for a provider": {
    play: async (terminal) => {
      await terminal.asks("No model is configured")
      terminal.press("Up", "Enter")
      await terminal.asks("Which provider is the key for?")
      terminal.press("Enter")
      await terminal.shows("Key for Anthropic:")
      enter(terminal, "sk-ant-nobody-sees-this")
      await terminal.shows(idle)
    }
  },
  "ready": { plain: true, turns: [says("Hello.")], play: (terminal) => terminal.shows(idle) },
  "an answer, whole": { turns: [{ ...says(answer), reasoning: "The tests come first.\nThen the code.\nThen the words." }], args: ["why?"], play: over("toFixed") },
  "an answer while it streams": {
    turns: [{ text: `${answer}\n\nAnd so on.`, chunkSize: answer.length - 60, holds: 1, usage }],
    args: ["why?"],
    play: async (terminal) => {
      await terminal.shows("export const total")
      terminal.press("Escape")
      await terminal.shows("Interrupted.")
    }
  },
  "a thought while it streams": {
    turns: [{ reasoning: "The tests come first,\nthen the code.", text: "I see.", chunkSize: 40, holds: 1, usage }],
    args: ["why?"],
    play: (terminal) => terminal.shows("… then the code")
  },
  "an edit while it is written": {
    files: basket,
    args: [...free, "mend it"],
    turns: [read, { ...edit("const tax = 7", "const tax = 19\n  const discount = 3\n  const shipping = 5"), chunkSize: 100, holds: 2 }],
    play: (terminal) => terminal.shows("+const tax = 19")
  },
  "each tool": {
    rows: 110,
    files: { ...basket, ".dacapo/skills/tax/SKILL.md": "---\nname: tax\ndescription: How tax works.\n---\nNineteen.\n" },
    args: [...free, "use every tool"],
    turns: [
      read,
      edit("const tax = 7", "const tax = 19"),
      call("write_file", { path: "notes.md", content: "one\ntwo\n" }),
      call("apply_patch", { patch: "*** Begin Patch\n*** Update File: README.md\n@@\n-# Shop\n+# The shop\n*** End Patch" }),
      call("list_files", { path: "." }),
      call("list_definitions", { path: "src" }),
      call("search_files", { path: ".", regex: "tax" }),
      run("printf 'one\\ntwo\\n'"),
      run("for i in 1 2 3 4 5 6 7 8 9; do echo $i; done; exit 3"),
      call("read_skill", { name: "tax" }),
      call("update_todo", { items: [{ text: "Mend the tax", state: "done" }, { text: "Tell the user", state: "in_progress" }] }),
      call("read_file", { path: "gone.ts" }),
      call("finish", { result: "The tax is **19** now." })
    ],
    play: over("The tax is")
  },
  "each tool: web pages, and background commands": {
    plain: true,
    args: [...free, "--allowedTools", "WebFetch(domain:127.0.0.1)", "use them"],
    turns: [
      call("fetch_url", { url: `${served}/tax` }),
      call("run_command", { command: "echo begun; exec sleep 60", background: true }),
      call("command_output", { id: "call_2_1", search: "begun", wait: 60 }),
      call("stop_command", { id: "call_2_1" }),
      says("It is nineteen.")
    ],
    play: async (terminal) => {
      await over("It is nineteen.")(terminal)
      // The status line counts running commands once a second.
      await terminal.shows(/(?:200k|\$[\d.]+)\s*\nEnter to send/)
    }
  },
  "each tool: searches": {
    plain: true,
    files: basket,
    before: async ({ root }) => {
      mkdirSync(join(root, "home"), { recursive: true })
      writeFileSync(join(root, "home", "config.jsonc"), JSON.stringify({ codeSearch: true, webSearch: { route: "searxng", baseUrl: served } }))
    },
    args: [...free, "use them"],
    turns: [call("web_search", { query: "tax rate" }), call("search_code", { query: "tax of a basket" }), says("It is nineteen.")],
    play: over("It is nineteen.")
  },
  "each tool: of servers": {
    plain: true,
    files: everything,
    before: (place) => Process.run(place, ["trust"]),
    args: [...free, "use them"],
    turns: [
      call("mcp__everything__echo", { message: "hello" }),
      call("read_resource", { server: "everything", uri: "demo://resource/static/document/architecture.md" }),
      call("list_prompts", {}),
      call("search_tools", { query: "sum" }),
      call("mcp_guide", {}),
      says("That was all.")
    ],
    play: over("That was all.")
  },
  "each tool: delegated work": {
    plain: true,
    args: [...free, "count"],
    turns: [call("delegate", { tasks: ["doors", "windows"].map((what) => ({ name: what, prompt: `Count the ${what}.` })) }), says("Two of each.")],
    children: ["doors", "windows"].map((what) => ({ prompt: `Count the ${what}.`, turns: [call("list_files", { path: "." }), { text: `Two ${what}.` }] })),
    play: over("Two of each.")
  },
  "delegated work, while it runs": {
    args: [...free, "count"],
    turns: [call("delegate", { tasks: ["doors", "windows"].map((what) => ({ name: what, prompt: `Count the ${what}.` })) })],
    children: [{ prompt: "Count the doors.", turns: [{ text: "Two doors.", usage }] }, { prompt: "Count the windows.", turns: [{ text: "There are two windows.", chunkSize: 8, holds: 1, usage }] }],
    play: (terminal) => terminal.shows("1/2")
  },
  "a command that runs": {
    args: [...free, "run it"],
    turns: [{ calls: [{ name: "update_todo", params: { items: [{ text: "Run it", state: "in_progress" }, { text: "Read what it says", state: "pending" }] } }], usage }, run("echo begun; echo more; exec sleep 60")],
    play: (terminal) => terminal.shows(/more\n/)
  },
  "the output of a command": {
    rows: 20,
    args: [...free, "run it"],
    turns: [run("echo 'A line that is longer than a narrow screen, and goes on in the next row'; seq 40; echo 'It is done soon.'; exec sleep 60")],
    play: async (terminal) => {
      await terminal.shows("It is done soon.")
      await terminal.shows("1 running")
      terminal.press("C-o")
      await terminal.shows("Esc to close")
      terminal.press("PageUp")
      await terminal.shows("End to follow")
    }
  },
  "hidden input": {
    plain: true,
    rows: 20,
    args: [...free, "log in"],
    turns: [call("run_command", { command: "read -s -p 'Password: ' word", terminal: true })],
    play: async (terminal) => {
      await terminal.shows("asks for hidden input")
      terminal.press("C-o")
      await terminal.shows("Hidden input")
      terminal.type("nobody sees this")
      await terminal.shows("Hidden input, for the command only")
    }
  },
  "asking: input to a command": {
    plain: true,
    args: ["answer it"],
    turns: [
      call("run_command", { command: "read -p 'Project name: ' name", terminal: true }),
      call("command_input", { id: "call_1_1", text: "shop", keys: ["Tab", "Enter"] })
    ],
    play: (terminal) => terminal.shows("y  Yes")
  },
  "the to-do list while it is edited": {
    plain: true,
    args: [...free, "plan it"],
    turns: [
      call("update_todo", { items: [{ text: "Read the code", state: "done" }, { text: "Mend the tax", state: "in_progress" }, { text: "Test", state: "pending" }] }),
      says("Planned.")
    ],
    play: async (terminal) => {
      await over("Planned.")(terminal)
      enter(terminal, "/todo")
      await terminal.shows("Space to tick")
      terminal.press("Down", "a")
      terminal.type("Write the docs")
      await terminal.shows("☐ Write the docs")
    }
  },
  "a queued message": {
    plain: true,
    args: [...free, "run it"],
    turns: [run("echo begun; exec sleep 60")],
    play: async (terminal) => {
      await terminal.shows(/begun\n/)
      for (const message of ["then push it", "and tag it as v2, with the notes of the changelog as its message, and tell me what it is called"]) {
        terminal.type(message)
        terminal.press("Tab")
      }
      await terminal.shows("2 queued")
    }
  },
  "asking: an edit": { files: basket, args: ["mend it"], turns: [read, edit("const tax = 7", "const tax = 19")], play: (terminal) => terminal.shows("y  Yes") },
  "asking: a long edit, with its whole diff": {
    files: basket,
    args: ["mend it"],
    rows: 100,
    turns: [call("write_file", { path: "src/lines.ts", content: Array.from({ length: 40 }, (_, i) => `export const line${i} = ${i}\n`).join("") })],
    play: async (terminal) => {
      await terminal.shows("y  Yes")
      terminal.press("d")
      await terminal.shows("line39")
    }
  },
  "asking: a command": { args: ["clean up"], turns: [run("rm -rf build && echo done > log.txt")], play: (terminal) => terminal.shows("y  Yes") },
  "asking: a command of many lines": {
    plain: true,
    args: ["write it"],
    rows: 100,
    turns: [run(Array.from({ length: 30 }, (_, i) => `touch file-${i}`).join("\n"))],
    play: (terminal) => terminal.shows("y  Yes")
  },
  "asking: a web page": { args: ["look it up"], turns: [call("fetch_url", { url: "https://example.com/tax?year=2026" })], play: (terminal) => terminal.shows("y  Yes") },
  "asking: a file outside": { args: ["look"], turns: [call("read_file", { path: "/etc/hostname" })], play: (terminal) => terminal.shows("y  Yes") },
  "asking: a file that would be gone": {
    plain: true,
    files: basket,
    args: ["clean up"],
    turns: [call("apply_patch", { patch: "*** Begin Patch\n*** Delete File: README.md\n*** End Patch" })],
    play: (terminal) => terminal.shows("y  Yes")
  },
  "asking: a background command": { plain: true, args: ["start the server"], turns: [call("run_command", { command: "npm run dev", background: true })], play: (terminal) => terminal.shows("y  Yes") },
  "asking: a browser page": { plain: true, args: ["look"], turns: [call("browser", { action: "open", url: "https://example.com/tax" })], play: (terminal) => terminal.shows("y  Yes") },
  "asking: an MCP tool": {
    plain: true,
    files: everything,
    before: (place) => Process.run(place, ["trust"]),
    args: ["say it"],
    turns: [call("mcp__everything__echo", { message: "hello" })],
    play: async (terminal) => {
      await terminal.shows("y  Yes")
      terminal.press("y")
      await terminal.shows("echo (MCP server everything)")
      await terminal.shows("y  Yes")
    }
  },
  "asking: several of a kind": {
    files: basket,
    args: ["write them"],
    turns: [{ calls: ["one", "two", "three"].map((name) => ({ name: "write_file", params: { path: `${name}.md`, content: `${name}\n` } })), usage }, says("All are there.")],
    play: (terminal) => terminal.shows("y  Yes")
  },
  "several of a kind, allowed at once": {
    plain: true,
    files: basket,
    args: ["write them"],
    turns: [{ calls: ["one", "two", "three"].map((name) => ({ name: "write_file", params: { path: `${name}.md`, content: `${name}\n` } })), usage }, says("All are there.")],
    play: async (terminal) => {
      await terminal.shows("m  Yes to all 3")
      terminal.press("m")
      await terminal.shows("All are there.")
      await terminal.shows(idle)
    }
  },
  "for a screen reader": {
    plain: true,
    files: basket,
    args: ["--screen-reader", "mend it"],
    turns: [read, edit("const tax = 7", "const tax = 19"), says("It is **19** now.")],
    play: async (terminal) => {
      await terminal.shows("y: Yes")
      enter(terminal, "y")
      await terminal.shows("It is **19** now.")
      await terminal.shows(/Ready[^]*Ready|Working[^]*Ready/)
    }
  },
  "edited before it runs": {
    plain: true,
    args: ["clean up"],
    environment: { VISUAL: "sed -i s/build/dist/" },
    turns: [run("echo rm -rf build > log"), says("It is done.")],
    play: async (terminal) => {
      await terminal.shows("y  Yes")
      terminal.press("e")
      await terminal.shows("echo rm -rf dist")
      await terminal.shows("y  Yes")
    }
  },
  "denying with a message": {
    plain: true,
    files: basket,
    args: ["mend it"],
    turns: [read, edit("const tax = 7", "const tax = 19"), says("As you wish.")],
    play: async (terminal) => {
      await terminal.shows("y  Yes")
      terminal.press("n")
      await terminal.shows("Tell the agent:")
      enter(terminal, "it is 7 for books")
      await terminal.shows("As you wish.")
      await terminal.shows(idle)
    }
  },
  "a question of the model": { plain: true, args: ["mend it"], turns: [call("ask_user", { question: "Which tax?", options: ["7", "19"] })], play: (terminal) => terminal.shows("Answer:") },
  "a plan": { plain: true, args: ["--permission-mode", "plan", "plan it"], turns: [call("present_plan", { plan: "1. Read the code\n2. Mend the **tax**" })], play: (terminal) => terminal.asks("Implement this plan?") },
  "error: a key that is refused": { args: ["go"], turns: [{ error: { reason: { _tag: "Auth" }, message: "The key is not valid.", status: 401 } }], play: over("The key is not valid.") },
  "error: a server that is overloaded": { args: ["go"], turns: [{ error: { reason: { _tag: "Overloaded", retryAfterMs: 50_000 }, message: "Overloaded." } }], play: (terminal) => terminal.shows("Retrying") },
  "error: a request that does not fit": { args: ["go"], turns: [{ error: { reason: { _tag: "ContextOverflow" }, message: "Too long." } }], play: over("even after compaction") },
  ...Object.fromEntries(Object.entries(lasting).map(([_tag, { message, name, ...reason }]): [string, Scene] =>
    [`error: ${name}`, { plain: true, args: ["go"], turns: [{ error: { reason: { _tag, ...reason }, message } }], play: over(message) }])),
  "asking: to continue at a limit": { plain: true, args: [...free, "--max-turns", "1", "go"], turns: [call("list_files", { path: "." }), says("Never said.")], play: (terminal) => terminal.shows("Continue for 1 more turn") },
  "error: a call that makes no sense": { args: [...free, "go"], turns: [call("read_file", { file: 7 }), call("no_such_tool", {}), says("I give up.")], play: over("I give up.") },
  "error: a rule that denies": { args: ["--disallowedTools", "Bash(git push:*)", "push"], turns: [run("git push --force"), says("I may not.")], play: over("I may not.") },
  "interrupted": {
    args: [...free, "wait"],
    turns: [run("echo begun; exec sleep 60")],
    play: async (terminal) => {
      await terminal.shows(/begun\n/)
      terminal.press("C-c")
      await terminal.shows("(interrupted)")
      await terminal.shows(idle)
      await terminal.shows(/^(?![^]*1 running)/)
    }
  },
  "rewind": {
    files: basket,
    args: [...free, "make it 19"],
    turns: [read, edit("const tax = 7", "const tax = 19"), says("It is 19."), says("You are welcome.")],
    play: async (terminal) => {
      await terminal.shows("It is 19.")
      await terminal.shows(idle)
      enter(terminal, "thank you")
      await terminal.shows("You are welcome.")
      await terminal.shows(idle)
      enter(terminal, "/rewind")
      await terminal.asks("Rewind to before which message?")
      terminal.press("Down")
    }
  },
  "rewound": {
    files: basket,
    args: [...free, "make it 19"],
    turns: [read, edit("const tax = 7", "const tax = 19"), says("It is 19.")],
    play: async (terminal) => {
      await terminal.shows("It is 19.")
      await terminal.shows(idle)
      enter(terminal, "/rewind")
      await terminal.asks("Rewind to before which message?")
      terminal.press("Enter")
      await terminal.asks("Rewind to before \"make it 19\"")
      terminal.press("Enter")
      await terminal.shows("modified  src/basket.ts")
    }
  },
  "compaction": {
    files: { "long.txt": "A line of a long file.\n".repeat(500) },
    args: ["one"],
    turns: [...Array.from({ length: 2 }, () => ({ calls: [{ name: "read_file", params: { path: "long.txt" } }] })), ...["first", "second", "third"].map((word) => ({ text: `The ${word} answer.` }))],
    play: async (terminal) => {
      await terminal.shows("The first answer.")
      await terminal.shows(idle)
      for (const word of ["second", "third"]) {
        enter(terminal, word)
        await terminal.shows(`The ${word} answer.`)
        await terminal.shows(idle)
      }
      enter(terminal, "/compact")
      await over("Summarised earlier turns")(terminal)
    }
  },
  "budget": {
    args: ["--max-tokens-total", "30000", "spend"],
    turns: [{ ...says("The first."), usage: { input: 26_000, output: 10 } }, says("The second.")],
    play: async (terminal) => {
      await terminal.shows("The first.")
      await terminal.shows(idle)
      enter(terminal, "more")
      await terminal.shows(/(?:budget|tokens are left)[^]*Enter to answer/i)
    }
  },
  "cost and context": {
    plain: true,
    before: async ({ cwd }) => execFileSync("git", ["init", "--quiet", "-b", "tax"], { cwd }),
    args: ["hello"],
    turns: [says("Hello.")],
    play: async (terminal) => {
      await terminal.shows("Hello.")
      await terminal.shows(idle)
      enter(terminal, "/cost")
      await terminal.shows("from the cache")
    }
  },
  "completing a file": {
    plain: true,
    files: { ...basket, "src/bag.ts": "", "test/basket.test.ts": "" },
    turns: [says("Hello.")],
    play: async (terminal) => {
      await terminal.shows(idle)
      terminal.type("look at @bas")
      await terminal.shows("› @")
    }
  },
  "completing a command": { plain: true, turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    terminal.type("/co")
    await terminal.shows("› /compact")
  } },
  "the menu of commands": { turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    terminal.type("/")
    await terminal.shows("› /act")
  } },
  "a pasted text": { plain: true, turns: [says("I see.")], play: async (terminal) => {
    await terminal.shows(idle)
    terminal.type("why does this fail? ")
    terminal.paste(Array.from({ length: 42 }, (_, i) => `at line ${i + 1}`).join("\n"))
    await terminal.shows("+42 lines]")
    terminal.press("Enter")
    await terminal.shows("I see.")
    await terminal.shows(idle)
    terminal.paste(Array.from({ length: 12 }, (_, i) => `and line ${i + 1}`).join("\n"))
    await terminal.shows("+12 lines]")
  } },
  "changing the mode": { plain: true, turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    terminal.press("BTab")
    await terminal.shows("acceptEdits: accept edits")
  } },
  "choosing a mode": { plain: true, turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    enter(terminal, "/mode")
    await terminal.asks("Choose a permission mode")
  } },
  "the keys": { plain: true, turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    terminal.type("?")
    await terminal.shows("Ctrl-Z, Ctrl-D")
  } },
  "help": { plain: true, rows: 80, turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    enter(terminal, "/help")
    await terminal.shows("/undo")
  } },
  "a shell command of the user's own": { plain: true, turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    enter(terminal, "!echo one; echo two; false")
    await terminal.shows("The command failed")
  } },
  "a command in the background": {
    args: [...free, "start it"],
    turns: [call("run_command", { command: "echo begun; exec sleep 60", background: true }), says("It runs.")],
    play: async (terminal) => {
      await over("It runs.")(terminal)
      await terminal.shows("1 running")
    }
  },
  "what a session changed": {
    files: basket,
    args: [...free, "mend it"],
    turns: [read, edit("const tax = 7", "const tax = 19"), says("It is 19.")],
    play: async (terminal) => {
      await over("It is 19.")(terminal)
      enter(terminal, "/diff")
      await terminal.shows("  src/basket.ts")
    }
  },
  "a command that there is not": { plain: true, turns: [says("Hello.")], play: async (terminal) => {
    await terminal.shows(idle)
    enter(terminal, "/modle")
    await terminal.shows("Did you mean")
  } },
  "choosing a session": {
    plain: true,
    args: ["--resume"],
    before: async (place) => {
      for (const prompt of ["mend the tax", "write the changelog"]) {
        await Process.run(place, ["-p", "--model", "scripted/../model.json", prompt])
      }
    },
    turns: [says("Done.")],
    play: (terminal) => terminal.asks("Choose a session to resume")
  },
  "hostile text": {
    plain: true,
    files: { "evil\u001b]0;owned\u0007.txt": "x" },
    args: [...free, "look"],
    turns: [
      call("list_files", { path: "." }),
      run("printf '\\033[2J\\033[1;1Hgone \\033]0;owned\\007 \\342\\200\\256abc\\n'; exit 1"),
      says("\u001b[31mred\u001b[0m \u202Ereversed\u202C \u009b2Jgone zero\u200bwidth [link](javascript:alert)")
    ],
    play: over("reversed")
  },
  "leaving": {
    plain: true,
    turns: [says("Hello.")],
    args: ["hi"],
    play: async (terminal) => {
      await terminal.shows("Hello.")
      await terminal.shows(idle)
      terminal.press("C-d")
      await terminal.shows("left with 0")
    }
  }
}

const fileOf = (name: string): string => `${name.replace(/[^\w]+/g, "-")}.txt`

/** The variants of a scene, each as it stands in the scene's file. */
const section = async (scene: Scene, variant: (typeof variants)[number]) => `── ${variant.title} ${"─".repeat(40)}\n\n${await shot(scene, variant)}\n`

describe.concurrent("the screen of", () => {
  for (const [index, [name, scene]] of Object.entries(scenes).entries()) {
    const own = scene.plain === true ? few : variants
    it(name, { timeout: 300_000 }, async ({ expect }) => {
      const file = `screens/${fileOf(name)}`
      if (isComplete) {
        const sections: Array<string> = []
        for (const variant of own) sections.push(await section(scene, variant))
        await expect(sections.join("\n")).toMatchFileSnapshot(file)
      } else {
        const stored = readFileSync(join(import.meta.dirname, file), "utf8").split(/\n(?=── )/)
        expect(await section(scene, own[index % own.length]!)).toBe(stored[index % own.length])
      }
    })
  }
})

/** The scene that shows how each kind of thing is asked about; a tool of ours that touches nothing of these is not asked about. */
const asked: Readonly<Record<Exclude<Access["_tag"], "Other">, string>> = {
  Read: "asking: a file outside",
  Edit: "asking: an edit",
  Command: "asking: a command",
  Fetch: "asking: a web page",
  Browse: "asking: a browser page",
  Mcp: "asking: an MCP tool"
}

it("every tool and every kind of question is on one of them", () => {
  const called = new Set(Object.values(scenes).flatMap(({ turns = [] }) => turns.flatMap((turn) => "calls" in turn ? (turn.calls as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name) : [])))
  expect(builtin.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([])
  expect(Object.values(asked).filter((name) => scenes[name] === undefined)).toEqual([])
})

it("no file is of a scene that is gone", () => {
  expect(readdirSync(join(import.meta.dirname, "screens")).sort()).toEqual(Object.keys(scenes).map(fileOf).sort())
})
