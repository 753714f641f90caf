/** The memory bank: a folder of Markdown in which a project's knowledge outlives its sessions. */

export const folder = "memory-bank"

/** Bytes that all files together may take in a prompt. */
export const limit = 24 * 1024

/** The core files in the order in which they build on each other, with what each is for. */
export const core: ReadonlyArray<{ readonly name: string; readonly about: string; readonly parts: ReadonlyArray<string> }> = [
  { name: "projectbrief.md", about: "What this project is to be: its scope and its goals. Everything else follows from it.", parts: ["Goal", "Scope", "Not in scope"] },
  { name: "productContext.md", about: "Why it exists, for whom, and how it should feel to use.", parts: ["Problem", "Users", "How it should work"] },
  { name: "systemPatterns.md", about: "How it is built: structure, patterns, decisions that hold.", parts: ["Structure", "Patterns", "Decisions"] },
  { name: "techContext.md", about: "With what it is built: languages, tools, how to set up, test and run it.", parts: ["Stack", "Commands", "Constraints"] },
  { name: "activeContext.md", about: "What is being worked on now, what was decided lately, what comes next.", parts: ["Now", "Recent decisions", "Next"] },
  { name: "progress.md", about: "What works, what is left, what is known to be wrong.", parts: ["Works", "Left", "Known problems"] }
]

/** A core file before anyone has written in it. */
export const template = ({ about, name, parts }: (typeof core)[number]): string =>
  [`# ${name.replace(/\.md$/, "")}`, "", `> ${about}`, "", ...parts.flatMap((part) => [`## ${part}`, "", "(nothing yet)", ""])].join("\n")

/** Core files first, in their order, then the others by name. */
export const order = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const place = (name: string): number => {
    const at = core.findIndex((one) => one.name === name)
    return at === -1 ? core.length : at
  }
  return names.filter((name) => name.endsWith(".md")).toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
}

/** Files within their limit: what is over it is cut at the end of each, and said. */
export const fit = (files: ReadonlyArray<{ readonly path: string; readonly text: string }>, most = limit): typeof files => {
  const each = Math.floor(most / Math.max(1, files.length))
  const spare = files.reduce((sum, { text }) => sum + Math.max(0, each - text.length), 0)
  return files.map(({ path, text }) =>
    text.length <= each + spare ? { path, text } : { path, text: `${text.slice(0, each)}\n[${text.length - each} characters are cut: read it with read_file.]` })
}
