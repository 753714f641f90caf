/** What a command would really run and change, beyond its words. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { optional } from "../../../domain/Optional.ts"
import { type Analysis, analyse, flatten, isReadOnly } from "../../../domain/tool/CommandLine.ts"
import type { Environment } from "../../../services/Environment.ts"
import type { CommandFacts, Program } from "../../../services/Shell.ts"
import * as CopyForecast from "./CopyForecast.ts"
import * as GitForecast from "../git/GitForecast.ts"
import * as Programs from "../Programs.ts"
import * as RepositoryFolder from "../git/RepositoryFolder.ts"

/**
 * Programs that are judged only by their names, and would come from the roots; files of git that are written, or would
 * come with others; whether it is confined.
 */
export const inspect = (
  environment: Pick<Environment["Service"], "folders" | "variables">,
  roots: ReadonlyArray<string>,
  isConfined = false
) => {
  const isLocal = Programs.isLocal(environment, roots)
  const isChosenByFolder = Programs.isChosenByFolder(environment, roots)
  const path = Programs.searchPath(environment, roots)
  return Effect.fnUntraced(function*(command: string, cwd: string): Effect.fn.Return<CommandFacts> {
    const analysis = analyse(command)
    const names = new Set(
      flatten(analysis.parts).flatMap(({ editsFiles, name, readOnly, words }) =>
        (readOnly || editsFiles) && name !== undefined ? [words[0]!.text] : []
      )
    )
    const local = [...names].filter((name) => isLocal(name, cwd) || isChosenByFolder(name, cwd))
    const forecast = yield* GitForecast.of(analysis, cwd, path)
    const copies = CopyForecast.of(analysis, cwd)
    const changes = [...forecast?.changes ?? [], ...repositoriesIn(analysis, cwd, roots), ...copies.changes]
    return {
      ...(local.length === 0 ? {} : { local }),
      ...(changes.length === 0 ? {} : { changes }),
      ...optional({ unclear: forecast?.unclear ?? copies.unclear }),
      ...(isConfined ? { confined: true } : {})
    }
  })
}

const repositoriesIn = ({ parts }: Analysis, cwd: string, roots: ReadonlyArray<string>): ReadonlyArray<string> =>
  flatten(parts).flatMap(({ folders = [], touches }) =>
    touches.flatMap(({ access, path, word }) =>
      access !== "write" || word.kind !== "literal" ? [] : folders.flatMap((folder) => {
        const file = resolve(cwd, folder, path)
        const repositoryPath = RepositoryFolder.asGitPath(roots, file)
        return repositoryPath === file ? [] : [repositoryPath]
      })
    )
  )

/**
 * Variables that keep a command that only reads from fetching and running another version of its program: `go version` in a
 * module that asks for a newer toolchain downloads it.
 */
export const readVariables = ({ command, reads = false }: Program): Readonly<Record<string, string>> => {
  if (!reads) return {}
  const analysis = analyse(command)
  return isReadOnly(analysis) && flatten(analysis.parts).some(({ name }) => name === "go") ? { GOTOOLCHAIN: "local" } : {}
}
