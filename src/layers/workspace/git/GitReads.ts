/** The environment of a command that names git. */
import * as Effect from "effect/Effect"
import { join, resolve } from "node:path"
import { analyse, flatten, type SimpleCommand } from "../../../domain/tool/CommandLine.ts"
import * as GitCall from "../../../domain/tool/shell/GitCall.ts"
import { ShellError } from "../../../domain/tool/ShellError.ts"
import * as GitSettings from "../../../domain/workspace/GitSettings.ts"
import type { Program } from "../../../services/Shell.ts"
import * as ForeignContent from "./ForeignContent.ts"
import { execute } from "./GitProcess.ts"
import * as SafeGitSettings from "./SafeGitSettings.ts"

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The additions to `variables`. Folders with merely files called HEAD, objects and refs do not count as repositories;
 * and in a command that `reads`, git runs nothing that a repository configures and shows nothing from elsewhere. Such a
 * command fails if that can't be guaranteed. `path` is a search path of `Programs`.
 */
export const environment = Effect.fnUntraced(
  function*({ command, cwd, reads = false }: Program, variables: Variables, path: string): Effect.fn.Return<Variables, ShellError> {
    const analysis = analyse(command)
    const calls = flatten(analysis.parts).filter(({ name }) => name === "git")
    if (calls.length === 0) return {}
    if (!reads || analysis.faults.length > 0 || !calls.every(({ editsFiles, readOnly }) => readOnly || editsFiles))
      return GitSettings.environment([["safe.bareRepository", "explicit"]], variables)
    const quietVariables = { ...GitSettings.variables, PATH: path }
    const runGit = (args: ReadonlyArray<string>, cwd: string) =>
      execute({
        args,
        cwd,
        env: { ...definedVariables(variables), ...quietVariables, ...GitSettings.environment(GitSettings.fixedSettings, variables) }
      })
    if (calls.some((call) => GitCall.folders(call) === undefined))
      return yield* refusal(command, "The folder in which git runs is known only at run time.")
    const foldersOf = (calls: ReadonlyArray<SimpleCommand>) =>
      new Set(calls.flatMap((call) => GitCall.folders(call) ?? []).map((folder) => resolveFolder(cwd, folder, variables["HOME"] ?? "/")))
    const workingFolders = foldersOf(calls)
    for (const folder of foldersOf(calls.filter(comparesFiles))) {
      const { code } = yield* Effect.mapError(runGit(["rev-parse", "--git-dir"], folder), ({ message }) => refusal(command, message))
      if (code !== 0) return yield* refusal(command, "Outside a repository, git diff compares any files.")
    }
    const pairs = yield* Effect.forEach(workingFolders, (folder) => SafeGitSettings.pairs(runGit, folder, ForeignContent.reason)).pipe(
      Effect.mapError(({ message }) => refusal(command, message))
    )
    return { ...quietVariables, ...GitSettings.environment([...new Map(pairs.flat())], variables) }
  }
)

const comparesFiles = (call: SimpleCommand): boolean => GitCall.operands(call)[0]?.text === "diff"

/** If asked, the user decides about what it would run. */
const refusal = (command: string, reason: string) =>
  new ShellError({
    command,
    reason: "Other",
    message: `It was not run, since git might run a program or show files from elsewhere: ${reason} Set requires_approval to ask the user.`
  })

const definedVariables = (variables: Variables): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))

const resolveFolder = (cwd: string, folder: string, home: string): string =>
  folder === "~" || folder.startsWith("~/") ? join(home, folder.slice(1)) : resolve(cwd, folder)
