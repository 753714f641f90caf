/**
 * Git as plumbing: one process per call, without the user's configuration, prompts or hooks, and without anything in
 * the repository's configuration that would run a program.
 */
import * as Effect from "effect/Effect"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as GitSettings from "../../../domain/workspace/GitSettings.ts"
import { type GitOutput, type GitCommand, execute } from "./GitProcess.ts"
import * as SafeGitSettings from "./SafeGitSettings.ts"

/** Settings for every call: whatever could translate content is off. Whatever could run a program is disabled by `Neutral`. */
const settings = Object.entries({
  "core.autocrlf": "false",
  "core.safecrlf": "false",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "core.quotePath": "false",
  "core.compression": "1",
  "core.preloadIndex": "true",
  "commit.gpgSign": "false",
  "submodule.recurse": "false",
  "index.version": "4",
  "index.threads": "true",
  "protocol.allow": "never",
  "safe.directory": "*"
}).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** Only these and `path` reach git from our own environment. */
const isolatedVariables = {
  ...GitSettings.variables,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "dacapo",
  GIT_AUTHOR_EMAIL: "dacapo@localhost",
  GIT_COMMITTER_NAME: "dacapo",
  GIT_COMMITTER_EMAIL: "dacapo@localhost",
  LC_ALL: "C",
  HOME: "/nonexistent"
}

/**
 * Runs git and returns its output, whatever the code; interrupting ends the process. `path` is a search path of
 * `Programs`. In one of our repositories (GIT_DIR is set) the settings are ours.
 */
export const run = (path: string) => (command: GitCommand): Effect.Effect<GitOutput, CheckpointError> =>
  command.env?.["GIT_DIR"] === undefined ? Effect.flatMap(inFolder(path, command.cwd), (git) => git(command))
    : withSettings(path, GitSettings.fixedSettings)(command)

/** Like `run` for several calls in one repository, whose configuration is read once. */
export const inFolder = (
  path: string,
  folder: string
): Effect.Effect<(command: GitCommand) => Effect.Effect<GitOutput, CheckpointError>, CheckpointError> =>
  Effect.map(
    SafeGitSettings.pairs(
      (args, cwd) =>
        execute({ args, cwd, env: { PATH: path, ...isolatedVariables, ...GitSettings.environment(GitSettings.fixedSettings) } }),
      folder
    ),
    (pairs) => withSettings(path, pairs)
  )

const withSettings = (path: string, pairs: ReadonlyArray<GitSettings.Pair>) => (command: GitCommand) =>
  execute({
    ...command,
    args: [...settings, ...command.args],
    env: { PATH: path, ...isolatedVariables, ...command.env, ...GitSettings.environment(pairs) }
  })

/** Like `run`, but fails unless git succeeds. */
export const check = (path: string) => (command: GitCommand): Effect.Effect<string, CheckpointError> =>
  Effect.flatMap(run(path)(command), ({ code, error, out }) =>
    code === 0
      ? Effect.succeed(out)
      : Effect.fail(
        new CheckpointError({
          reason: "Failed",
          message: `git ${command.args.find((arg, i) => !arg.startsWith("-") && command.args[i - 1] !== "-c")}: ${error || `code ${code}`}`
        })
      ))
