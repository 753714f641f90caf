/** Every state of the page, made by real sessions of the built command with a scripted model. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import * as Process from "../../cli/support/Process.ts"
import * as Served from "./Served.ts"

export interface Stage {
  readonly server: Served.Server
  /** By name: what brings a logged-in page into the state. */
  readonly scenes: Readonly<Record<string, (page: Page) => Promise<void>>>
}

const basket = `export interface Item {
  readonly name: string
  readonly price: number
  readonly count: number
}

export const total = (items: ReadonlyArray<Item>): number => {
  let sum = 0
  for (const item of items) {
    sum += item.price
  }
  return sum
}
`

const answer = `The total ignores the **count** of each item. I will change \`total\` and add a test.

1. Multiply the price by the count
2. Round to cents at the end

\`\`\`ts
const sum = items.reduce((sum, { count, price }) => sum + price * count, 0)
return Math.round(sum * 100) / 100 // cents
\`\`\`

| case | before | after |
| --- | ---: | ---: |
| two of 1.50 | 1.50 | 3.00 |
| empty | 0 | 0 |
`

/** What tools show as typed views. */
const views = {
  coverage: {
    type: "table",
    title: "Coverage",
    columns: [{ label: "file" }, { label: "lines", align: "right" }, { label: "covered", align: "right" }],
    rows: [["src/basket.ts", 42, "100%"], ["src/price.ts", 118, "87%"], ["src/checkout/payment.ts", 260, "61%"]]
  },
  durations: {
    type: "chart",
    kind: "bar",
    title: "Duration of the tests",
    unit: "ms",
    labels: ["basket", "price", "payment"],
    series: [{ name: "before", values: [120, 340, 810] }, { name: "after", values: [90, 210, 800] }]
  },
  trend: {
    type: "chart",
    kind: "line",
    title: "Size of the bundle",
    unit: "kB",
    labels: ["Mon", "Tue", "Wed", "Thu", "Fri"],
    series: [{ name: "page", values: [96, 94, 91, 88, 82] }, { name: "command", values: [61, 61, 63, 64, 64] }]
  },
  suites: { type: "progress", title: "Suites", items: [{ label: "domain", done: 48, total: 48 }, { label: "page", done: 7, total: 12 }] },
  change: { type: "diff", title: "Proposed change", diff: "--- a/src/price.ts\n+++ b/src/price.ts\n@@ -3,2 +3,2 @@\n const cents = 100\n-export const round = (n: number) => n\n+export const round = (n: number) => Math.round(n * cents) / cents\n" },
  release: {
    type: "form",
    title: "Release",
    fields: [
      { name: "version", label: "Version", kind: "text", required: true, value: "1.4.0" },
      { name: "channel", label: "Channel", kind: "choice", options: ["stable", "beta"] },
      { name: "notes", label: "Write release notes", kind: "confirm" }
    ]
  }
}

const newTotal = `export const total = (items: ReadonlyArray<Item>): number => {
  const sum = items.reduce((sum, { count, price }) => sum + price * count, 0)
  return Math.round(sum * 100) / 100
}
`

/** What a script says of its model. */
const sonnet = { name: "Sonnet", price: { input: 3, output: 15, cacheRead: 0.3 }, effort: { kind: "named", values: ["low", "medium", "high"] } }

const used = (input: number, output: number) => ({ usage: { input, output, cacheRead: Math.round(input * 0.8) } })
const run = (command: string) => ({ name: "run_command", params: { command } })
const editTotal = { name: "edit_file", params: { path: "src/basket.ts", old_text: basket.slice(basket.indexOf("export const total")), new_text: newTotal } }

