/** The role of a file in a project, by its name alone. */

/** The roles that determine how much a file matters: configuration, tests, code. */
export type FileRole = "configuration" | "test" | "code"

const configuration = [
  /^(?:package|deno|tsconfig.*|jsconfig.*|composer|app|angular|nx|turbo|lerna|biome)\.jsonc?$/,
  /^(?:cargo|pyproject|rust-toolchain|rustfmt|clippy|uv|poetry|go|mix|gleam|foundry|wrangler|netlify|fly)\.(?:toml|mod|work|exs)$/,
  /^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|build\.sbt|setup\.(?:py|cfg)|requirements.*\.txt|tox\.ini|gemfile|rakefile|.*\.gemspec|.*\.csproj|.*\.fsproj|.*\.sln|directory\.build\.props|cmakelists\.txt|makefile|justfile|meson\.build|dockerfile|docker-compose.*\.ya?ml|compose\.ya?ml|package\.swift|pubspec\.yaml|stack\.yaml|.*\.cabal|build\.zig)$/,
  /\.config\.[cm]?[jt]s$/,
  /^\.(?:eslintrc|prettierrc|babelrc|editorconfig|npmrc|oxlintrc|swcrc)(?:\..+)?$/
]

const test = /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:^|\/)test_[^/]*\.\w+$|[._-](?:test|spec|tests)\.\w+$|(?:Test|Tests|Spec)\.\w+$/

const code =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|rs|go|java|kts?|scala|swift|c|h|cc|cpp|cxx|hpp|hh|cs|fs|php|ex|exs|erl|hs|ml|mli|clj|cljs|lua|dart|zig|nim|jl|r|m|mm|sh|bash|sql|sol|gleam|elm|css|scss|html)$/i

/** The roles of a path; a test is code too. */
export const of = (path: string): ReadonlyArray<FileRole> => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  if (configuration.some((pattern) => pattern.test(name))) return ["configuration"]
  return [...(code.test(name) ? ["code" as const] : []), ...(test.test(path) ? ["test" as const] : [])]
}
