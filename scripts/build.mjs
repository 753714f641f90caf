/**
 * Builds dist: the command, bundled with its dependencies; and the library with its types. Programs that use the library supply
 * `effect`, because their layers and ours must share one instance. With `--if-changed` it does nothing if it would build the same again.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync } from "node:zlib"
import { transform } from "esbuild"
import { build as rolldown } from "rolldown"
import { digest, isBuilt, remember } from "./inputs.mjs"
import { lazyBuiltins, pureValues, sharedFiles } from "./library.mjs"

process.chdir(join(dirname(fileURLToPath(import.meta.url)), ".."))
if (process.argv.includes("--if-changed") && isBuilt()) process.exit()

/**
 * Separate ES modules: the terminal's drawing, because ink uses top-level await, which a script can't; and the threads for
 * documents, expressions and grammars.
 */
const threads = { document: "src/layers/documents/worker.ts", grammar: "src/layers/definitions/grammarWorker.ts", pattern: "src/layers/workspace/patternWorker.ts" }
const separateModules = { drawing: "src/cli/render/terminal/InkTerminal.ts", ...threads }
/** The library: its entries, and each module of the domain and of the services by itself, so that a program loads only what it names. */
const modules = globSync(["src/domain/**/*.ts", "src/services/**/*.ts"]).map((file) => [file.slice("src/".length, -".ts".length), file])
const library = { index: "src/index.ts", ai: "src/ai.ts", composition: "src/layers/Composition.ts", testing: "src/testing.ts", ...threads, ...Object.fromEntries(modules) }

/** Optional dependencies, imported at run time if they are installed. */
const optional = ["@napi-rs/keyring", "@vscode/ripgrep", "playwright-core", "react-devtools-core", "sharp"]

/** The catalogue as text to be parsed: that takes 5 ms of processor time, the same data as code 12 ms. */
const catalogue = {
  filter: /domain\/provider\/catalogue\.json$/,
  code: (path) => `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(readFileSync(path, "utf8"))))})`
}

/**
 * Modules that are loaded together share a file with everything that they import, because each file costs a look-up, a
 * read and a compilation. What several groups import goes into the first of them.
 */
const bundleGroups = [
  { name: "command", of: ["src/cli/main.ts"] },
  { name: "records", of: ["src/layers/Records.ts", "src/layers/storage/Compression.ts", "src/domain/secret/Redactor.ts"] },
  { name: "task", of: ["src/cli/commands/Run.ts", "src/cli/headless/Headless.ts", "src/layers/Live.ts"] },
  { name: "terminal", of: ["src/cli/terminal/Interactive.ts"] }
]
const groups = bundleGroups.map(({ name, of }, i) => {
  const files = of.map((file) => join(process.cwd(), file))
  return { name, test: (file) => files.includes(file), priority: bundleGroups.length - i }
})

/** A plugin that changes the text of generated files. */
const rewrite = (name, change) => ({ name, generateBundle: (_, files) => Object.values(files).forEach((file) => void (file.code = change(file.code))) })

/** V8 keeps the source of a script in memory, and ASCII text takes one byte per character there. */
const ascii = rewrite("ascii", (code) => code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`))

/** Dynamic imports of a script go through its loader (bin/warm.cjs): Node warns that its own support is experimental. */
const imports = rewrite("imports", (code) => code.replace(/\bimport(?=\(`)/g, "imports"))

/**
 * The SDKs build header fields with `Headers`, whose first use makes Node load its HTTP client, which model requests don't need
 * (src/layers/provider/transport/HttpFetch.ts). They also ask whether a body is a form; none is.
 */
