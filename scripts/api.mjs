/**
 * Writes docs/api from what the package exports: for each entry a page, with the docstrings and types that the compiler
 * wrote into dist (`npm run build`). With `--check` it writes nothing and fails where a page is not current.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const entries = [
  { name: "dacapo", page: "dacapo.md", file: "index.ts" },
  { name: "dacapo/domain", page: "domain.md", file: "domain/index.ts" },
  { name: "dacapo/testing", page: "testing.md", file: "testing.ts" }
]

/** Lines of a type that a page shows; the types of large schemas go on for thousands. */
const most = 40

const read = (path) => readFileSync(join(root, path), "utf8")

/** The text of a comment without its frame. */
const words = (comment) => comment.replace(/^\/\*\*\s?|\s*\*\/$/g, "").split("\n").map((line) => line.replace(/^\s*\* ?/, "")).join("\n").trim()

/** The comment that a file of the source begins with says what the module is for. */
const header = (path) => words(/^\/\*\*[^]*?\*\//.exec(read(`src/${path}`))?.[0] ?? "")

/** Declarations of a file that the compiler wrote: each begins at the margin, with its docstring before it. */
const declarations = (path) => {
  const found = new Map()
  let doc = ""
  let held = []
  const keep = () => {
    const text = held.join("\n")
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type|namespace) ([\w$]+)/.exec(text)?.[1]
    if (name !== undefined) {
      const before = found.get(name)
      // A type may have the name of a value: what is said of either is said of both.
      found.set(name, { doc: before?.doc || doc, text: before === undefined ? text : `${before.text}\n${text}` })
      doc = ""
    }
    held = []
  }
  const lines = read(`dist/${path.replace(/\.ts$/, ".d.ts")}`).split("\n")
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    if (line.startsWith("/**")) {
      keep()
      const comment = [line]
      while (!comment.at(-1).trimEnd().endsWith("*/")) comment.push(lines[++i])
      doc = words(comment.join("\n"))
    } else if (/^(export|declare|import)\b/.test(line)) {
      keep()
      held = line.startsWith("import") ? [] : [line]
    } else if (held.length > 0) held.push(line)
  }
  keep()
  return found
}

/** The type of a declaration, and of the class that it is made of. */
const signature = (name, found) => {
  const { text } = found.get(name)
  const made = found.get(`${name}_base`)?.text.replace(`declare const ${name}_base: `, `class ${name} extends `)
  const lines = (made ?? text).replace(/^export (declare )?/gm, "").trimEnd().split("\n").filter((line) => line !== "export {};")
  return lines.length <= most ? lines : [...lines.slice(0, most), `// … ${lines.length - most} more lines: see the type itself`]
}

const block = (lines) => ["```typescript", ...lines, "```"].join("\n")

/** What is said of a declaration; of the one that a file is named for, what the file begins with. */
const doc = (name, found, path) => found.get(name).doc || (basename(path, ".ts") === name ? header(path) : "")

const told = (title, name, found, path) => {
  const said = doc(name, found, path)
  if (said === "") bare.push(`${name} of src/${path}`)
  return [title, said, block(signature(name, found))].join("\n\n")
}

/** Exports that nothing is said of. */
const bare = []

/** `export * as Name from "./file.ts"` is a section with a part for each export; a name by itself is a section. */
const sections = ({ file }) => {
  const base = dirname(file) === "." ? "" : `${dirname(file)}/`
  return [...read(`src/${file}`).matchAll(/^export (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from "\.\/([^"]+)"/gm)].flatMap(([, space, names = "", from]) => {
    const path = `${base}${from}`
    const found = declarations(path)
    if (space === undefined) {
      return names.split(",").map((name) => /^(?:type )?(\w+)(?: as (\w+))?$/.exec(name.trim())).map(([, inner, outer = inner]) => {
        if (!found.has(inner)) throw new Error(`${path} declares no ${inner}`)
        return { title: outer, text: told(`## ${outer}`, inner, found, path) }
      })
    }
    const exported = [...found].filter(([, { text }]) => text.startsWith("export"))
    return [{ title: space, text: [`## ${space}`, header(path), ...exported.map(([name]) => told(`### ${space}.${name}`, name, found, path))].join("\n\n") }]
  }).sort((a, b) => a.title < b.title ? -1 : 1)
}

const page = (entry) => {
  const all = sections(entry)
  return [
    `# ${entry.name}`,
    header(entry.file),
    "Written by `npm run docs` from the docstrings of the source.",
    all.map(({ title }) => `[${title}](#${title.toLowerCase()})`).join(" · "),
    ...all.map(({ text }) => text)
  ].join("\n\n") + "\n"
}

const folder = join(root, "docs", "api")
const pages = entries.map((entry) => [entry.page, page(entry)])
if (bare.length > 0) throw new Error(`These exports have no docstring: ${[...new Set(bare)].join(", ")}.`)
if (process.argv.includes("--check")) {
  const stale = pages.filter(([name, text]) => !existsSync(join(folder, name)) || readFileSync(join(folder, name), "utf8") !== text).map(([name]) => name)
  const gone = readdirSync(folder).filter((name) => !pages.some(([page]) => page === name))
  if (stale.length + gone.length > 0) {
    console.error(`docs/api is not current (${[...stale, ...gone].join(", ")}): run \`npm run docs\`.`)
    process.exitCode = 1
  }
} else {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of pages) writeFileSync(join(folder, name), text)
}
