/** What a command would really run and change, beyond its words. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { optional } from "../../../domain/Optional.ts"
import { type Analysis, analyse, flatten } from "../../../domain/tool/CommandLine.ts"
import type { Environment } from "../../../services/Environment.ts"
import type { CommandFacts } from "../../../services/Shell.ts"
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
  const path = Programs.searchPath(environment, roots)
  return Effect.fnUntraced(function*(command: string, cwd: string): Effect.fn.Return<CommandFacts> {
    const analysis = analyse(command)
    const names = new Set(
      flatten(analysis.parts).flatMap(({ editsFiles, name, readOnly, words }) =>
        (readOnly || editsFiles) && name !== undefined ? [words[0]!.text] : []
      )
    )
    const local = [...names].filter((name) => isLocal(name, cwd))
    const forecast = yield* GitForecast.of(analysis, cwd, path)
    const changes = [...forecast?.changes ?? [], ...repositoriesIn(analysis, cwd, roots)]
    return {
      ...(local.length === 0 ? {} : { local }),
      ...(changes.length === 0 ? {} : { changes }),
      ...optional({ unclear: forecast?.unclear }),
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
