/** Definitions by tree-sitter: grammars in WebAssembly, each loaded when a file of its language is first read. */
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Query } from "web-tree-sitter"
import type { Language } from "../../domain/definitions/Languages.ts"
import * as Outline from "../../domain/definitions/Outline.ts"
import { Definitions, GrammarError } from "../../services/Definitions.ts"

/** The build puts them beside the bundle, wherever of it this is in; a checkout has them there, too. */
const folder = (): string => {
  for (let above = dirname(fileURLToPath(import.meta.url)); ; above = dirname(above)) {
    for (const place of [join(above, "grammars"), join(above, "dist", "grammars")]) if (existsSync(place)) return place
    if (above === dirname(above)) throw new Error("the folder of grammars is not there")
  }
}

/** Reads texts of one language. */
type Reader = (text: string) => ReadonlyArray<Outline.Found>

const reader = async ({ grammar, query }: Language): Promise<Reader> => {
  const TreeSitter = await import("web-tree-sitter")
  const grammars = folder()
  await TreeSitter.Parser.init({ locateFile: (file: string) => join(grammars, file) })
  const language = await TreeSitter.Language.load(join(grammars, `tree-sitter-${grammar}.wasm`))
  const asked = new TreeSitter.Query(language, query)
  const parser = new TreeSitter.Parser()
  parser.setLanguage(language)
  return (text) => {
    const tree = parser.parse(text)
    if (tree === null) return []
    try {
      return asked.matches(tree.rootNode).flatMap(found)
    } finally {
      tree.delete()
    }
  }
}

/** A match holds the definition itself, and its name. */
const found = ({ captures }: ReturnType<Query["matches"]>[number]): ReadonlyArray<Outline.Found> => {
  const name = captures.find(({ name }) => name === "name")?.node
  return captures.flatMap(({ name: kind, node }) =>
    (kind === "type" || kind === "function") && name !== undefined
      ? [{ kind, from: node.startIndex, to: node.endIndex, row: name.startPosition.row }]
      : []
  )
}

export const layer: Layer.Layer<Definitions> = Layer.effect(Definitions, Effect.gen(function*() {
  const readers = yield* Cache.make({
    capacity: Number.POSITIVE_INFINITY,
    lookup: (language: Language) =>
      Effect.tryPromise({
        try: () => reader(language),
        catch: (error) => new GrammarError({ message: `The grammar of ${language.name} can't be loaded: ${error instanceof Error ? error.message : String(error)}. Read the file instead.` })
      })
  })
  return { of: (language, text) => Effect.map(Cache.get(readers, language), (read) => Outline.of(read(text))) }
}))