/** By the name of the model. */
const scripts: Readonly<Record<string, object>> = {
  sonnet: {
    model: sonnet,
    turns: [
      {
        reasoning: "The loop adds the price once. The count of an item is never read.",
        text: "I'll look at the code first.",
        calls: [
          { name: "read_file", params: { path: "src/basket.ts" } },
          { name: "update_todo", params: { items: [{ text: "Find the fault", state: "done" }, { text: "Fix the total", state: "in_progress" }, { text: "Add a test", state: "pending" }] } }
        ],
        ...used(5_200, 240)
      },
      { text: answer, calls: [editTotal], ...used(6_400, 420) },
      { text: "Now the tests.", calls: [run("printf '\\033[32m✓\\033[0m total counts every item\\n\\033[31m✗\\033[0m rounds to cents\\n'")], ...used(7_000, 120) },
      { calls: [{ name: "write_file", params: { path: "src/basket.test.ts", content: "import { total } from \"./basket.ts\"\n" } }, run("rm -rf build && npm test")], ...used(7_400, 160) },
      { text: "The total is right, and a test covers it.", ...used(7_900, 60) }
    ]
  },
  results: {
    model: sonnet,
    turns: [
      ...Object.keys(views).map((name) => ({ text: "", calls: [{ name, params: {} }], ...used(4_000, 60) })),
      { text: "These are the results.", ...used(4_400, 40) }
    ]
  },
  release: {
    model: sonnet,
    turns: [
      { text: "I'll publish the branch, then build.", calls: [run("git push origin main"), run("npm run build && npm publish --tag next")], ...used(3_000, 90) },
      { text: "The push was denied.", ...used(3_200, 40) }
    ]
  },
  question: {
    model: sonnet,
    turns: [{ text: "Two formats are possible.", calls: [{ name: "ask_user", params: { question: "Which format should the export have?", options: ["CSV", "JSON Lines", "Both"] } }], ...used(2_100, 70) }, { text: "Done." }]
  },
  stream: {
    model: sonnet,
    turns: Array.from({ length: 8 }, () => ({
      reasoning: "The parser reads a line at a time.",
      text: `${answer}\nThe rest of the work follows here, step by step, while you watch, and it goes on for a while.`,
      holds: 15,
      chunkSize: 40,
      ...used(3_000, 90)
    }))
  },
  review: {
    model: sonnet,
    turns: [
      { text: "I'll have three parts reviewed at the same time.", calls: [{ name: "delegate", params: { tasks: ["basket", "price", "checkout"].map((name) => ({ name, prompt: `Review ${name}` })) } }], ...used(3_000, 200) },
      { text: "All parts are reviewed: two findings in the checkout.", ...used(4_000, 60) }
    ],
    children: ["basket", "price", "checkout"].map((name) => ({
      prompt: `Review ${name}`,
      turns: [{ calls: [{ name: "list_files", params: { path: "." } }], ...used(2_000, 40) }, { text: `${name}: no fault found.`, ...used(2_200, 60) }]
    }))
  }
}

