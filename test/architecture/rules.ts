/** The house's rules over a set of source files; each violation is one sentence that names its file. */
import { builtinModules } from "node:module"
import { posix } from "node:path"
import { measure, type Measures } from "./house.ts"
import * as Rooms from "./rooms.ts"
import { scan, type Scanned } from "./scan.ts"
import * as Words from "./words.ts"

/** Sources by path from the repository's root (`src/…`), and what the rules are told beside them. */
export interface House {
  readonly files: ReadonlyMap<string, string>
  /** Which file may touch which part of the outside world, and why. */
  readonly owners: Readonly<Record<string, { readonly owns: ReadonlyArray<string>; readonly why: string }>>
  /** The text of all decisions: a long file must be named in one. */
  readonly decisions: string
  /** Other texts by path: README, CHANGELOG, the pages of docs, benchmarks, and the titles of tests. */
  readonly pages?: ReadonlyMap<string, string>
  /** Scripts and the launcher, by path. */
  readonly scripts?: ReadonlyMap<string, string>
}

interface File extends Scanned {
  readonly path: string
  readonly text: string
}

type Rule = (files: ReadonlyMap<string, File>, house: House, measures: Measures) => ReadonlyArray<string>

/** Effect's modules that hold data and pure functions; `Effect` is for Schema's defaults. */
export const pureEffect = new Set(
  ("Array BigDecimal BigInt Boolean Brand Chunk Data DateTime Duration Effect Equal Equivalence Filter Function Hash HashMap HashSet " +
    "Iterable JsonSchema Match Number Option Order Ordering Predicate Record Result Schema SchemaIssue SchemaTransformation " +
    "String Struct Tuple Types encoding/Base64 encoding/Hex encoding/Toml encoding/Yaml").split(" ")
)

/** Pure libraries that run in a browser; each stands in one folder of the domain, behind words of ours. */
export const pureLibraries = ["diff", "ignore", "image-size", "marked", "picomatch/posix.js", "tokenx", "unbash"]

