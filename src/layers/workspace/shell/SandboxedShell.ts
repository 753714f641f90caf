/** The sandbox around commands, where one was asked for: bubblewrap on Linux, Seatbelt on macOS, else a refusal. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { promisify } from "node:util"
import * as Sandbox from "../../../domain/tool/Sandbox.ts"
import { SandboxError } from "../../../domain/tool/SandboxError.ts"
import type { Environment } from "../../../services/Environment.ts"

/** Puts a sandbox around a program that starts in `cwd`, for as long as the scope is open. */
export type Confine = (argv: ReadonlyArray<string>, cwd: string) => Effect.Effect<ReadonlyArray<string>, never, Scope.Scope>

/** Undefined where none was asked for. */
export const open = Effect.fn("Sandbox.open")(function*(
  { mode, network }: Sandbox.Asked,
  roots: ReadonlyArray<string>,
  environment: Environment["Service"]
): Effect.fn.Return<Confine | undefined, SandboxError, Scope.Scope> {
  if (mode === "danger-full-access") return undefined
  const tool = yield* probe(environment).pipe(Effect.mapError((message) => new SandboxError({ mode, message })))
  const temporary = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(join(fs.realpathSync(environment.variables["TMPDIR"] ?? "/tmp"), "dacapo-tmp-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
  )
  const real = roots.map((root) => fs.realpathSync(root))
  const fixed = { mode, network, temporary, roots: real, hidden: hidden(environment, real, network) }
  return (argv, cwd) =>
    Effect.gen(function*() {
      const guarded = real.map((root) => Sandbox.guarded(root, fs.readdirSync(root)))
      const confinement = { ...fixed, readOnly: guarded.flatMap(({ readOnly }) => readOnly), missing: guarded.flatMap(({ missing }) => missing) }
      if (tool.name === "sandbox-exec") return [tool.path, "-p", Sandbox.seatbelt(confinement), ...argv]
      if (mode === "workspace-write") yield* clearAway(confinement.missing)
      return [tool.path, ...Sandbox.bubblewrap(confinement, fs.realpathSync(cwd)), ...argv]
    })
})

/** A mount needs a place to stand: the empty folders that bubblewrap makes for what is missing go with the command. */
const clearAway = (missing: ReadonlyArray<string>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const path of missing) {
        try {
          fs.rmdirSync(path)
        } catch {
          // It was never made, or it is someone's by now.
        }
      }
    })
  )

/** Our own folders, and where other programs' sockets live (with the network names are resolved there); never one that holds a root. */
const hidden = ({ folders }: Environment["Service"], roots: ReadonlyArray<string>, network: boolean): ReadonlyArray<string> =>
  [...new Set([folders.config, folders.data, folders.state, ...(network ? [] : ["/run"])])].filter((folder) =>
    fs.existsSync(folder) && !fs.lstatSync(folder).isSymbolicLink() && !roots.some((root) => root === folder || root.startsWith(`${folder}/`)))

interface Tool {
  readonly name: "bwrap" | "sandbox-exec"
  readonly path: string
}

/** The platform's sandbox, tried with a program that does nothing; the failure says what is missing. */
export const probe = ({ platform, variables }: Pick<Environment["Service"], "platform" | "variables">): Effect.Effect<Tool, string> =>
  Effect.gen(function*() {
    const name = platform === "darwin" ? "sandbox-exec" : "bwrap"
    if (platform !== "darwin" && platform !== "linux") return yield* Effect.fail(`There is no sandbox for commands on ${platform}.`)
    const folders = [...(variables["PATH"] ?? "").split(delimiter).filter(isAbsolute), "/usr/bin"]
    const path = folders.map((folder) => join(folder, name)).find((file) => fs.existsSync(file))
    if (path === undefined) return yield* Effect.fail(`${name} is not installed: ${platform === "linux" ? "install bubblewrap (on Debian: apt-get install bubblewrap)" : "macOS has it in /usr/bin"}.`)
    const trial = name === "bwrap"
      ? ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", path, "--version"]
      : ["-p", "(version 1)(allow default)", "true"]
    yield* Effect.tryPromise(() => promisify(execFile)(path, trial, { timeout: 10_000 })).pipe(
      Effect.mapError(({ cause }) => `${name} is there and does not work: ${firstLine(cause)} Namespaces of users may be switched off on this machine.`)
    )
    return { name, path }
  })

const firstLine = (cause: unknown): string => {
  const { message = String(cause), stderr } = cause as { readonly stderr?: string; readonly message?: string }
  return `${(stderr || message).trim().split("\n")[0]!.replace(/\.$/, "")}.`
}
