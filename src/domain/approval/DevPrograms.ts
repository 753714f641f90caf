/** Common development commands, which auto mode runs without a prompt; any other command needs approval. */
import * as Table from "../Table.ts"
import type { SimpleCommand } from "../tool/CommandLine.ts"
import { isDevTool, toolOf } from "../tool/shell/Tools.ts"
import * as PathSpec from "./PathSpec.ts"
import * as Places from "./Places.ts"
import * as CommandVariables from "./CommandVariables.ts"

/** Compilers, linters, formatters and test runners besides those whose options are in the tool tables. */
const devPrograms = new Set(
  ("ava babel biome black bandit cc cabal checkstyle clang clang-format clang-tidy clang++ clippy-driver cpplint csc ctest cucumber dart dmd dotnet dprint elixirc "
    + "esbuild eslint flake8 g++ gcc gfortran ghc gofmt goimports golangci-lint hadolint isort jasmine java javac jest jshint kotlinc ktlint ld luacheck markdownlint meson "
    + "mix mocha mypy nasm nim nox oxlint phpcs phpstan phpunit playwright prettier psalm pylint pyright rebar3 rollup rspec rubocop ruff rustc rustfmt sass sbt scalac "
    + "scalafmt shellcheck shfmt standard stylelint swc swift swiftc swiftlint tap terser tox tsup turbo vite vitest webpack xo yamllint zig")
    .split(" ")
)

/** Known programs with effects outside the project folder, or on who may use its files. */
const excludedPrograms = new Set(["chgrp", "chown", "kill"])

/** Package managers that also run the scripts of a project. */
const scriptRunners = new Set(["bun", "npm", "pnpm", "yarn"])

/**
 * Builders that also fetch, publish or change settings of the user: the subcommands that only build, check and run what the project
 * holds. A dependency that is missing is fetched by them too, as the project pins it.
 */
const localSubcommands: Readonly<Record<string, RegExp>> = {
  biome: /^(?:check|ci|format|lint)$/,
  cabal: /^(?:bench|build|check|haddock|run|test)$/,
  cargo: /^(?:b|bench|build|c|check|clean|clippy|d|doc|fmt|locate-project|metadata|nextest|pkgid|r|run|rustc|rustdoc|t|test|tree)$/,
  dart: /^(?:analyze|compile|doc|fix|format|info|run|test)$/,
  deno: /^(?:bench|check|compile|coverage|doc|fmt|info|lint|run|task|test|types)$/,
  dotnet: /^(?:build|clean|format|msbuild|run|test|vstest)$/,
  go: /^(?:build|doc|env|fix|fmt|generate|list|run|test|tool|version|vet)$/,
  "golangci-lint": /^(?:config|fmt|formatters|linters|run)$/,
  mix: /^(?:compile|credo|dialyzer|docs|format|run|test|xref)$/,
  playwright: /^(?:merge-reports|show-report|test)$/,
  rebar3: /^(?:as|compile|ct|dialyzer|do|edoc|eunit|fmt|lint|xref)$/,
  swift: /^(?:build|run|test|[\w/-]+\.swift)$/,
  zig: /^(?:ast-check|build|build-exe|build-lib|build-obj|c\+\+|cc|fmt|run|test)$/
}

/** Goals of Maven, and tasks of Gradle, that fetch a plugin of another name, or publish. */
const fetchingGoal =
  /^[\w.-]+:[\w.-]+:|^(?:deploy|exec|help|release|site-deploy|versions|wrapper)(?::|$)|^(?:publish|upload|init$|wrapper$)/

/** A package or module that is named with where it comes from, or with its version: `npm:x`, `https://…`, `example.com/x@latest`. */
const remotePackage = /^(?:https?|jsr|npm):|@(?:latest|next|upgrade|patch|v?\d[\w.+-]*)$/

const isRemote = ({ text }: SimpleCommand["words"][number]): boolean => remotePackage.test(text)

/** Names of scripts and targets whose work leaves the machine, or installs programs on it. */
const leavingName = /^(?:(?!build|check|lint|test)[\w-]+[:.])?(?:deploy|publish|release|upload|push)(?:[:._-].*)?$/
const installing = /^(?:un)?install$/