/** What reaches outside past the services, by what it would make different in a replay. */
export const ambient: Readonly<Record<string, RegExp>> = {
  clock: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\s(.\w]))|\bperformance\s*\.\s*(?:now|timeOrigin)\b|\bhrtime\b/g,
  timers: /(?<![.\w])(?:setTimeout|setInterval|setImmediate)\b/g,
  chance: /\bMath\s*\.\s*random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b/g,
  env: /\bprocess\s*\.\s*env\b|\bimport\.meta\.env\b/g,
  process: /(?<![.\w"'])process\s*(?:\.\s*(?!env\b)\w|\[)|\{[^{}]*\}\s*=\s*process\b/g,
  network: /(?<!typeof\s+)\bglobalThis\s*\.\s*fetch\b/g
}

/** Who opens files beside the Workspace: the user's own settings, judged there too; the grammars of our own program. */
const openers = new Set(["src/layers/context/sources/SmallFile.ts", "src/layers/definitions/grammarWorker.ts"])

/** Where sessions' tools, prompts and mentions get their services. */
const binders = ["src/layers/context/ContextWindowLive.ts", "src/layers/context/IntakeLive.ts", "src/layers/tool/ToolsLive.ts"]

/** Calls that start a program, also through a promise. */
const starts = /(?<![.\w])(?:promisify\(execFile\)|spawn|spawnSync|exec|execSync|execFile|execFileSync|fork|execute)(?=\()/g

/** What a call is given, up to the bracket that closes it. */
const argumentsAt = (code: string, call: number): string => {
  let depth = 0
  for (let at = code.indexOf("(", call + (code.startsWith("promisify", call) ? "promisify(execFile)".length : 0)); at < code.length; at++) {
    if (code[at] === "(") depth++
    if (code[at] === ")" && --depth === 0) return code.slice(call, at)
  }
  return code.slice(call)
}

const entries = ["src/index.ts", "src/ai.ts", "src/domain/index.ts", "src/testing.ts"]
const floors = ["domain", "services", "layers", "cli", "web"]

/** What the page may import besides its own files: what runs in a browser. */
const forPage = /^src\/(?:web|domain|cli\/render\/view)\//

/** The entries stand on top of the stairs. */
const floor = (path: string): number => entries.includes(path) ? floors.length : floors.indexOf(path.split("/")[1]!)

const isRelative = (specifier: string) => specifier.startsWith(".")
const isNode = (specifier: string) => specifier.startsWith("node:") || builtinModules.includes(specifier)
const target = (path: string, specifier: string) => posix.join(posix.dirname(path), specifier)

const eachImport = (files: ReadonlyMap<string, File>, check: (file: File, specifier: string) => string | undefined) =>
  [...files.values()].flatMap((file) =>
    file.imports.flatMap(({ specifier }) => {
      const why = check(file, specifier)
      return why === undefined ? [] : [`${file.path} imports ${specifier}: ${why}`]
    })
  )

export const rules: Readonly<Record<string, Rule>> = {
  "imports go down the stairs": (files) =>
    eachImport(files, ({ path }, specifier) =>
      isRelative(specifier) && floor(target(path, specifier)) > floor(path) && !entries.includes(target(path, specifier))
        ? "a file imports its own floor or lower ones"
        : undefined),

  "the page imports what runs in a browser": (files) =>
    eachImport(files, ({ path }, specifier) =>
      path.startsWith("src/web/") && (isNode(specifier) || (isRelative(specifier) && !forPage.test(target(path, specifier))))
        ? "a browser has no services and no Node"
        : undefined),

  "nothing but the build imports the page": (files) =>
    eachImport(files, ({ path }, specifier) =>
      isRelative(specifier) && !path.startsWith("src/web/") && target(path, specifier).startsWith("src/web/") ? "it is a program of its own" : undefined),

  "every relative import names its file": (files) =>
    eachImport(files, ({ path }, specifier) =>
      !isRelative(specifier) ? undefined
      : !/\.(?:tsx?|json)$/.test(specifier) ? "it has no .ts"
      : specifier.endsWith("json") || files.has(target(path, specifier)) ? undefined
      : "there is no such file"),

  "nobody inside imports an entry point": (files) =>
    eachImport(files, ({ path }, specifier) =>
      isRelative(specifier) && !entries.includes(path) && entries.includes(target(path, specifier))
        ? "entry points are for those outside"
        : undefined),

  "no circle, type imports included": (_, __, { circles }) => circles.map((circle) => circle.join(" → ")),

  "a folder can be read at a glance": (_, __, { folders }) =>
    [...folders].flatMap(([folder, count]) => count > Rooms.maxFiles ? [`${folder} has ${count} files, more than ${Rooms.maxFiles}`] : []),

  "a name belongs to one file, or to parallel rooms": (_, __, { repeatedNames }) =>
    [...repeatedNames].flatMap(([name, paths]) => Rooms.areParallel(paths) ? [] : [`${name} is the name of ${paths.join(" and ")}`]),

  "a small file has several importers, or a reason": (_, __, { smallFiles }) =>
    smallFiles.flatMap((path) => Rooms.isEntry(path) || Rooms.reasons[path] !== undefined ? [] : [`${path} is small and has one importer: merge them, or give a reason in rooms.ts`]),

  "lines fit 140 columns": (_, __, { longLines }) => longLines.map((line) => `${line} is longer than 140 columns`),

  "the domain imports pure things alone": (files) => [
    ...eachImport(files, ({ path }, specifier) => {
      if (floor(path) !== 0 || isRelative(specifier) || pureLibraries.includes(specifier)) return undefined
      const effect = /^effect\/(.+)$/.exec(specifier)?.[1]
      return effect !== undefined && pureEffect.has(effect) ? undefined : "it is not on the list of pure modules"
    }),
    ...pureLibraries.flatMap((library) => {
      const users = [...files.values()].filter((file) => floor(file.path) === 0 && file.imports.some(({ specifier }) => specifier === library))
      const folders = new Set(users.map(({ path }) => posix.dirname(path)))
      return folders.size > 1 ? [`${library} stands in ${folders.size} folders of the domain, not one: ${[...folders].join(", ")}`] : []
    })
  ],

  "services hold types": (files) =>
    eachImport(files, ({ path }, specifier) =>
      floor(path) === 1 && (isNode(specifier) || specifier.startsWith("@effect/platform-node")) ? "a service says what, a layer says how" : undefined),

  "tools and prompts read files through the session's Workspace": (files) =>
    eachImport(files, ({ path }, specifier) => {
      if (!/^src\/layers\/(?:tool|context)\//.test(path) || openers.has(path)) return undefined
      const opens = /^(?:node:)?fs(?:\/|$)/.test(specifier) || specifier === "effect/FileSystem" || specifier === "effect/PlatformFileSystem"
      const inner = isRelative(specifier) && /^src\/layers\/(?:workspace|testing)\/(?!(?:git\/Git|git\/RepositoryFolder|files\/SearchPattern|Programs)\.ts$)/.test(target(path, specifier))
      return opens || inner ? "it would pass the judgement of src/layers/approval/ReadAccess.ts" : undefined
    }),

  "whoever runs tools or reads for a prompt binds the Workspace to its session": (files) =>
    binders.flatMap((path) => {
      const file = files.get(path)
      return file === undefined || /\bReadAccess\.withReadPolicy\(/.test(file.code) ? [] : [`${path} does not bind its Workspace with ReadAccess.withReadPolicy`]
    }),

  "Effect is imported by its sub-paths": (files) =>
    eachImport(files, (_, specifier) =>
      specifier === "effect" ? "the barrel loads all of it"
      : specifier.startsWith("effect/unstable/") ? "there is no such path in 4.1"
      : undefined),

  "what would differ in a replay is read by its owner alone": (files, { owners }) => [
    ...[...files.values()].flatMap(({ code, path }) =>
      Object.entries(ambient).flatMap(([kind, pattern]) =>
        owners[path]?.owns.includes(kind) === true
          ? []
          : [...code.matchAll(pattern)].map(({ 0: found, index }) => `${path}:${line(code, index)} reads ${kind}: ${found.trim()}`)
      )
    ),
    ...Object.entries(owners).flatMap(([path, { owns }]) => {
      const code = files.get(path)?.code
      return code === undefined
        ? [`${path} owns something in scripts/owners.json and is not there`]
        : owns.filter((kind) => code.search(ambient[kind] ?? /^$/) === -1).map((kind) => `${path} owns ${kind} and does not read it`)
    })
  ],

  "a program is started in an environment that is chosen": (files) =>
    [...files.values()].flatMap(({ code, imports, path }) =>
      imports.some(({ specifier }) => specifier === "node:child_process")
        ? [...code.matchAll(starts)].flatMap(({ index }) => /\benv\b/.test(argumentsAt(code, index)) ? [] : [`${path}:${line(code, index)} hands on every variable that we have, keys among them`])
        : []),

  "no file is two ideas": (files, { decisions }) =>
    [...files.values()].flatMap(({ path, text }) => {
      const lines = text.split("\n").length - 1
      return lines > 400 && !decisions.includes(path) ? [`${path} has ${lines} lines, and no decision says why`] : []
    }),

  "names are the field's": (files, { scripts = new Map() }) =>
    [...files.values(), ...[...scripts].map(([path, text]) => ({ path, ...scan(text) }))].flatMap(({ code, path }) =>
      Words.declaredNames(code).flatMap(({ index, name }) =>
        Words.names.has(name.charAt(0).toLowerCase() + name.slice(1)) && Words.allowedNames[path]?.includes(name) !== true
          ? [`${path}:${line(code, index)} declares ${name}: name what it is`]
          : []
      )
    ),

  "sentences are plain English": (files, { pages = new Map(), scripts = new Map() }) =>
    [...[...files.values()].map(({ path, text }) => [path, text] as const), ...pages, ...scripts].flatMap(([path, text]) => Words.phrasesIn(path, text)),

  "nothing is left for later": (files) =>
    [...files.values()].flatMap(({ code, path, text }) => [
      ...(/\bas any\b/.test(code) ? [`${path} casts to any`] : []),
      ...(/@ts-(?:ignore|nocheck|expect-error)/.test(text) ? [`${path} silences the compiler`] : []),
      ...(/\b(?:TODO|FIXME|XXX)\b/.test(text) ? [`${path} leaves something to do`] : [])
    ])
}

/** Everything that is wrong, by rule. */
export const violations = (house: House): Readonly<Record<string, ReadonlyArray<string>>> => {
  const files = new Map([...house.files].map(([path, text]) => [path, { path, text, ...scan(text) }]))
  const measures = measure(house.files)
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, rule(files, house, measures)]))
}

const line = (text: string, index: number): number => text.slice(0, index).split("\n").length
