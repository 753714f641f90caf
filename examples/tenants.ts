/**
 * Fifty sessions at once in one process, for two tenants with keys of their own. `node examples/tenants.ts`
 * Each tenant has a runtime; sessions of one tenant share it.
 */
import { createAgent, type Route } from "dacapo"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A provider that answers with the first letters of the key that it was called with. */
const whose: Route = {
  name: "whose",
  title: "Whose key is it",
  wire: "whose",
  keys: ["WHOSE_API_KEY"],
  baseUrl: "",
  local: false,
  connect: ({ key }) => ({
    encode: () => ({}),
    send: () =>
      Stream.make(
        { _tag: "TextDelta", text: key === undefined ? "nobody's" : Redacted.value(key).slice(0, 5) },
        { _tag: "Finish", reason: "stop", raw: "stop" }
      )
  })
}

const home = mkdtempSync(join(tmpdir(), "dacapo-tenants-"))
const tenants = [["Alice", "alice-secret"], ["Bob", "bob---secret"]] as const

const results = await Promise.all(tenants.map(async ([name, apiKey]) => {
  await using agent = createAgent({
    cwd: home,
    home: join(home, name),
    model: "whose/model",
    routes: [whose],
    apiKey,
    bare: true,
    storage: "memory"
  })
  const sessions = await Promise.all(Array.from({ length: 25 }, () => agent.session()))
  const answers = await Promise.all(sessions.map((session) => session.run("Whose key is this?")))
  return `${name}: ${answers.length} × ${[...new Set(answers.map(({ result }) => result))].join(", ")}`
}))
console.log(results.join("\n"))
rmSync(home, { recursive: true, force: true })
