/** Each large feature has a scenario that starts the real command line and replays, and is found in docs, help, changelog and glossary. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"

/**
 * `scenarios` are files in test/scenarios or test/cli; `docs` are pages in docs with a text in each; `help` are texts of
 * `dacapo --help`, of the help of a command, or of `/help` and `?` in the terminal; `terms` are rows of the glossary, `names` what
 * Cline, Roo Code and Kilo Code call it.
 */
interface Feature {
  readonly scenarios: ReadonlyArray<string>
  readonly docs: Readonly<Record<string, string>>
  readonly help?: ReadonlyArray<string>
  readonly changelog: string
  readonly terms: ReadonlyArray<string>
  readonly names?: ReadonlyArray<string>
}

const features: Readonly<Record<string, Feature>> = {
  "tools as XML": {
    scenarios: ["scenarios/xmlTools.test.ts", "scenarios/serverMemory.slow.test.ts"],
    docs: { "formats/xml-tools.md": "unknown tool", "models.md": "--tool-format" },
    help: ["--tool-format"],
    changelog: "Calls as XML",
    terms: ["tool format", "endpoint note"],
    names: ["XML tool calling"]
  },
  "a chain of fallback models": {
    scenarios: ["scenarios/fallbackChain.test.ts", "scenarios/openCircuit.slow.test.ts"],
    docs: { "models.md": "--fallback-model" },
    help: ["--fallback-model"],
    changelog: "a chain of fallback models",
    terms: ["fallback", "circuit breaker"]
  },
  "prompt caching behind gateways": {
    scenarios: ["scenarios/gatewayCache.test.ts"],
    docs: { "models.md": "prompt caching" },
    help: ["--by"],
    changelog: "prompt caching for Claude behind gateways",
    terms: ["prompt caching"]
  },
  "questions at limits": {
    scenarios: ["scenarios/limits.slow.test.ts"],
    docs: { "terminal.md": "limit" },
    help: ["--max-turns"],
    changelog: "a question when a task reaches its limit",
    terms: ["limit question"],
    names: ["consecutive mistake limit"]
  },
  "commands at work": {
    scenarios: ["scenarios/commandInput.slow.test.ts", "scenarios/background.slow.test.ts"],
    docs: { "commands.md": "separate_stderr", "terminal.md": "Ctrl-B" },
    help: ["/ps"],
    changelog: "Ctrl-B",
    terms: ["background command", "hidden input"],
    names: ["Proceed While Running"]
  },
  "problems and Git": {
    scenarios: ["scenarios/problems.slow.test.ts", "scenarios/languageServer.slow.test.ts"],
    docs: { "context.md": "@problems" },
    help: ["@problems"],
    changelog: "Problems and Git",
    terms: ["problem", "mention"],
    names: ["diagnostics"]
  },
  "rules and settings of other agents": {
    scenarios: ["scenarios/otherAgents.slow.test.ts", "cli/Import.test.ts"],
    docs: { "context.md": "CLAUDE.local.md", "import.md": "dacapo import --dry-run" },
    help: ["import"],
    changelog: "rules and commands of Claude Code",
    terms: ["rules file", "import"],
    names: ["auto-approve"]
  },
  "tenants of a cluster": {
    scenarios: ["cli/Tenants.slow.test.ts", "cli/TenantLimits.slow.test.ts"],
    docs: { "cluster.md": "--tenants", "deploying.md": "--secrets", "budget.md": "usdPerDay" },
    help: ["--tenants", "--secrets"],
    changelog: "Tenants (`--tenants`, `--secrets`)",
    terms: ["tenant", "secret store"]
  },
  "web search": {
    scenarios: ["scenarios/webSearch.slow.test.ts"],
    docs: { "searching.md": "web_search" },
    help: ["webSearch"],
    changelog: "**Web search**",
    terms: ["web search", "route"]
  },
  "errors and bounds": {
    scenarios: ["scenarios/errorReports.test.ts", "scenarios/denials.test.ts"],
    docs: { "headless.md": "1 MiB" },
    help: ["--disallowedTools"],
    changelog: "headline, cause and next step",
    terms: ["error report"]
  },
  "code search": {
    scenarios: ["scenarios/searchCode.slow.test.ts"],
    docs: { "searching.md": "search_code", "performance.md": "bench/search-code.ts" },
    help: ["codeSearch"],
    changelog: "**Code search**",
    terms: ["code search"],
    names: ["semantic search"]
  },
  "knowledge, registry and sealed keys": {
    scenarios: ["scenarios/knowledge.slow.test.ts", "scenarios/todoList.slow.test.ts", "scenarios/mcpSearch.test.ts", "scenarios/sealedKeys.test.ts"],
    docs: { "terminal.md": "/deepplan", "mcp.md": "dacapo mcp search", "models.md": "DACAPO_PASSPHRASE" },
    help: ["dacapo mcp search", "/compact", "/memory", "/newrule", "/todo", "/deepplan", "sessions favourite"],
    changelog: "keys encrypted with a passphrase",
    terms: ["memory bank", "deep plan", "favourite", "todo"],
    names: ["deep planning", "MCP marketplace"]
  }
}

const read = (file: string): string => readFileSync(file, "utf8")
const glossary = read("docs/glossary.md")
const changelog = read("CHANGELOG.md").replace(/\s+/g, " ")
const help = ["test/cli/screens/help.txt", "src/cli/args/commandFlags.ts", "src/cli/Commands.ts"].map(read).join("\n") +
  read("src/cli/render/terminal/SlashList.ts").replace(/\bname: "/g, "/")
const otherNames = glossary.slice(glossary.indexOf("## Terms of Cline"), glossary.indexOf("## Inside the code"))

describe("each feature", () => {
  it.each(Object.entries(features))("%s has scenarios, docs, help, a line in the changelog and terms in the glossary", (_, feature) => {
    for (const file of feature.scenarios) {
      expect(existsSync(`test/${file}`), file).toBe(true)
      const text = read(`test/${file}`)
      // A scene replays every session of its folder when the test is over.
      expect(text, `${file} starts the command line`).toMatch(/\bProcess\.(?:run|start)\(|\bTmux\.open\(/)
      if (!file.endsWith("mcpSearch.test.ts")) expect(text, `${file} replays`).toMatch(/Process\.scene\(|Replayed\.|"--verify"/)
    }
    for (const [page, text] of Object.entries(feature.docs)) expect(read(`docs/${page}`), page).toContain(text)
    for (const text of feature.help ?? []) expect(help).toContain(text)
    expect(changelog).toContain(feature.changelog)
    for (const name of feature.names ?? []) expect(otherNames).toContain(name)
    for (const term of feature.terms) expect(glossary, term).toMatch(new RegExp(`^\\| ${term} \\| .+ \\|$`, "m"))
  })
})
