/** A budget as a caller sees it: the exit code and the words, in every format. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

/** A model of 64K output tokens at three and fifteen dollars for a million. */
const priced = (place: Process.Place, ...turns: ReadonlyArray<object>): string => {
  const file = join(place.root, "priced.json")
  writeFileSync(file, JSON.stringify({ model: { price: { input: 3, output: 15 }, maxOutput: 64_000 }, turns }))
  return `scripted/${file}`
}

const words = /^The session budget of \$0\.01 does not cover the next request: .+ and the request could cost up to \$0\.0\d+\. Raise it with --max-budget-usd or --max-tokens-total, and continue the session\.$/

const ask = (place: Process.Place, model: string, ...flags: ReadonlyArray<string>) =>
  Process.run(place, ["-p", "--model", model, ...flags, "Go"])

describe("a budget of a cent", () => {
  it("ends a run before its first request with 56, and says so in text", async () => {
    await using place = Process.scene()
    const ended = await ask(place, priced(place), "--max-budget-usd", "0.01")
    expect(ended).toMatchObject({ code: 56, stdout: "" })
    expect(ended.stderr.replace(/^dacapo: /, "").trim()).toMatch(words)
  })

  it.each(["json", "stream-json"])("and in %s", async (format) => {
    await using place = Process.scene()
    const ended = await ask(place, priced(place), "--max-budget-usd", "0.01", "--output-format", format)
    const result = JSON.parse(ended.stdout.trim().split("\n").at(-1)!)
    expect(ended.code).toBe(56)
    expect(result).toMatchObject({ type: "result", subtype: "error_max_budget_usd", is_error: true, exit_code: 56, num_turns: 0, total_cost_usd: 0 })
    expect(result.result).toMatch(words)
  })

  it("and in events", async () => {
    await using place = Process.scene()
    const ended = await ask(place, priced(place), "--max-budget-usd", "0.01", "--output-format", "events")
    const tags = ended.stdout.trim().split("\n").map((line) => JSON.parse(line).event._tag)
    expect(ended.code).toBe(56)
    expect(tags).toEqual(["SessionStarted", "UserSaid", "ContextPlanned", "BudgetExhausted", "TaskFailed"])
  })
})

describe("a budget of a dollar", () => {
  it("runs a task, and warns when most of it is used", async () => {
    await using place = Process.scene()
    const model = priced(
      place,
      { calls: [{ name: "list_files", params: { path: "." } }], usage: { input: 250_000, output: 5000 } },
      { text: "Done.", usage: { input: 1000, output: 10 } }
    )
    const ended = await ask(place, model, "--max-budget-usd", "1")
    expect(ended).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "dacapo: 80% of the budget is used.\n" })
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("needs a price, and takes one from the settings", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "Done." })
    const refused = await ask(place, model, "--max-budget-usd", "1")
    expect(refused.code).toBe(52)
    expect(refused.stderr).toContain("\"prices\": {")
    expect((await ask(place, model, "--max-budget-usd", "1", "--max-tokens-total", "100000")).code).toBe(0)
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ prices: { [model]: { input: 1, output: 5 } } }))
    expect(await ask(place, model, "--max-budget-usd", "1")).toMatchObject({ code: 0, stdout: "Done.\n" })
  })

  it("of a day is counted over runs", async () => {
    await using place = Process.scene()
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ maxDailyUsd: 1 }))
    const model = priced(place, { text: "Done.", usage: { input: 331_000, output: 100 } })
    expect((await ask(place, model)).code).toBe(0)
    const second = await ask(place, model)
    expect(second.code).toBe(56)
    expect(second.stderr).toContain("The daily budget of $1 ")
  })
})