const sdkHeaders = {
  name: "sdk-headers",
  transform: {
    filter: { id: /\/node_modules\/(?:@anthropic-ai\/sdk|openai)\//, code: /\b(?:Headers|FormData)\b/ },
    handler: (code) => ({
      code: `import { HeaderFields as Headers } from ${JSON.stringify(join(process.cwd(), "src/layers/provider/transport/HeaderFields.ts"))}\n`
        + code.replaceAll("body instanceof FormData", "false")
    })
  }
}

/**
 * The packages that wrap lines prepare Unicode's rules as they are loaded, which takes 11 to 14 ms, though most runs print nothing
 * that is wrapped or not ASCII: each constant becomes a function that makes it at its first use.
 */
const unicodeOnUse = {
  name: "unicode-on-use",
  transform: {
    filter: { id: /\/node_modules\/(?:string-width|wrap-ansi)\/index\.js$/ },
    handler: (code, id) => {
      const constants = [...code.matchAll(/^const (\w+) = (new Intl\.Segmenter\(\)|\/.*\\p\{.*\/v);$/gm)]
      if (constants.length === 0) throw new Error(`${id} prepares no rules of Unicode any more: remove unicodeOnUse for it.`)
      return {
        code: constants.reduce((text, [declaration, name, value]) =>
          text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}()`)
            .replace(declaration.replace(name, `${name}()`), () => `let ${name}Made; const ${name} = () => ${name}Made ??= ${value};`), code)
      }
    }
  }
}

/** What only some settings, variables of the environment or files ask for. */
const optionalParts = /\/(?:CodeSearchLive|Documents|TelemetryLive|WebSearchLive)\.ts$/

/**
 * The command builds every other default layer and connects a route, so it imports them at once: what is imported on use, and the
 * file that holds it, would be wrapped in a function each.
 */
const eagerParts = {
  name: "eager-parts",
  transform: {
    filter: { id: /\/src\/layers\/(?:Core|Live|Records|control\/Controller|provider\/(?:wires|CustomRoutes|routes\/\w+)|tool\/(?:Browser|ReadFile|command\/\w+))\.ts$/ },
    handler: (code) => {
      const paths = [...code.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, path]) => path).filter((path) => !optionalParts.test(path))
      const imports = paths.map((path, i) => `import * as part${i} from "${path}"\n`).join("")
      return { code: paths.reduce((text, path, i) => text.replace(`import("${path}")`, `Promise.resolve(part${i})`), imports + code) }
    }
  }
}

/**
 * The command as scripts, whose compiled code can be cached (bin/warm.cjs). The separate modules share no file with it,
 * because loading a file of the command would run the command.
 */
const buildCommand = (dir) => Promise.all([
  bundle({
    input: { main: "src/cli/main.ts" },
    external: isDrawing,
    plugins: [eagerParts, sdkHeaders, unicodeOnUse, ascii, imports],
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
  ...Object.entries(separateModules).map(([name, file]) =>
    bundle({ input: { [name]: file }, plugins: [unicodeOnUse, ascii], output: { ...small, dir, format: "esm", entryFileNames: "[name].js", chunkFileNames: `chunks/${name}-[name]-[hash].js` } })
  )
])

const isDrawing = (id) => id.endsWith("/terminal/InkTerminal.ts")

/** Names are preserved, so that the stack in a bug report can be read; everything else is minified to parse faster. */
const bundle = ({ input, external = () => false, plugins = [], ...options }) =>
  rolldown({
    input,
    external: (id) => optional.includes(id) || external(id),
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    transform: { target: "node22.19", define: { "import.meta.env": "undefined", "process.env.NODE_ENV": '"production"' } },
    plugins: [{ name: "catalogue", load: (path) => catalogue.filter.test(path) ? { code: catalogue.code(path), moduleType: "js" } : undefined }, ...plugins],
    checks: { eval: false, ineffectiveDynamicImport: false },
    ...options,
    output: { comments: { legal: false }, ...options.output }
  })

const small = { minify: { mangle: false, compress: true, codegen: true } }

/**
 * Bundled CommonJS packages `require` Node's own modules, which an ES module can't. They become imports, and not rolldown's
 * `createRequire`, because the domain's files must load in a browser.
 */
const builtin = "\0builtin:"
const requireOfBuiltins = {
  name: "require-of-builtins",
  resolveId: (id, _, { kind }) => kind === "require-call" && isBuiltin(id) ? `${builtin}${id.replace(/^(node:)?/, "node:")}` : undefined,
  load: (id) => id.startsWith(builtin) ? { code: `import builtin from "${id.slice(builtin.length)}"; module.exports = builtin`, moduleType: "js" } : undefined
}

/** Our modules and Effect's do nothing when they are loaded: an import of nothing only keeps their order, and bundlers warn of it. */
const withoutOrder = rewrite("without-order", (code) => code.replace(/^import "(?:\.|effect\/)[^"]*";\n/gm, ""))

/** What rolldown writes for an import of a CommonJS package, marked like `pureValues`. */
const pureRequires = rewrite("pure-requires", (code) => code.replace(/(?<=__toESM\()(?=require_)/g, "/* @__PURE__ */ "))

const buildLibrary = (dir) =>
  bundle({
    input: library,
    external: (id) => /^(effect|@effect\/vitest|vitest)(\/|$)/.test(id) || isBuiltin(id),
    platform: "neutral",
    resolve: { mainFields: ["module", "main"], conditionNames: ["node", "import"] },
    plugins: [requireOfBuiltins, pureValues, pureRequires, ascii, withoutOrder, lazyBuiltins],
    output: {
      dir,
      format: "esm",
      comments: { legal: false, jsdoc: false },
      codeSplitting: { groups: sharedFiles(join(process.cwd(), library.index)) },
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js"
    }
  })

const buildTypes = (outdir) =>
  new Promise((resolve, reject) => {
    spawn(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", outdir], { stdio: "inherit" })
      .on("error", reject)
      .on("exit", (code) => code === 0 ? resolve() : reject(new Error(`tsc ended with ${code}`)))
  })

/** Grammars are files, each loaded when it is first needed: those of the supported languages, and tree-sitter itself. */
const copyGrammars = async (outdir) => {
  const { languages } = await import("../src/domain/definitions/Languages.ts")
  mkdirSync(outdir, { recursive: true })
  copyFileSync("node_modules/web-tree-sitter/web-tree-sitter.wasm", join(outdir, "web-tree-sitter.wasm"))
  for (const { grammar } of languages) {
    const file = `tree-sitter-${grammar}.wasm`
    const officialFile = `node_modules/@tree-sitter-grammars/tree-sitter-${grammar}/${file}`
    copyFileSync(existsSync(officialFile) ? officialFile : `node_modules/@repomix/tree-sitter-wasms/out/${file}`, join(outdir, file))
  }
}

/** The schemas that the package publishes, as files. */
const writeSchemas = async (outdir) => {
  const { jsonSchemas } = await import("../src/cli/render/json/StreamJsonSchema.ts")
  mkdirSync(outdir, { recursive: true })
  for (const [name, schema] of Object.entries(jsonSchemas())) writeFileSync(join(outdir, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`)
}

/** The text of `dacapo --help`, so that the launcher can print it without loading the command. */
const writeHelp = async (file) => {
  const { overview } = await import("../src/cli/args/HelpText.ts")
  const { list } = await import("../src/cli/Commands.ts")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, overview(list))
}

/** The manual page, which npm links where `man` finds it. */
const writeManPage = async (file) => {
  const { page } = await import("../src/cli/args/ManPage.ts")
  const { list } = await import("../src/cli/Commands.ts")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, page(list, JSON.parse(readFileSync("package.json", "utf8")).version))
}

/**
 * The page of `dacapo serve`, for browsers: scripts by what is loaded together, a style sheet, and each file compressed as well. Names
 * contain a hash of the content, so that browsers may keep them.
 */
const buildPage = async (outdir) => {
  const { output } = await rolldown({
    input: { page: "src/web/main.tsx" },
    platform: "browser",
    transform: { target: "es2023", define: { "process.env.NODE_ENV": '"production"' } },
    tsconfig: "src/web/tsconfig.json",
    output: { dir: outdir, format: "esm", minify: true, entryFileNames: "[name]-[hash].js", chunkFileNames: "[name]-[hash].js", comments: { legal: false } }
  })
  const { code: style } = await transform(readFileSync("src/web/page.css", "utf8"), { loader: "css", minify: true })
  const styleName = `page-${createHash("sha256").update(style).digest("hex").slice(0, 8)}.css`
  const entry = output.find(({ isEntry }) => isEntry)
  // What the entry loads after the first paint is fetched at once, too.
  const start = output.find(({ facadeModuleId }) => facadeModuleId?.endsWith("/src/web/start.tsx"))
  const early = new Set([entry.fileName, start.fileName])
  for (const name of early) for (const imported of output.find(({ fileName }) => fileName === name).imports) early.add(imported)
  const preloads = [...early].slice(1).map((name) => `<link rel="modulepreload" href="/${name}">\n`).join("")
  const files = {
    ...Object.fromEntries(output.map(({ code, fileName }) => [fileName, code])),
    [styleName]: style,
    "icon.svg": readFileSync("src/web/icon.svg", "utf8"),
    "index.html": readFileSync("src/web/index.html", "utf8").replace("/page.css", `/${styleName}`).replace("/page.js", `/${entry.fileName}`).replace("</head>", `${preloads}</head>`)
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(outdir, name), text)
    writeFileSync(join(outdir, `${name}.br`), brotliCompressSync(text))
  }
}

const inputs = digest()

/** Built in a temporary folder and then moved into place, so that a process that runs from dist never sees a mixture. */
const staging = `node_modules/.cache/dist-${process.pid}`
await Promise.all([buildCommand(`${staging}/cli`), buildLibrary(staging), buildTypes(staging), buildPage(`${staging}/page`), copyGrammars(`${staging}/grammars`), writeSchemas(`${staging}/schemas`), writeHelp(`${staging}/help.txt`), writeManPage(`${staging}/man/dacapo.1`)])
if (existsSync("dist")) renameSync("dist", `${staging}.old`)
renameSync(staging, "dist")
rmSync(`${staging}.old`, { recursive: true, force: true })
remember(inputs)
