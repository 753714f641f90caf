/** The sandbox around commands, if requested: bubblewrap on Linux, Seatbelt on macOS, else an error. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { arch } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import * as Sandbox from "../../../domain/tool/Sandbox.ts"
import * as SocketFilter from "../../../domain/tool/SocketFilter.ts"
import { SandboxError } from "../../../domain/tool/Sandbox.ts"
import type { Environment } from "../../../services/Environment.ts"
import * as Programs from "../Programs.ts"
import * as Repositories from "../git/Repositories.ts"

/** Puts a sandbox around a program that starts in `cwd`, for as long as the scope is open. */
export type Confine = (argv: ReadonlyArray<string>, cwd: string) => Effect.Effect<ReadonlyArray<string>, never, Scope.Scope>

/** Undefined if none was requested. */
export const open = Effect.fn("Sandbox.open")(function*(
  { hidden = [], mode, network }: Sandbox.SandboxOptions,
  roots: ReadonlyArray<string>,
  environment: Environment["Service"]
): Effect.fn.Return<Confine | undefined, SandboxError, Scope.Scope> {
  if (mode === "danger-full-access") return undefined
  const tool = yield* probe(environment, roots).pipe(Effect.mapError((message) => new SandboxError({ mode, message })))
  const sandboxFolder = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(join(fs.realpathSync(environment.variables["TMPDIR"] ?? "/tmp"), "dacapo-tmp-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
  )
  const temporaryFolder = join(sandboxFolder, "tmp")
  fs.mkdirSync(temporaryFolder)
  const realRoots = roots.map((root) => fs.realpathSync(root))
  const filter = network || tool.name !== "bwrap" ? undefined : socketFilter(sandboxFolder)
  const fixed = {
    mode,
    network,
    temporary: temporaryFolder,
    roots: realRoots,
    hidden: [...new Set([...hiddenFolders(environment, realRoots, network), ...hidden.flatMap(realFolder)])],
    visible: realFolder(join(environment.folders.data, "plugins")),
    ...(filter === undefined ? {} : { filter: filterDescriptor })
  }
  const repositories = Repositories.finder()
  return (argv, cwd) =>
    Effect.gen(function*() {
      const guards = realRoots.map((root) =>
        Sandbox.protectedPaths(root, fs.readdirSync(root), mode === "workspace-write" ? repositories(root) : [])
      )
      const confinement = {
        ...fixed,
        fixed: guards.flatMap(({ fixed }) => fixed),
        readOnly: guards.flatMap(({ readOnly }) => readOnly),
        missing: guards.flatMap(({ missing }) => missing)
      }
      if (tool.name === "sandbox-exec") return [tool.path, "-p", Sandbox.seatbelt(confinement), ...argv]
      if (mode === "workspace-write") yield* removeEmptyFolders(confinement.missing)
      return [...filterPrefix(filter), tool.path, ...Sandbox.bubblewrap(confinement, fs.realpathSync(cwd)), ...argv]
    })
})

/** The descriptor from which bubblewrap reads the filter; a shell opens it and becomes bubblewrap. */
const filterDescriptor = 3

/** The filter in a file that is hidden from commands; undefined if the architecture is unsupported. */
const socketFilter = (folder: string): string | undefined => {
  const bytes = SocketFilter.bytes(arch())
  if (bytes === undefined) return undefined
  const file = join(folder, "filter")
  fs.writeFileSync(file, bytes)
  return file
}

const filterPrefix = (filter: string | undefined): ReadonlyArray<string> =>
  filter === undefined ? [] : ["/bin/sh", "-c", `exec "$@" ${filterDescriptor}< "$0"`, filter]

/** A mount needs a mount point: the empty folders that bubblewrap creates for missing ones are removed after the command. */
const removeEmptyFolders = (missing: ReadonlyArray<string>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const path of missing) {
        try {
          fs.rmdirSync(path)
        } catch {
          // It was never created, or someone uses it by now.
        }
      }
    })
  )

/**
 * Our own folders, and those with other programs' sockets (with network access, names are resolved there); never one
 * that contains a root.
 */
const hiddenFolders = ({ folders }: Environment["Service"], roots: ReadonlyArray<string>, network: boolean): ReadonlyArray<string> =>
  [...new Set([folders.config, folders.data, folders.state, ...(network ? [] : ["/run"])].flatMap(realFolder))].filter((folder) =>
    !roots.some((root) => root === folder || root.startsWith(`${folder}/`))
  )

/** A folder with all links resolved, where a mount covers it under every name; none if it does not exist. */
const realFolder = (folder: string): ReadonlyArray<string> => {
  try {
    const real = fs.realpathSync(folder)
    return fs.statSync(real).isDirectory() ? [real] : []
  } catch {
    return []
  }
}

interface SandboxProgram {
  readonly name: "bwrap" | "sandbox-exec"
  readonly path: string
}

/** The platform's sandbox, tested with a program that does nothing; the failure names what is missing. */
export const probe = (
  environment: Pick<Environment["Service"], "platform" | "variables">,
  roots: ReadonlyArray<string> = []
): Effect.Effect<SandboxProgram, string> =>
  Effect.gen(function*() {
    const { platform, variables } = environment
    const name = platform === "darwin" ? "sandbox-exec" : "bwrap"
    if (platform !== "darwin" && platform !== "linux") return yield* Effect.fail(`Sandboxing commands is not supported on ${platform}.`)
    const path = Programs.find([Programs.searchPath(environment, roots), "/usr/bin"].join(delimiter), name)
    if (path === undefined)
      return yield* Effect.fail(
        `${name} is not installed: ${
          platform === "linux" ? "install bubblewrap (on Debian: apt-get install bubblewrap)" : "macOS has it in /usr/bin"
        }.`
      )
    const trial = name === "bwrap"
      ? [
        "--unshare-all",
        "--die-with-parent",
        "--cap-drop",
        "ALL",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--",
        path,
        "--version"
      ]
      : ["-p", "(version 1)(allow default)", "true"]
    yield* Effect.tryPromise(() => promisify(execFile)(path, trial, { env: { PATH: variables["PATH"] ?? "" }, timeout: 10_000 })).pipe(
      Effect.mapError(({ cause }) =>
        `${name} is installed but does not work: ${firstLine(cause)} User namespaces may be disabled on this machine.`
      )
    )
    return { name, path }
  })

const firstLine = (cause: unknown): string => {
  const { message = String(cause), stderr } = cause as { readonly stderr?: string; readonly message?: string }
  return `${(stderr || message).trim().split("\n")[0]!.replace(/\.$/, "")}.`
}
