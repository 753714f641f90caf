/** The memory bank: a folder of Markdown in which a project's knowledge outlives its sessions. */

export const folder = "memory-bank"

/** The limit for all files together in a prompt, in bytes. */
export const limit = 24 * 1024

/** The core files, in the order in which they build on each other, each with its purpose. */
export const coreFiles: ReadonlyArray<{ readonly name: string; readonly description: string; readonly parts: ReadonlyArray<string> }> = [
  {
    name: "projectbrief.md",
    description: "What this project sets out to do: its scope and goals. Everything else follows from it.",
    parts: ["Goal", "Scope", "Out of scope"]
  },
  {
    name: "productContext.md",
    description: "Why it exists, who it is for, and how it should feel to use.",
    parts: ["Problem", "Users", "How it should work"]
  },
  {
    name: "systemPatterns.md",
    description: "How it is built: structure, patterns, decisions that still apply.",
    parts: ["Structure", "Patterns", "Decisions"]
  },
  {
    name: "techContext.md",
    description: "What it is built with: languages, tools, and how to set up, test and run it.",
    parts: ["Stack", "Commands", "Constraints"]
  },
  {
    name: "activeContext.md",
    description: "What is being worked on now, recent decisions, and next steps.",
    parts: ["Now", "Recent decisions", "Next"]
  },
  { name: "progress.md", description: "What works, what is left to do, and known problems.", parts: ["Works", "Left", "Known problems"] }
]

/** A core file before anyone has written to it. */
export const template = ({ description, name, parts }: (typeof coreFiles)[number]): string =>
  [`# ${name.replace(/\.md$/, "")}`, "", `> ${description}`, "", ...parts.flatMap((part) => [`## ${part}`, "", "(nothing yet)", ""])].join(
    "\n"
  )

/** Core files first, in order, then the others by name. */
export const sortFiles = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rank = (name: string): number => {
    const at = coreFiles.findIndex((one) => one.name === name)
    return at === -1 ? coreFiles.length : at
  }
  return names.filter((name) => name.endsWith(".md")).toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/** Files within the limit: each one that exceeds it is cut at the end, with a note. */
export const truncateFiles = (
  files: ReadonlyArray<{ readonly path: string; readonly text: string }>,
  maxCharacters = limit
): typeof files => {
  const maxPerFile = Math.floor(maxCharacters / Math.max(1, files.length))
  const spareCharacters = files.reduce((sum, { text }) => sum + Math.max(0, maxPerFile - text.length), 0)
  return files.map(({ path, text }) =>
    text.length <= maxPerFile + spareCharacters ? { path, text }
      : { path, text: `${text.slice(0, maxPerFile)}\n[${text.length - maxPerFile} characters were cut: use read_file to read them.]` }
  )
}
