/**
 * Builds dist: the command, bundled with all it needs; and the library with its types, for which the embedder brings
 * `effect` (a layer of theirs must be of the same instance as ours).
 */
import { spawn } from "node:child_process"
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build as rolldown } from "rolldown"

process.chdir(join(dirname(fileURLToPath(import.meta.url)), ".."))

/** Modules of their own: what draws on a terminal, for ink waits while it loads, which no script can; and threads, for documents, expressions and grammars. */
const threads = { document: "src/layers/documents/worker.ts", grammar: "src/layers/definitions/grammarWorker.ts", pattern: "src/layers/workspace/patternWorker.ts" }
const apart = { drawing: "src/cli/render/terminal/InkTerminal.ts", ...threads }
/** The library: its entries, and each module of the domain and of the services by itself, so that a program loads only what it names. */
const modules = globSync(["src/domain/**/*.ts", "src/services/*.ts"]).map((file) => [file.slice("src/".length, -".ts".length), file])
const library = { index: "src/index.ts", testing: "src/testing.ts", ...threads, ...Object.fromEntries(modules) }

/** Found at run time where they are installed, done without where they are not. */
const optional = ["@napi-rs/keyring", "@vscode/ripgrep", "playwright-core", "react-devtools-core", "sharp"]

/** The catalogue as text that is parsed: a third of the time that the same data takes as code (12 ms of processor against 5). */
const catalogue = {
  filter: /domain\/provider\/catalogue\.json$/,
  code: (path) => `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(readFileSync(path, "utf8"))))})`
}

/**
 * What is loaded together stands in one file, with all that it imports, for each file costs a look-up, a read and a
 * compilation of its own; what several of these import is in the first of them.
 */
const together = [
  { name: "command", of: ["src/cli/main.ts"] },
  { name: "records", of: ["src/layers/Records.ts", "src/layers/storage/Compression.ts", "src/domain/secret/Redactor.ts"] },
  { name: "task", of: ["src/cli/commands/Run.ts", "src/cli/headless/Headless.ts", "src/layers/Live.ts"] }
]
const groups = together.map(({ name, of }, i) => {
  const files = of.map((file) => join(process.cwd(), file))
  return { name, test: (file) => files.includes(file), priority: together.length - i }
})

/** Changes what was made, as text. */
const rewritten = (name, change) => ({ name, generateBundle: (_, files) => Object.values(files).forEach((file) => void (file.code = change(file.code))) })

/** Text that is ASCII takes a byte a character in memory, and the whole source of a script stays there. */
const ascii = rewritten("ascii", (code) => code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`))

/** A script that imports asks its loader: V8 would ask Node for it, which warns that its answer is an experiment. */
const imports = rewritten("imports", (code) => code.replace(/\bimport(?=\(`)/g, "imports"))

/**
 * The command as scripts, whose compiled code can be kept (bin/warm.cjs). What stands apart shares no file with it, for whoever
 * loads a file of the command runs that.
 */
const buildCommand = (dir) => Promise.all([
  bundle({
    input: { main: "src/cli/main.ts" },
    external: isDrawing,
    plugins: [ascii, imports],
    output: {
      ...small,
      dir,
      format: "cjs",
      strict: true,
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
      codeSplitting: { groups },
      paths: (id) => isDrawing(id) ? "./drawing.js" : id
    }
  }),
  ...Object.entries(apart).map(([name, file]) =>
    bundle({ input: { [name]: file }, plugins: [ascii], output: { ...small, dir, format: "esm", entryFileNames: "[name].js", chunkFileNames: `chunks/${name}-[name]-[hash].js` } })
  )
])

const isDrawing = (id) => id.endsWith("/terminal/InkTerminal.ts")

