/** Every state of the page, made by real sessions of the built command with a scripted model. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import type * as Process from "../../cli/support/Process.ts"
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

export const prepare = async (place: Process.Place): Promise<Stage> => {
  mkdirSync(join(place.cwd, "src"))
  writeFileSync(join(place.cwd, "src", "basket.ts"), basket)
  const turns = [
    {
      reasoning: "The loop adds the price once. The count of an item is never read.",
      text: "I'll look at the code first.",
      calls: [
        { name: "read_file", params: { path: "src/basket.ts" } },
        { name: "update_todo", params: { items: [{ text: "Find the fault", state: "done" }, { text: "Fix the total", state: "in_progress" }, { text: "Add a test", state: "pending" }] } }
      ],
      usage: { input: 5_200, output: 240, cacheRead: 3_000 }
    },
    {
      text: answer,
      calls: [{ name: "edit_file", params: { path: "src/basket.ts", old_text: basket.slice(basket.indexOf("export const total")), new_text: newTotal } }],
      usage: { input: 6_400, output: 420, cacheRead: 5_200 }
    },
    {
      text: "Now the tests.",
      calls: [{ name: "run_command", params: { command: "printf '\\033[32m✓\\033[0m total counts every item\\n\\033[31m✗\\033[0m rounds to cents\\n'" } }],
      usage: { input: 7_000, output: 120, cacheRead: 6_400 }
    },
    {
      calls: [{ name: "write_file", params: { path: "src/basket.test.ts", content: "import { total } from \"./basket.ts\"\n" } }, { name: "run_command", params: { command: "rm -rf build && npm test" } }],
      usage: { input: 7_400, output: 160, cacheRead: 7_000 }
    },
    { text: "The total is right, and a test covers it.", usage: { input: 7_900, output: 60, cacheRead: 7_400 } }
  ]
  const tools = join(place.root, "home", "tools")
  mkdirSync(tools, { recursive: true })
  for (const [name, view] of Object.entries(views)) {
    writeFileSync(join(place.root, `${name}.view.json`), JSON.stringify(view))
    writeFileSync(join(tools, `${name}.md`), `---\ndescription: Shows ${name}.\nresult: view\n---\n\n\`\`\`bash\ncat ../${name}.view.json\n\`\`\`\n`)
  }
  const shows = [
    ...Object.keys(views).map((name) => ({ text: "", calls: [{ name, params: {} }], usage: { input: 4_000, output: 60, cacheRead: 3_500 } })),
    { text: "These are the results.", usage: { input: 4_400, output: 40, cacheRead: 4_000 } }
  ]
  const script = join(place.root, "basket.json")
  writeFileSync(script, JSON.stringify({ model: { price: { input: 3, output: 15, cacheRead: 0.3 } }, turns }))
  const model = `scripted/${script}`
  const showScript = join(place.root, "show.json")
  writeFileSync(showScript, JSON.stringify({ model: { price: { input: 3, output: 15, cacheRead: 0.3 } }, turns: shows }))
  const server = await Served.serve(place, model, ["--allowedTools", "Bash(cat *)"])
  const browser = await Served.launch()
  const { page } = await Served.openPage(browser)
  const { session: finished } = await server.operate({ _tag: "Start", cwd: place.cwd, mode: "acceptEdits" })
  const { session: waiting } = await server.operate({ _tag: "Start", cwd: place.cwd })
  const open = (id: string, rest = "") => async (page: Page): Promise<void> => {
    await page.goto(`${server.url}/#/session/${id}${rest}`)
    await page.locator(".entry, .empty").first().waitFor()
  }
  const allow = (page: Page) => page.getByRole("button", { name: /^Allow once/, disabled: false }).first().click()
  await page.goto(server.address)
  await page.locator(".row").first().waitFor()
  await open(finished)(page)
  await page.locator("#composer").fill("The total of the basket is wrong. Fix it.")
  await page.locator("#composer").press("Enter")
  while (await page.getByText("a test covers it").count() === 0) {
    await page.locator(".approval button.primary:not(:disabled), .answer:has-text('a test covers it')").first().waitFor()
    if (await page.locator(".approval").count() > 0) await allow(page)
    await page.waitForTimeout(300)
  }
  await open(waiting)(page)
  await page.locator("#composer").fill("Fix the basket.")
  await page.locator("#composer").press("Enter")
  await page.locator(".approval").waitFor()
  const { session: shown } = await server.operate({ _tag: "Start", cwd: place.cwd, model: `scripted/${showScript}` })
  await open(shown)(page)
  await page.locator("#composer").fill("Show me the results.")
  await page.locator("#composer").press("Enter")
  while (await page.getByText("These are the results.").count() === 0) {
    await page.locator(".approval button.primary:not(:disabled), .answer:has-text('These are the results.')").first().waitFor()
    if (await page.locator(".approval").count() > 0) await allow(page)
    await page.waitForTimeout(200)
  }
  const { session: fork } = await server.operate({ _tag: "Fork", session: finished, at: 20 })
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
      },
      approval: async (page) => {
        await open(waiting)(page)
        await page.getByRole("button", { name: /^Allow once/, disabled: false }).waitFor()
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
      subagents: panel("subagents"),
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
        await page.goto(`${server.url}/#/settings`)
        await page.locator(".usage-table").first().waitFor()
      },
      trial: async (page) => {
        await page.goto(`${server.url}/#/sessions`)
        await page.goto(`${server.url}/#/settings`)
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
      login: async (page) => {
        await page.context().clearCookies()
        await page.goto(`${server.url}/#/sessions`)
        await page.reload()
        await page.getByRole("dialog").waitFor()
      }
    }
  }
}
