/**
 * Generates docs/api from the exports of the package: one page per entry point, with the docstrings and types that the
 * compiler wrote into dist (`npm run build`). With `--check` it writes nothing and fails if a page is out of date.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const entries = [
  { name: "dacapo", page: "dacapo.md", file: "index.ts" },
  { name: "dacapo/ai", page: "ai.md", file: "ai.ts" },
  { name: "dacapo/domain", page: "domain.md", file: "domain/index.ts" },
  { name: "dacapo/testing", page: "testing.md", file: "testing.ts" }
]

/** From this number of lines on, a type is shown without its inner parts; those of large schemas have thousands of lines. */
const maxTypeLines = 40

const read = (path) => readFileSync(join(root, path), "utf8")

/** The text of a comment without its delimiters. */
const commentText = (comment) => comment.replace(/^\/\*\*\s?|\s*\*\/$/g, "").split("\n").map((line) => line.replace(/^\s*\* ?/, "")).join("\n").trim()

/** The comment at the start of a source file, which describes the module. */
const header = (path) => commentText(/^\/\*\*[^]*?\*\//.exec(read(`src/${path}`))?.[0] ?? "")

/** The declarations in a file of the compiler: each starts in the first column, after its docstring. */
const declarations = (path) => {
  const byName = new Map()
  let doc = ""
  let current = []
  const finish = () => {
    const text = current.join("\n")
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type|namespace) ([\w$]+)/.exec(text)?.[1]
    if (name !== undefined) {
      const previous = byName.get(name)
      // A type and a value may share a name: the docstring of either describes both.
      byName.set(name, { doc: previous?.doc || doc, text: previous === undefined ? text : `${previous.text}\n${text}` })
      doc = ""
    }
    current = []
  }
  const lines = read(`dist/${path.replace(/\.ts$/, ".d.ts")}`).split("\n")
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    if (line.startsWith("/**")) {
      finish()
      const comment = [line]
      while (!comment.at(-1).trimEnd().endsWith("*/")) comment.push(lines[++i])
      doc = commentText(comment.join("\n"))
    } else if (/^(export|declare|import)\b/.test(line)) {
      finish()
      current = line.startsWith("import") ? [] : [line]
    } else if (current.length > 0) current.push(line)
  }
  finish()
  return byName
}

/** The type of a declaration; for a class, with its generated base. */
const signature = (name, declared) => {
  const { text } = declared.get(name)
  const baseClass = declared.get(`${name}_base`)?.text.replace(`declare const ${name}_base: `, `class ${name} extends `)
  const lines = (baseClass ?? text).replace(/^export (declare )?/gm, "").trimEnd().split("\n").filter((line) => line !== "export {};")
  const named = lines.map((line) => line.replace(/\bimport\("[^"]+"\)\./g, ""))
  const depth = [5, 4, 3, 2].find((depth) => outline(named, depth).length <= maxTypeLines) ?? 1
  return named.length <= maxTypeLines ? named : outline(named, depth)
}

/** What is nested deeper is shown if it fits in this many characters. */
const maxInnerLength = 160

/** A type without what is nested deeper than this: `{ … }`. A comment is as deep as its first line. */
const outline = (lines, depth) => {
  const result = []
  let cut = []
  for (const line of lines) {
    if (Math.floor(/^ */.exec(line)[0].length / 4) > depth) cut.push(line.trim())
    else if (cut.length > 0) {
      const inner = cut.join(" ").replace(/;$/, "")
      // The cases of a union stay short, and comments on one line are hard to read.
      const isShown = inner.length <= maxInnerLength && !/_tag|\*\//.test(inner)
      result.push(`${result.pop()} ${isShown ? inner : "…"} ${line.trim()}`)
      cut = []
    } else result.push(line)
  }
  return result.map((line) => line.replace(/\{ … \}(?: \| \{ … \}){3,}/g, "{ … } | …"))
}

const block = (lines) => ["```typescript", ...lines, "```"].join("\n")

/** The docstring of a declaration; the main one of a file may be described by the comment at its start. */
const doc = (name, declared, path) => declared.get(name).doc || (basename(path, ".ts") === name ? header(path) : "")

const entryText = (title, name, declared, path) => {
  const text = doc(name, declared, path)
  if (text === "") undocumented.push(`${name} of src/${path}`)
  return [title, text, block(signature(name, declared))].join("\n\n")
}

/** Exports without a docstring. */
const undocumented = []

/** `export * as Name from "./file.ts"` is a section with one part per export; a single name is a section of its own. */
const sections = ({ file }) => {
  const base = dirname(file) === "." ? "" : `${dirname(file)}/`
  return [...read(`src/${file}`).matchAll(/^export (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from "\.\/([^"]+)"/gm)].flatMap(([, space, names = "", from]) => {
    const path = `${base}${from}`
    const declared = declarations(path)
    if (space === undefined) {
      return names.split(",").map((name) => /^(?:type )?(\w+)(?: as (\w+))?$/.exec(name.trim())).map(([, inner, outer = inner]) => {
        if (!declared.has(inner)) throw new Error(`${path} declares no ${inner}`)
        return { title: outer, text: entryText(`## ${outer}`, inner, declared, path) }
      })
    }
    const exports = [...declared].filter(([, { text }]) => text.startsWith("export"))
    return [{ title: space, text: [`## ${space}`, header(path), ...exports.map(([name]) => entryText(`### ${space}.${name}`, name, declared, path))].join("\n\n") }]
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
if (undocumented.length > 0) throw new Error(`These exports have no docstring: ${[...new Set(undocumented)].join(", ")}.`)
if (process.argv.includes("--check")) {
  const stale = pages.filter(([name, text]) => !existsSync(join(folder, name)) || readFileSync(join(folder, name), "utf8") !== text).map(([name]) => name)
  const obsolete = readdirSync(folder).filter((name) => !pages.some(([page]) => page === name))
  if (stale.length + obsolete.length > 0) {
    console.error(`docs/api is out of date (${[...stale, ...obsolete].join(", ")}): run \`npm run docs\`.`)
    process.exitCode = 1
  }
} else {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of pages) writeFileSync(join(folder, name), text)
}
