/** Common development commands, which auto mode runs without a prompt; any other command needs approval. */
import * as Table from "../Table.ts"
import type { SimpleCommand } from "../tool/CommandLine.ts"
import { devTools } from "../tool/shell/DevTools.ts"
import { assignmentHazard, isPrivateVariable } from "../tool/shell/Environment.ts"
import { toolOf } from "../tool/shell/Tools.ts"
import * as PathSpec from "./PathSpec.ts"
import * as Places from "./Places.ts"

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
const scriptRunners = new Set(["npm", "pnpm", "yarn"])

/** Subcommands that fetch packages, or publish them, of builders that otherwise work offline or build what is there. */
const fetchingSubcommands: Readonly<Record<string, RegExp>> = {
  cargo: /^(?:add|fetch|install|login|owner|publish|search|update|yank)$/,
  go: /^(?:get|install)$/
}

/** A call of the project's own scripts, as `make` runs them: `npm test`, `npm run build`, `yarn test`. */
const isScript = ({ core: [, sub, script], hazards, name }: SimpleCommand): boolean =>
  sub?.kind === "literal" && (
    /^(?:run|run-script)$/.test(sub.text) ? script?.kind === "literal" && hazards.every(({ word }) => word === script)
      : hazards.length === 0 &&
        (/^(?:t|test)$/.test(sub.text) || name !== "npm" && /^(?:build|check|lint|format|typecheck)$/.test(sub.text))
  )

/** Whether a package manager or builder may use the network: not to run a script, which may do anything anyway. */
export const fetches = (part: SimpleCommand): boolean =>
  part.name !== undefined && (scriptRunners.has(part.name) ? !isScript(part)
    : Table.entry(fetchingSubcommands, part.name)?.test(part.core[1]?.text ?? "") === true)

/** The name in `python -m pytest`, which runs a known program although an option names it. */
export const moduleOf = ({ name, words: [, option, module] }: SimpleCommand): SimpleCommand["words"][number] | undefined =>
  name !== undefined && /^python[\d.]*$/.test(name) && option?.text === "-m" && module?.kind === "literal" &&
    (devPrograms.has(module.text) || /^(?:pytest|unittest|coverage|compileall)$/.test(module.text))
    ? module : undefined

/** Why a part is not one of them. What it touches, deletes or fetches is judged separately. */
export const objection = (part: SimpleCommand, pathContext: Places.PathContext, roots: ReadonlyArray<string>): string | undefined => {
  const { assignments, hazards, inner, name, readOnly, transparent, words } = part
  const variable = assignments.find(({ name, value }) =>
    !(words.length === 0 && value !== undefined && isPrivateVariable(name)) && assignmentHazard(name, value) !== undefined
  )
  if (variable !== undefined) return `it sets ${variable.name}`
  if (readOnly || words.length === 0 || transparent && inner.length > 0) return undefined
  const program = words[0]!
  if (name === undefined) return "the program that it runs is known only at run time"
  const files = Places.programs(part, pathContext)
  if (files === undefined || files.length > 0) {
    return files?.every((path) => PathSpec.isInsideAny(roots, path)) === true ? undefined
      : `${program.source} is not a program in the project`
  }
  const isRunner = Object.hasOwn(devTools, name)
  const isKnown = devPrograms.has(name) || toolOf(name) !== undefined && !excludedPrograms.has(name) && (isRunner || hazards.length === 0)
  return isKnown ? undefined : `${name} is not a common development tool`
}