/** Names stay, so that a stack in a bug report can be read; the rest is what makes a file small and quick to parse. */
const bundle = ({ input, external = () => false, plugins = [], ...options }) =>
  rolldown({
    input,
    external: (id) => optional.includes(id) || external(id),
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    transform: { target: "node22.19", define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [{ name: "catalogue", load: (path) => catalogue.filter.test(path) ? { code: catalogue.code(path), moduleType: "js" } : undefined }, ...plugins],
    checks: { eval: false, ineffectiveDynamicImport: false },
    ...options,
    output: { comments: { legal: false }, ...options.output }
  })

const small = { minify: { mangle: false, compress: true, codegen: true } }

/**
 * Bundled CommonJS packages ask for Node's own modules by `require`, which an ES module has not. An import instead of
 * rolldown's `createRequire`, because the domain's files must load in a browser.
 */
const builtin = "\0builtin:"
const requireOfBuiltins = {
  name: "require-of-builtins",
  resolveId: (id, _, { kind }) => kind === "require-call" && isBuiltin(id) ? `${builtin}${id.replace(/^(node:)?/, "node:")}` : undefined,
  load: (id) => id.startsWith(builtin) ? { code: `import builtin from "${id.slice(builtin.length)}"; module.exports = builtin`, moduleType: "js" } : undefined
}

/** Our modules and Effect's do nothing when they are loaded: an import of nothing only keeps their order, and bundlers warn of it. */
const withoutOrder = rewritten("without-order", (code) => code.replace(/^import "(?:\.|effect\/)[^"]*";\n/gm, ""))

const buildLibrary = (dir) =>
  bundle({
    input: library,
    external: (id) => /^(effect|@effect\/vitest|vitest)(\/|$)/.test(id) || isBuiltin(id),
    platform: "neutral",
    resolve: { mainFields: ["module", "main"], conditionNames: ["node", "import"] },
    plugins: [requireOfBuiltins, withoutOrder],
    output: { dir, format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" }
  })

const buildTypes = (outdir) =>
  new Promise((resolve, reject) => {
    spawn(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", outdir], { stdio: "inherit" })
      .on("error", reject)
      .on("exit", (code) => code === 0 ? resolve() : reject(new Error(`tsc ended with ${code}`)))
  })

/** Grammars are loaded as files, each when it is first needed; those of the languages that are listed, and tree-sitter itself. */
const copyGrammars = async (outdir) => {
  const { languages } = await import("../src/domain/definitions/Languages.ts")
  mkdirSync(outdir, { recursive: true })
  copyFileSync("node_modules/web-tree-sitter/web-tree-sitter.wasm", join(outdir, "web-tree-sitter.wasm"))
  for (const { grammar } of languages) {
    const file = `tree-sitter-${grammar}.wasm`
    const own = `node_modules/@tree-sitter-grammars/tree-sitter-${grammar}/${file}`
    copyFileSync(existsSync(own) ? own : `node_modules/@repomix/tree-sitter-wasms/out/${file}`, join(outdir, file))
  }
}

/** The schemas that the package publishes, as files. */
const writeSchemas = async (outdir) => {
  const { jsonSchemas } = await import("../src/cli/render/json/StreamJsonSchema.ts")
  mkdirSync(outdir, { recursive: true })
  for (const [name, schema] of Object.entries(jsonSchemas())) writeFileSync(join(outdir, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`)
}

/** What `dacapo --help` shows, for the launcher, which has nothing else to load then. */
const writeHelp = async (file) => {
  const { overview } = await import("../src/cli/args/HelpText.ts")
  const { list } = await import("../src/cli/Commands.ts")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, overview(list))
}

/** Built aside and then put in place, so that what runs from dist meanwhile finds all of the old or all of the new. */
const aside = `node_modules/.cache/dist-${process.pid}`
await Promise.all([buildCommand(`${aside}/cli`), buildLibrary(aside), buildTypes(aside), copyGrammars(`${aside}/grammars`), writeSchemas(`${aside}/schemas`), writeHelp(`${aside}/help.txt`)])
if (existsSync("dist")) renameSync("dist", `${aside}.old`)
renameSync(aside, "dist")
rmSync(`${aside}.old`, { recursive: true, force: true })
