/** The thread in which tree-sitter parses source files: deeply nested ones take it minutes. */
import { parentPort } from "node:worker_threads"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Query } from "web-tree-sitter"
import type { Language } from "../../domain/definitions/Languages.ts"
import type * as Outline from "../../domain/definitions/Outline.ts"

/** A text, and the language it is in. */
export interface ParseRequest {
  readonly language: Language
  readonly text: string
}

/** The definitions of the text, or why its grammar can't be loaded. */
export type ParseResponse = { readonly definitions: ReadonlyArray<Outline.DefinitionMatch> } | { readonly error: string }

/** The build puts them beside the bundle, whichever part of it this is in; a checkout has them there, too. */
const grammarsFolder = (): string => {
  for (let ancestor = dirname(fileURLToPath(import.meta.url));; ancestor = dirname(ancestor)) {
    for (const candidate of [join(ancestor, "grammars"), join(ancestor, "dist", "grammars")]) if (existsSync(candidate)) return candidate
    if (ancestor === dirname(ancestor)) throw new Error("the folder of grammars is missing")
  }
}

/** Parses texts of one language. */
type DefinitionParser = (text: string) => ReadonlyArray<Outline.DefinitionMatch>

const makeParser = async ({ grammar, query }: Language): Promise<DefinitionParser> => {
  const TreeSitter = await import("web-tree-sitter")
  const grammars = grammarsFolder()
  await TreeSitter.Parser.init({ locateFile: (file: string) => join(grammars, file) })
  const language = await TreeSitter.Language.load(join(grammars, `tree-sitter-${grammar}.wasm`))
  const compiledQuery = new TreeSitter.Query(language, query)
  const parser = new TreeSitter.Parser()
  parser.setLanguage(language)
  return (text) => {
    const tree = parser.parse(text)
    if (tree === null) return []
    try {
      return compiledQuery.matches(tree.rootNode).flatMap(definitionsIn)
    } finally {
      tree.delete()
    }
  }
}

/** A match contains the definition itself, and its name. */
const definitionsIn = ({ captures }: ReturnType<Query["matches"]>[number]): ReadonlyArray<Outline.DefinitionMatch> => {
  const name = captures.find(({ name }) => name === "name")?.node
  return captures.flatMap(({ name: kind, node }) =>
    (kind === "type" || kind === "function") && name !== undefined
      ? [{ kind, from: node.startIndex, to: node.endIndex, row: name.startPosition.row }]
      : []
  )
}

const parsers = new Map<string, Promise<DefinitionParser>>()

const respond = async ({ language, text }: ParseRequest): Promise<ParseResponse> => {
  const loading = parsers.get(language.grammar) ?? makeParser(language)
  parsers.set(language.grammar, loading)
  try {
    const parse = await loading
    return { definitions: parse(text) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.on("message", (request: ParseRequest) => void respond(request).then((response) => parentPort?.postMessage(response)))