export const prepare = async (place: Process.Place): Promise<Stage> => {
  const folder = (name: string): string => {
    const path = join(place.root, name)
    mkdirSync(join(path, "src"), { recursive: true })
    writeFileSync(join(path, "src", "basket.ts"), basket)
    return path
  }
  const [shop, checkout, release] = [folder("shop"), folder("checkout"), folder("release")]
  const home = join(place.root, "home")
  const tools = join(home, "tools")
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(home, "config.jsonc"), JSON.stringify({ permissions: { allow: ["Bash(npm run lint)", "Bash(cat *)"], deny: ["Bash(git push *)"] }, maxBudgetUsd: 5 }))
  for (const [name, view] of Object.entries(views)) {
    writeFileSync(join(place.root, `${name}.view.json`), JSON.stringify(view))
    writeFileSync(join(tools, `${name}.md`), `---\ndescription: Shows ${name}.\nresult: view\n---\n\n\`\`\`bash\ncat ../${name}.view.json\n\`\`\`\n`)
  }
  const memory = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/server-memory/dist/index.js", import.meta.url))
  const servers = folder("servers")
  symlinkSync(memory, join(servers, "memory.js"))
  // A program of the folder: the page shows the paths of programs, and that of Node differs between machines.
  writeFileSync(join(servers, "memory"), "#!/bin/sh\nexec node memory.js\n", { mode: 0o755 })
  writeFileSync(join(servers, ".mcp.json"), JSON.stringify({ mcpServers: { memory: { command: "./memory" }, search: { type: "http", url: "https://mcp.example.com/search" } } }))
  await Process.run({ ...place, cwd: servers }, ["trust"])
  for (const [name, script] of Object.entries(scripts)) writeFileSync(join(place.cwd, name), JSON.stringify(script))
  const server = await Served.serve(place, "scripted/sonnet")
  const browser = await Served.launch()
  const { page } = await Served.openPage(browser)
  const start = async (cwd: string, model: string, mode = "default"): Promise<string> =>
    (await server.operate({ _tag: "Start", cwd, mode, model: `scripted/${model}` }))["session"]
  const open = (id: string, rest = "") => async (page: Page): Promise<void> => {
    await page.goto(`${server.url}/#/session/${id}${rest}`)
    await page.locator(".entry, .empty").first().waitFor()
  }
  const say = async (id: string, text: string): Promise<void> => {
    await open(id)(page)
    await page.locator("#composer").fill(text)
    await page.locator("#composer").press("Enter")
  }
  /** Allows everything until a text appears. */
  const allowUntil = async (text: string): Promise<void> => {
    while (await page.getByText(text).count() === 0) {
      await page.locator(`.approval button.primary:not(:disabled), .answer:has-text("${text}")`).first().waitFor()
      const button = page.getByRole("button", { name: /^Allow once/, disabled: false }).first()
      if (await button.count() > 0) await button.click()
      await page.waitForTimeout(200)
    }
  }
  await page.goto(server.address)
  await page.locator("#new").waitFor()
  const finished = await start(shop, "sonnet", "acceptEdits")
  await say(finished, "The total of the basket is wrong. Fix it.")
  await allowUntil("a test covers it")
  const reviewed = await start(shop, "review")
  await say(reviewed, "Review the shop.")
  await allowUntil("All parts are reviewed")
  const shown = await start(shop, "results")
  await say(shown, "Show me the results.")
  await allowUntil("These are the results.")
  const { session: fork } = await server.operate({ _tag: "Fork", session: finished, at: 25 })
  const waiting = await start(checkout, "sonnet")
  await say(waiting, "Fix the basket.")
  await page.locator(".approval").waitFor()
  const asking = await start(checkout, "question")
  await say(asking, "Export the orders.")
  await page.locator(".approval").waitFor()
  const denied = await start(release, "release")
  await say(denied, "Publish the release.")
  await page.locator(".approval").waitFor()
  const streaming = await start(release, "stream")
  await say(streaming, "Explain the total.")
  await page.locator(".live .answer").waitFor()
  await browser.close()
  const panel = (name: string) => open(finished, `/${name}`)
  const wide = (page: Page) => page.locator(".tool .diff, .approval .diff").first().getByRole("button", { name: "Side by side" }).click()
  return {
    server,
    scenes: {
      sessions: async (page) => void await page.goto(`${server.url}/#/sessions`),
      conversation: open(finished),
      opened: async (page) => {
        await open(finished)(page)
        for (const summary of await page.locator("summary").all()) await summary.click()
      },
      "side-by-side": async (page) => {
        await open(finished)(page)
        await page.locator(".tool summary", { hasText: "Edit" }).first().click()
        await wide(page)
        await page.locator(".tool .diff").first().scrollIntoViewIfNeeded()
      },
      approval: async (page) => {
        await open(waiting)(page)
        await page.getByRole("button", { name: /^Allow once/, disabled: false }).waitFor()
      },
      streaming: async (page) => {
        await open(streaming)(page)
        await page.getByRole("button", { name: /^Interrupt/ }).click()
        await page.getByRole("button", { name: /^Send/ }).waitFor()
        await page.locator("#composer").fill("Explain the total.")
        await page.locator("#composer").press("Enter")
        await page.locator(".live .answer", { hasText: "The rest of" }).waitFor()
        await page.locator("#composer").fill("Mention the empty basket, too.")
      },
      question: open(asking),
      waiting: async (page) => {
        await page.goto(`${server.url}/#/waiting`)
        await page.locator(".approval").nth(2).waitFor()
        await page.getByRole("button", { name: /^Allow once/, disabled: false }).first().waitFor()
      },
      rule: async (page) => {
        await open(denied)(page)
        await page.locator(".denial").waitFor()
      },
      denial: async (page) => {
        await open(waiting)(page)
        await page.getByRole("button", { name: /^Deny/, disabled: false }).click()
      },
      past: async (page) => {
        await open(finished, "?at=12")(page)
        await page.getByRole("button", { name: "Rewind to here" }).click()
      },
      todo: panel("todo"),
      files: async (page) => {
        await panel("files")(page)
        await page.locator(".panel .diff").waitFor()
      },
      checkpoints: panel("checkpoints"),
      subagents: async (page) => {
        await open(reviewed, "/subagents")(page)
        await page.locator(".panel .tree li").nth(2).waitFor()
      },
      context: async (page) => {
        await panel("context")(page)
        await page.locator(".panel .bars").waitFor()
      },
      usage: panel("usage"),
      replay: async (page) => {
        await panel("replay")(page)
        await page.getByRole("button", { name: "Verify the replay" }).click()
        await page.getByText(/Replays exactly/).waitFor()
      },
      tools: panel("tools"),
      views: async (page) => {
        await open(shown)(page)
        await page.locator(".result-view .diff").waitFor()
        await page.locator(".result-view").first().scrollIntoViewIfNeeded()
      },
      form: async (page) => {
        await open(shown)(page)
        await page.locator(".result-form").waitFor()
        await page.getByText("These are the results.").scrollIntoViewIfNeeded()
      },
      beside: async (page) => {
        await open(fork, `?beside=${finished}`)(page)
        await page.getByText(/The same up to event/).waitFor()
      },
      "all-usage": async (page) => {
        await page.goto(`${server.url}/#/usage`)
        await page.locator(".usage-table").first().waitFor()
      },
      settings: async (page) => {
        await page.goto(`${server.url}/#/settings?folder=${encodeURIComponent(shop)}`)
        await page.locator(".usage-table").first().waitFor()
      },
      servers: async (page) => {
        await page.goto(`${server.url}/#/settings?folder=${encodeURIComponent(servers)}`)
        const test = page.getByRole("button", { name: /(?:Test|Approve and test) the server memory/ })
        await test.click()
        await page.getByText(/^Connected/).waitFor()
        await page.getByRole("heading", { name: "MCP servers" }).scrollIntoViewIfNeeded()
      },
      trial: async (page) => {
        await page.goto(`${server.url}/#/settings?folder=${encodeURIComponent(shop)}`)
        await page.getByRole("combobox", { name: "Decision" }).selectOption("deny")
        await page.getByRole("textbox", { name: "Rule" }).fill("Bash(rm *)")
        await page.getByRole("button", { name: "Try on past sessions" }).click()
        await page.getByRole("region", { name: "Result of the trial" }).waitFor()
      },
      keys: async (page) => {
        await page.goto(`${server.url}/#/sessions`)
        await page.keyboard.press("?")
        await page.getByRole("dialog").waitFor()
      },
      search: async (page) => {
        await page.goto(`${server.url}/#/sessions`)
        await page.reload()
        await page.locator("#search").fill("total")
        await page.getByRole("heading", { name: "In conversations" }).waitFor()
      },
      new: async (page) => {
        await page.goto(`${server.url}/#/sessions`)
        await page.reload()
        await page.locator("#new").click()
      },
      login: async (page) => {
        await page.context().clearCookies()
        await page.goto(`${server.url}/#/sessions`)
        await page.reload()
        await page.getByRole("dialog").waitFor()
      }
    }
  }
}
