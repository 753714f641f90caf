/** Which types the signatures of the package reach, and by which names a program can import them: read from the built declarations. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

/** `module#name`, the module relative to the folder of declarations, without its ending. */
export type TypeName = string

interface Module {
  /** Names from other modules: `*` is the module itself. */
  readonly imports: ReadonlyMap<string, { readonly module: string; readonly name: string }>
  /** Names that are passed on, by the outer name. */
  readonly passed: ReadonlyMap<string, { readonly module: string; readonly name: string }>
  /** Text by name, without comments and texts. */
  readonly declarations: ReadonlyMap<string, string>
  readonly exported: ReadonlySet<string>
}

const pairs = (list: string): ReadonlyArray<readonly [inner: string, outer: string]> =>
  list.split(",").map((one) => /^(?:type )?(\w+)(?: as (\w+))?$/.exec(one.trim())).flatMap((match) => match === null ? [] : [[match[1]!, match[2] ?? match[1]!] as const])

/** Reads the declarations below a folder, each module once. */
export const reader = (folder: string) => {
  const modules = new Map<string, Module | undefined>()
  const resolve = (from: string, specifier: string): string | undefined => {
    const match = /^(\.{1,2}\/.*?)(?:\.d)?\.(?:ts|js)$/.exec(specifier)
    return match === null ? undefined : relative(folder, join(folder, dirname(from), match[1]!))
  }
  const parse = (name: string): Module | undefined => {
    const file = join(folder, `${name}.d.ts`)
    if (!existsSync(file)) return undefined
    const text = readFileSync(file, "utf8").replaceAll(/\/\*[^]*?\*\//g, "")
    const imports = new Map<string, { module: string; name: string }>()
    const passed = new Map<string, { module: string; name: string }>()
    for (const [, space, list = "", specifier = ""] of text.matchAll(/^import (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from "([^"]+)"/gm)) {
      const module = resolve(name, specifier)
      if (module === undefined) continue
      if (space !== undefined) imports.set(space, { module, name: "*" })
      for (const [inner, outer] of pairs(list)) imports.set(outer, { module, name: inner })
    }
    for (const [, space, list = "", specifier = ""] of text.matchAll(/^export (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from "([^"]+)"/gm)) {
      const module = resolve(name, specifier)
      if (module === undefined) continue
      if (space !== undefined) passed.set(space, { module, name: "*" })
      for (const [inner, outer] of pairs(list)) passed.set(outer, { module, name: inner })
    }
    const declarations = new Map<string, string>()
    const exported = new Set<string>()
    for (const part of text.split(/^(?=(?:export|declare|import|interface|type|class|const)\b)/m)) {
      const match = /^(export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type|namespace) ([\w$]+)/.exec(part)
      if (match === null) continue
      declarations.set(match[2]!, `${declarations.get(match[2]!) ?? ""}${part}`)
      if (match[1] !== undefined) exported.add(match[2]!)
    }
    for (const [, list = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\};?$/gm)) for (const [inner] of pairs(list)) exported.add(inner)
    return { imports, passed, declarations, exported }
  }
  const module = (name: string): Module | undefined => {
    if (!modules.has(name)) modules.set(name, parse(name))
    return modules.get(name)
  }
  /** Where a name of a module is declared, through what modules pass on. */
  const origin = (name: string, exportName: string): TypeName | undefined => {
    const one = module(name)
    if (one === undefined) return undefined
    if (one.declarations.has(exportName)) return `${name}#${exportName}`
    const next = one.passed.get(exportName) ?? one.imports.get(exportName)
    return next === undefined ? undefined : next.name === "*" ? `${next.module}#*` : origin(next.module, next.name)
  }
  /** All types that a program can import from a module under a name, also inside of namespaces. */
  const names = (name: string, seen = new Set<string>()): ReadonlySet<TypeName> => {
    const one = module(name)
    if (one === undefined || seen.has(name)) return new Set()
    seen.add(name)
    return new Set([
      ...[...one.exported].map((exportName) => `${name}#${exportName}`),
      ...[...one.passed].flatMap(([outer, next]) => next.name === "*" ? [...names(next.module, seen)] : [origin(name, outer) ?? ""])
    ])
  }
  /** The types that a declaration mentions. */
  const mentions = (type: TypeName): ReadonlyArray<TypeName> => {
    const [name = "", declared = ""] = type.split("#")
    const one = module(name)
    const text = one?.declarations.get(declared)
    if (one === undefined || text === undefined) return []
    const all: Array<TypeName | undefined> = []
    const rest = text.replaceAll(/import\("([^"]+)"\)\.(\w+)(?:\.(\w+))?/g, (_, specifier: string, first: string, second?: string) => {
      const target = resolve(name, specifier)
      const found = target === undefined ? undefined : origin(target, first)
      all.push(found?.endsWith("#*") === true && second !== undefined ? origin(found.slice(0, -2), second) : found)
      return " "
    }).replaceAll(/"(?:[^"\\]|\\.)*"/g, " ")
    for (const [, first = "", second] of rest.matchAll(/(?<![\w.$])([A-Za-z_$][\w$]*)(?:\.(\w+))?/g)) {
      const found = one.declarations.has(first) ? `${name}#${first}` : origin(name, first)
      all.push(found?.endsWith("#*") === true ? second === undefined ? undefined : origin(found.slice(0, -2), second) : found)
    }
    return all.filter((one): one is TypeName => one !== undefined && one !== type)
  }
  /** Everything that these types mention, directly or through each other. */
  const reach = (start: Iterable<TypeName>): ReadonlySet<TypeName> => {
    const all = new Set(start)
    for (const type of all) for (const mentioned of mentions(type)) all.add(mentioned)
    return all
  }
  /** Whether its own module exports it: what it does not is written out where it is inferred. */
  const isExported = (type: TypeName): boolean => {
    const [name = "", declared = ""] = type.split("#")
    return module(name)?.exported.has(declared) === true
  }
  return { isExported, names, reach }
}
