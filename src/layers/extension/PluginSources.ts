/**
 * Where plugins come from: a folder, a packed file, a Git repository, a package of the npm registry. Nothing of what is
 * fetched runs: npm only downloads, and Git works without any configuration besides ours.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { PluginError } from "../../domain/extension/PluginError.ts"
import { Environment } from "../../services/Environment.ts"
import { execute } from "../workspace/git/GitProcess.ts"
import * as Programs from "../workspace/Programs.ts"
import * as PackedFile from "./PackedFile.ts"
import * as PluginFiles from "./PluginFiles.ts"

/** A source as it is saved: `location` is an absolute path, an address, or a package name. */
export interface PluginSource {
  readonly kind: "folder" | "file" | "git" | "npm"
  readonly location: string
  /** A branch or tag of a repository. */
  readonly ref?: string
}

const packageName = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?:@[\w.^~<>=*-]+)?$/

/** What a user's argument names; a failure says why it names nothing. */
export const parse = (text: string, cwd: string): Result.Result<PluginSource, string> => {
  const git = /^(?:git\+)?((?:https|ssh|file):\/\/[^\s#]+|[\w.-]+@[\w.-]+:[^\s#]+)(?:#([\w./-]+))?$/.exec(text)
  if (git !== null && git[2]?.startsWith("-") !== true) {
    return Result.succeed({ kind: "git", location: git[1]!, ...(git[2] === undefined ? {} : { ref: git[2] }) })
  }
  if (/^\w+:\/\//.test(text)) return Result.fail("only https, ssh and file addresses of Git repositories are supported")
  const path = resolve(cwd, text)
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory() === true) return Result.succeed({ kind: "folder", location: path })
  if (stat?.isFile() === true) return Result.succeed({ kind: "file", location: path })
  if (/^[./~]/.test(text) || /\.(?:tgz|tar\.gz)$/.test(text)) return Result.fail(`${path} does not exist`)
  return packageName.test(text) ? Result.succeed({ kind: "npm", location: text })
    : Result.fail("it is neither a folder, a packed file, the address of a Git repository nor a package name")
}

/** A source in one line. */
export const describe = ({ kind, location, ref }: PluginSource): string =>
  `${kind === "npm" ? "npm " : ""}${location}${ref === undefined ? "" : `#${ref}`}`

/** The files at a source now. */
export const fetch = Effect.fn("Plugins.fetch")(function*(source: PluginSource) {
  const fail = (message: string) => new PluginError({ plugin: describe(source), message })
  const files = yield* reader(source).pipe(
    Effect.scoped,
    Effect.flatMap((result) => Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(result.failure)),
    Effect.mapError(fail)
  )
  const problem = PluginFiles.problem(files)
  return problem === undefined ? files : yield* fail(problem)
})

const reader = (source: PluginSource) => {
  switch (source.kind) {
    case "folder":
      return readFolder(source.location)
    case "file":
      return readPacked(source.location)
    case "git":
      return clone(source)
    case "npm":
      return pack(source.location)
  }
}

const attempt = <A>(run: () => A): Effect.Effect<A, string> => Effect.try({ try: run, catch: (error) => (error as Error).message })

const readFolder = (folder: string) => attempt(() => PluginFiles.read(folder))

const readPacked = (file: string) =>
  attempt(() => {
    if (fs.statSync(file).size > PluginFiles.limits.bytes) throw new Error(`it is larger than ${PluginFiles.limits.bytes / 1024 / 1024} MB`)
    return PackedFile.read(fs.readFileSync(file))
  })

const temporaryFolder = Effect.acquireRelease(
  Effect.map(Environment, ({ variables }) => fs.mkdtempSync(join(fs.realpathSync(variables["TMPDIR"] ?? tmpdir()), "dacapo-plugin-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

/** Only these variables reach git: what authenticates, and where programs are. */
const gitVariables = (environment: Environment["Service"]): Record<string, string> => {
  const { SSH_AUTH_SOCK: agent } = environment.variables
  return {
    PATH: Programs.searchPath(environment, []),
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    SSH_ASKPASS: "true",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    GIT_LFS_SKIP_SMUDGE: "1",
    ...(agent === undefined ? {} : { SSH_AUTH_SOCK: agent })
  }
}

const clone = ({ location, ref }: PluginSource) =>
  Effect.gen(function*() {
    const environment = yield* Environment
    const folder = yield* temporaryFolder
    const target = join(folder, "repository")
    const settings = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=true", "protocol.allow=never"]
    const protocol = /^(https|file):/.exec(location)?.[1] ?? "ssh"
    const { code, error } = yield* Effect.mapError(
      execute({
        args: [
          ...[...settings, `protocol.${protocol}.allow=always`].flatMap((setting) => ["-c", setting]),
          "clone",
          "--quiet",
          "--depth=1",
          "--no-tags",
          "--single-branch",
          "--template=",
          ...(ref === undefined ? [] : [`--branch=${ref}`]),
          "--",
          location,
          target
        ],
        cwd: folder,
        env: gitVariables(environment)
      }),
      ({ message }) => message
    )
    return code === 0 ? yield* readFolder(target) : yield* Effect.fail(error || `git clone ended with ${code}`)
  })

/**
 * Downloads the package's archive, whose integrity npm compares with the registry's; scripts of the package do not run, also not
 * those of a project that npm would find around us. Its cache and logs are as temporary as the archive.
 */
const pack = (name: string) =>
  Effect.gen(function*() {
    const environment = yield* Environment
    const npm = Programs.find(Programs.searchPath(environment, []), "npm")
    if (npm === undefined) return yield* Effect.fail("npm is not on PATH")
    const folder = yield* temporaryFolder
    yield* Effect.tryPromise({
      try: (signal) =>
        promisify(execFile)(npm, ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder, "--", name], {
          cwd: folder,
          env: {
            ...Programs.variables(environment, []),
            npm_config_cache: join(folder, "cache"),
            npm_config_ignore_scripts: "true",
            npm_config_logs_max: "0",
            npm_config_update_notifier: "false"
          },
          maxBuffer: 1024 * 1024,
          timeout: 300_000,
          signal
        }),
      catch: (error) => `npm can't fetch it: ${npmFailure(error as Error & { readonly stderr?: string })}`
    })
    const [file] = fs.readdirSync(folder).filter((name) => name.endsWith(".tgz"))
    return file === undefined ? yield* Effect.fail("npm packed no file") : yield* readPacked(join(folder, file))
  })

/** The code and the first sentence of npm's report. */
const npmFailure = ({ message, stderr = "" }: { readonly message: string; readonly stderr?: string }): string => {
  const lines = stderr.split("\n").flatMap((line) => /^npm (?:error|ERR!) (.*\S)/.exec(line)?.[1] ?? [])
  const code = lines.find((line) => line.startsWith("code "))?.slice(5)
  const text = lines.find((line) => !/^(?:code|errno|syscall|path) /.test(line)) ?? message.split("\n", 1)[0]!
  return (code === undefined ? text : `${code}: ${text}`).slice(0, 300)
}
