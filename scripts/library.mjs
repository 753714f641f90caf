/**
 * How the library's modules share files. Each module of the domain and of the services is an entry, so rolldown gives each its
 * own file; but loading a file costs Node a third of a millisecond, and `import "dacapo"` needs a hundred of them. What it
 * loads is therefore in a few files: packages (none now), pure functions, what needs more of Effect, and layers.
 */
import { createRequire, isBuiltin } from "node:module"
import { parseAst } from "rolldown/parseAst"

const inPackage = (id) => id.includes("/node_modules/")
const isData = (id) => /^effect\/(?:Data|Option|Result)$/.test(id)
const isExternal = (id) => !id.startsWith("/")

/** The groups of `codeSplitting`: what the `entry` imports statically, packages as well. A file imports only from those before it. */
export const sharedFiles = (entry) => {
  const closures = new Map()
  /** A module and all that it imports statically, directly or not. */
  const closure = (id, context) => {
    const ids = closures.get(id) ?? new Set([id])
    if (closures.has(id)) return ids
    closures.set(id, ids)
    for (const next of ids) context.getModuleInfo(next)?.importedIds.forEach((imported) => ids.add(imported))
    return ids
  }
  const group = (name, priority, holds) => ({
    debugName: name,
    name: (id, context) => closure(entry, context).has(id) && holds([...closure(id, context)]) ? name : null,
    priority
  })
  const inLayer = (id) => id.includes("/src/layers/")
  return [
    // Apart, because a bundler can't leave out parts of a CommonJS package.
    group("packages", 4, (ids) => ids.every((id) => inPackage(id) || isExternal(id))),
    group("plain", 3, (ids) => ids.every((id) => isData(id) || (!isExternal(id) && !inPackage(id) && !inLayer(id)))),
    group("services", 2, (ids) => !ids.some((id) => isBuiltin(id) || inLayer(id))),
    group("library", 1, () => true)
  ]
}

/**
 * Functions of Node that most imports of the library never call, loaded by their first call: `node:crypto` initializes OpenSSL, and
 * an ES import of `node:fs` evaluates all its getters, which load `fs/promises` and readline.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  generateBundle: (_, files) => {
    for (const file of Object.values(files).filter(({ name }) => name === "library")) {
      file.code = file.code.replace(/^import \{ (.+) \} from "(node:(?:crypto|fs|os))";$/gm, (_, names, module) =>
        names.split(", ").map((name) => lazyFunction(module, ...name.split(" as "))).join("\n"))
    }
  }
}

const require = createRequire(import.meta.url)
const lazyFunction = (module, name, local = name) => {
  if (typeof require(module)[name] !== "function") throw new Error(`${name} of ${module} is not a function: it can't be loaded on its first call`)
  return `const ${local} = (...args) => process.getBuiltinModule("${module}").${name}(...args);`
}

/**
 * Marks what a module computes as it is loaded as free of side effects, which all of ours is: a bundler can then leave out the
 * parts of a shared file that a program does not use.
 */
export const pureValues = {
  name: "pure-values",
  transform: {
    // Not the threads, which await at their top level.
    filter: { id: { include: /\/src\/.*\.ts$/, exclude: /[wW]orker\.ts$/ } },
    handler: (code, id) => {
      const values = parseAst(code, { lang: "ts" }, id).body.map((statement) => statement.declaration ?? statement).flatMap((declaration) =>
        declaration.type === "VariableDeclaration" ? declaration.declarations.map(({ init }) => init)
          : declaration.type === "ClassDeclaration" ? [declaration.superClass]
          : []
      )
      return {
        code: values.filter((value) => value !== null && computes(value)).toReversed().reduce(
          (text, { end, start }) => `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
          code
        )
      }
    }
  }
}

/** Whether an expression does more than make a value: calls, and reads of properties, which a bundler takes for calls. */
const computes = (node) => {
  if (node === null || typeof node !== "object") return false
  if (/Function/.test(node.type ?? "")) return false
  if (/^(?:CallExpression|NewExpression|MemberExpression|BinaryExpression|SpreadElement)$/.test(node.type)) return true
  return Object.values(node).some(computes)
}
