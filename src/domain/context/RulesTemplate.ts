/** A first draft of a project's rules, from what its own files reveal: the commands that build, check and test it. */

/** The rules file. */
export const name = "AGENTS.md"

type CommandReader = (text: string) => ReadonlyArray<string>

/** The scripts of a package, the important ones first; commands that only start something are left out. */
const scripts: CommandReader = (text) => {
  try {
    const { scripts = {} } = JSON.parse(text) as { readonly scripts?: Readonly<Record<string, unknown>> }
    return ["build", "check", "typecheck", "lint", "format", "test"].filter((script) => script in scripts).map((script) =>
      script === "test" ? "npm test" : `npm run ${script}`
    )
  } catch {
    return []
  }
}

const targets: CommandReader = (text) => [...text.matchAll(/^(build|check|lint|test)\s*:(?!=)/gm)].map(([, target]) => `make ${target}`)

/** Files in a project's root that name commands, and how they are read. */
const readers: Readonly<Record<string, CommandReader>> = {
  "package.json": scripts,
  "Makefile": targets,
  "Cargo.toml": () => ["cargo build", "cargo clippy", "cargo test"],
  "go.mod": () => ["go build ./...", "go vet ./...", "go test ./..."],
  "pyproject.toml": (text) => text.includes("pytest") ? ["pytest"] : []
}

export const sources: ReadonlyArray<string> = Object.keys(readers)

/** The text of a new file; `files` are the `sources` that exist. */
export const rulesTemplate = (files: ReadonlyMap<string, string>): string => {
  const commands = [...files].flatMap(([name, text]) => readers[name]?.(text) ?? [])
  return [
    "# Project rules",
    "",
    "What an agent needs to know to work here and could not see from the code. Keep lines short; delete what no longer applies.",
    "",
    "## Commands",
    "",
    ...(commands.length === 0 ? ["- Build, check and test: "] : commands.map((command) => `- \`${command}\``)),
    "",
    "## Ways",
    "",
    "- Where things belong: ",
    "- Do not touch: ",
    ""
  ].join("\n")
}
