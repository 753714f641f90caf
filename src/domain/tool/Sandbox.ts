/**
 * What a command may do to the machine, in the terms of the two sandboxes: bubblewrap's arguments (Linux) and a
 * Seatbelt profile (macOS). Pure: what exists was looked up before.
 */
import * as Schema from "effect/Schema"
import * as ProtectedPaths from "../approval/ProtectedPaths.ts"

/** `read-only`: no writes. `workspace-write`: the roots and temporary files. `danger-full-access`: no sandbox. */
export const Mode = Schema.Literals(["read-only", "workspace-write", "danger-full-access"]).annotate({ identifier: "SandboxMode" })
export type Mode = typeof Mode.Type

/** The user's choices; without `network` a command reaches nothing, not even this machine's own ports. */
export interface SandboxOptions {
  readonly mode: Mode
  readonly network: boolean
  /** Folders that neither commands nor reads outside the workspace reach, besides our own; the workspace may be in one of them. */
  readonly hidden?: ReadonlyArray<string>
}

/** All paths are absolute and real. */
export interface Confinement extends SandboxOptions {
  readonly mode: Exclude<Mode, "danger-full-access">
  readonly roots: ReadonlyArray<string>
  /** Paths inside the roots that exist and must not change. */
  readonly readOnly: ReadonlyArray<string>
  /** Folders inside the roots that can't be renamed: with one, what is read-only in it would move to another place. Outermost first. */
  readonly fixed: ReadonlyArray<string>
  /** Paths inside the roots that do not exist and must not be created. */
  readonly missing: ReadonlyArray<string>
  /** Folders hidden from a command: our own, those with sockets of other programs, and those that the options name. */
  readonly hidden: ReadonlyArray<string>
  /** Folders within those that a command may read: installed plugins. */
  readonly visible?: ReadonlyArray<string>
  /** The folder used as /tmp in writable sandboxes; elsewhere /tmp is empty and discarded after the command. */
  readonly temporary: string
  /** The descriptor from which bubblewrap reads the system call filter (SocketFilter). */
  readonly filter?: number
}

/**
 * Files in a root that programs run or obey: a sandboxed command can't create them. While the command runs, an empty
 * folder, which git does not list, takes the place of each; files whose readers can't cope with that (mise.toml,
 * .yarnrc.yml, .gitmodules, AGENTS.md, .env) are not included.
 */
const protectedNames = [
  ".git",
  ".githooks",
  ".husky",
  ".dacapo",
  ".claude",
  ".codex",
  ".agents",
  ".cursor",
  ".gemini",
  ".opencode",
  ".vscode",
  ".idea",
  ".github",
  ".devcontainer",
  ".envrc",
  ".gitattributes",
  ".mcp.json",
  ".npmrc"
]

/**
 * Classifies a root's entries for a command that may write there: those that are protected, and those that are missing. The
 * location of the root itself does not matter. `nestedRepositories` are repositories further down, by the paths of their `.git`.
 */
export const protectedPaths = (
  root: string,
  entries: ReadonlyArray<string>,
  nestedRepositories: ReadonlyArray<string> = []
): Pick<Confinement, "fixed" | "missing" | "readOnly"> => ({
  fixed: [...new Set(nestedRepositories.flatMap(foldersOf))].sort().map((path) => `${root}/${path}`),
  readOnly: [...entries.filter((entry) => ProtectedPaths.writeProtection(`/workspace/${entry}`) !== undefined), ...nestedRepositories].map((
    path
  ) => `${root}/${path}`),
  missing: protectedNames.filter((name) => !entries.some((entry) => entry.toLowerCase() === name)).map((name) => `${root}/${name}`)
})

/** The folders on the way to a path. */
const foldersOf = (path: string): ReadonlyArray<string> =>
  path.split("/").slice(0, -1).map((_, i, names) => names.slice(0, i + 1).join("/"))

/** The arguments of `bwrap` before the command. Later mounts cover earlier ones. */
export const bubblewrap = (
  { filter, fixed, hidden, missing, mode, network, readOnly, roots, temporary, visible = [] }: Confinement,
  cwd: string
): ReadonlyArray<string> => {
  const canWrite = mode === "workspace-write"
  const bind = canWrite ? "--bind" : "--ro-bind"
  const isInRoot = (folder: string) => roots.some((root) => folder.startsWith(`${root}/`))
  return [
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...hidden.filter((folder) => !isInRoot(folder)).flatMap((folder) => ["--tmpfs", folder]),
    ...visible.filter((folder) => !isInRoot(folder)).flatMap((folder) => ["--ro-bind", folder, folder]),
    ...(canWrite ? ["--bind", temporary, "/tmp"] : ["--tmpfs", "/tmp"]),
    ...roots.flatMap((root) => [bind, root, root]),
    ...hidden.filter(isInRoot).flatMap((folder) => ["--tmpfs", folder]),
    ...visible.filter(isInRoot).flatMap((folder) => ["--ro-bind", folder, folder]),
    // A mount point can't be renamed.
    ...(canWrite ? fixed.flatMap((path) => ["--bind", path, path]) : []),
    ...(canWrite ? readOnly.flatMap((path) => ["--ro-bind", path, path]) : []),
    ...(canWrite ? missing.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]) : []),
    ...(filter === undefined ? [] : ["--seccomp", String(filter)]),
    "--setenv",
    "TMPDIR",
    "/tmp",
    "--chdir",
    cwd,
    "--"
  ]
}

/** A profile for `sandbox-exec -p`. */
export const seatbelt = ({ fixed, hidden, missing, mode, network, readOnly, roots, temporary, visible = [] }: Confinement): string => {
  const paths = (all: ReadonlyArray<string>) => all.map((path) => `  (subpath ${quote(path)})`)
  const rule = (head: string, all: ReadonlyArray<string>) => all.length === 0 ? [] : [`(${head}`, ...paths(all), ")"]
  /** If two rules match, the later one applies: what is hidden around a root comes before the root. */
  const around = hidden.filter((folder) => roots.some((root) => root.startsWith(`${folder}/`)))
  return [
    "(version 1)",
    "(allow default)",
    ...(network ? [] : ["(deny network*)"]),
    ...rule("deny file-read*", around),
    ...(around.length === 0 ? [] : rule("allow file-read*", roots)),
    "(deny file-write*)",
    "(allow file-write*",
    ...["/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/tty"].map((path) => `  (literal ${quote(path)})`),
    ")",
    ...(mode === "workspace-write"
      ? [
        ...rule("allow file-write*", [...roots, temporary]),
        ...rule("deny file-write*", [...readOnly, ...missing]),
        ...fixed.map((path) => `(deny file-write-unlink (literal ${quote(path)}))`)
      ]
      : []),
    ...rule("deny file-read* file-write*", hidden.filter((folder) => !around.includes(folder))),
    ...rule("allow file-read*", visible)
  ].join("\n")
}

const quote = (path: string): string => `"${path.replace(/["\\]/g, "\\$&")}"`

// The requested sandbox is unavailable here; nothing runs without it.

export class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", {
  mode: Schema.String,
  message: Schema.String
}) {}