const namedRunners = new Set(["bun", "gmake", "just", "make", "npm", "pnpm", "rake", "task", "yarn"])

/** The first word of a script runner or of make that names such work. */
const leavingWord = ({ core, name = "" }: SimpleCommand): SimpleCommand["words"][number] | undefined =>
  namedRunners.has(name)
    ? core.slice(1).find(({ text }) => leavingName.test(text) || !scriptRunners.has(name) && installing.test(text)) : undefined

/** A call of the project's own scripts, as `make` runs them: `npm test`, `npm run build`, `yarn test`. */
const isScript = ({ core: [, sub, script], hazards, name }: SimpleCommand): boolean =>
  sub?.kind === "literal" && (
    /^(?:run|run-script)$/.test(sub.text) ? script?.kind === "literal" && hazards.every(({ word }) => word === script)
      : hazards.length === 0 &&
        (/^(?:t|test)$/.test(sub.text) || name !== "npm" && /^(?:build|check|lint|format|typecheck)$/.test(sub.text))
  )

/** Whether a package manager or builder may use the network: not to run a script, which may do anything anyway. */
export const fetches = (part: SimpleCommand): boolean =>
  part.name !== undefined && (scriptRunners.has(part.name) ? !isScript(part) : isBuilder(part.name) && namesMore(part.name, part))

const isBuilder = (name: string): boolean =>
  name === "tsx" || name === "ts-node" || Object.hasOwn(localSubcommands, name) || goalRunners.has(name)

const goalRunners = new Set(["ant", "gradle", "gradlew", "mvn", "mvnw"])

/** A builder's call names something else than a subcommand that works on what is there. */
const namesMore = (name: string, { core, hazards, readOnly }: SimpleCommand): boolean => {
  const sub = core.slice(1).find(({ text }) => !text.startsWith("-"))
  const locals = Table.entry(localSubcommands, name)
  const isChanging = name === "go" && sub?.text === "env" && (!readOnly || hazards.length > 0)
  return isChanging || sub !== undefined && locals?.test(sub.text) === false ||
    core.some((word) => isRemote(word) || goalRunners.has(name) && fetchingGoal.test(word.text))
}

/** The name in `python -m pytest`, which runs a known program although an option names it. */
export const moduleOf = ({ name, words: [, option, module] }: SimpleCommand): SimpleCommand["words"][number] | undefined =>
  name !== undefined && /^python[\d.]*$/.test(name) && option?.text === "-m" && module?.kind === "literal" &&
    (devPrograms.has(module.text) || /^(?:pytest|unittest|coverage|compileall)$/.test(module.text))
    ? module : undefined

/** Managers of a project's environment, which run one of its programs and install nothing: `bundle exec rspec`, `poetry run pytest`. */
const environmentRunners: Readonly<Record<string, string>> = { bundle: "exec", pdm: "run", pipenv: "run", poetry: "run" }

const runsInEnvironment = ({ inner, name, words: [, sub] }: SimpleCommand): boolean =>
  name !== undefined && inner.length > 0 && sub?.kind === "literal" && sub.text === Table.entry(environmentRunners, name)

/** Why a part is not one of them. What it touches, deletes or fetches is judged separately. */
export const objection = (part: SimpleCommand, pathContext: Places.PathContext, roots: ReadonlyArray<string>): string | undefined => {
  const { hazards, inner, name, readOnly, transparent, words } = part
  const variable = CommandVariables.hazardOf(part)
  if (variable !== undefined) return `it sets ${variable.name}`
  if (readOnly || words.length === 0 || transparent && inner.length > 0 || runsInEnvironment(part)) return undefined
  const program = words[0]!
  if (name === undefined) return "the program that it runs is known only at run time"
  const files = Places.programs(part, pathContext)
  if (files === undefined || files.length > 0) {
    return files?.every((path) => PathSpec.isInsideAny(roots, path)) === true ? undefined
      : `${(Places.scriptOf(part) ?? program).source} is not a program in the project`
  }
  const leaving = leavingWord(part)
  if (leaving !== undefined) return `${leaving.source} may change more than the project`
  if (devPrograms.has(name)) return undefined
  if (toolOf(name) === undefined || excludedPrograms.has(name)) return `${name} is not a common development tool`
  return isDevTool(name) ? undefined : hazards[0]?.reason
}
