/** The beginning of a project's rules, as far as its own files tell them: which commands build, check and test it. */

/** The file that rules stand in. */
export const name = "AGENTS.md"

type Reader = (text: string) => ReadonlyArray<string>

/** The scripts of a package, those that matter first; commands that only start something are left out. */
const scripts: Reader = (text) => {
  try {
    const { scripts = {} } = JSON.parse(text) as { readonly scripts?: Readonly<Record<string, unknown>> }
    return ["build", "check", "typecheck", "lint", "format", "test"].filter((script) => script in scripts).map((script) => script === "test" ? "npm test" : `npm run ${script}`)
  } catch {
    return []
  }
}

const targets: Reader = (text) =>
  [...text.matchAll(/^(build|check|lint|test)\s*:(?!=)/gm)].map(([, target]) => `make ${target}`)

/** Files of a project's root that tell commands, and how they are read. */
const readers: Readonly<Record<string, Reader>> = {
  "package.json": scripts,
  "Makefile": targets,
  "Cargo.toml": () => ["cargo build", "cargo clippy", "cargo test"],
  "go.mod": () => ["go build ./...", "go vet ./...", "go test ./..."],
  "pyproject.toml": (text) => text.includes("pytest") ? ["pytest"] : []
}

export const sources: ReadonlyArray<string> = Object.keys(readers)

/** The text of a new file; `files` are those of `sources` that are there. */
export const begin = (files: ReadonlyMap<string, string>): string => {
  const commands = [...files].flatMap(([name, text]) => readers[name]?.(text) ?? [])
  return [
    "# Rules of this project",
    "",
    "What an agent that works here has to know and could not see from the code. Short lines; delete what does not hold.",
    "",
    "## Commands",
    "",
    ...(commands.length === 0 ? ["- How it is built, checked and tested: "] : commands.map((command) => `- \`${command}\``)),
    "",
    "## Ways",
    "",
    "- What belongs where: ",
    "- What must not be touched: ",
    ""
  ].join("\n")
}
