/** The language servers that are started where they are installed, and what the settings change about them. */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"

/** A server that did not start, ended or broke the protocol; a sentence. */
export class LanguageServerError extends Data.TaggedError("LanguageServerError")<{ readonly message: string }> {}

/**
 * `commands` are programs with their arguments, of which the first that is installed is started. `languages` maps the ending of a file's
 * name to the id of its language. `options` are the server's own (`initializationOptions`).
 */
export interface LanguageServer {
  readonly name: string
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  readonly languages: Readonly<Record<string, string>>
  readonly options?: Schema.Json
}

export const builtin: ReadonlyArray<LanguageServer> = [
  {
    name: "cpp",
    commands: [["clangd"]],
    languages: { ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp" }
  },
  { name: "go", commands: [["gopls"]], languages: { ".go": "go" } },
  { name: "java", commands: [["jdtls"]], languages: { ".java": "java" } },
  {
    name: "python",
    commands: [["pyright-langserver", "--stdio"], ["basedpyright-langserver", "--stdio"], ["pylsp"]],
    languages: { ".py": "python", ".pyi": "python" }
  },
  { name: "rust", commands: [["rust-analyzer"]], languages: { ".rs": "rust" } },
  {
    name: "typescript",
    commands: [["typescript-language-server", "--stdio"]],
    languages: {
      ".ts": "typescript",
      ".mts": "typescript",
      ".cts": "typescript",
      ".tsx": "typescriptreact",
      ".js": "javascript",
      ".mjs": "javascript",
      ".cjs": "javascript",
      ".jsx": "javascriptreact"
    }
  }
]

const Entry = Schema.Struct({
  command: Schema.optionalKey(Schema.Array(Schema.String).pipe(Schema.check(Schema.isMinLength(1)))),
  languages: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  options: Schema.optionalKey(Schema.Json)
})

/** `languageServers` in the settings: `false` for none, or by name what differs from the servers above; `false` for one turns it off. */
export const LanguageServerSettings = Schema.Union([
  Schema.Literal(false),
  Schema.Record(Schema.String, Schema.Union([Schema.Literal(false), Entry]))
])
export type LanguageServerSettings = typeof LanguageServerSettings.Type

/** The servers that these settings leave, those of the user first: of two for a file, the first counts. */
export const configured = (settings: LanguageServerSettings = {}): ReadonlyArray<LanguageServer> => {
  if (settings === false) return []
  const entries = Object.entries(settings).flatMap(([name, entry]): ReadonlyArray<LanguageServer> => {
    const base = builtin.find((server) => server.name === name) ?? { name, commands: [], languages: {} }
    if (entry === false) return []
    const { command, languages = base.languages, options } = entry
    return [{
      ...base,
      languages,
      ...(command === undefined ? {} : { commands: [command] }),
      ...(options === undefined ? {} : { options })
    }]
  })
  return [...entries, ...builtin.filter(({ name }) => !Object.hasOwn(settings, name))]
}

/** The server of a file, and the id of its language. */
export const serverOf = (servers: ReadonlyArray<LanguageServer>, path: string) => {
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? ""
  const server = servers.find(({ languages }) => Object.hasOwn(languages, ending))
  return server === undefined ? undefined : { server, language: server.languages[ending]! }
}
