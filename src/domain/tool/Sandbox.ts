/**
 * What a command may do to the machine, in the words of the two sandboxes: bubblewrap's arguments (Linux) and a
 * Seatbelt profile (macOS). Pure: what is there was looked up before.
 */
import * as Schema from "effect/Schema"
import * as Defaults from "../approval/ProtectedPaths.ts"

/** `read-only`: nothing is changed. `workspace-write`: the roots and temporary files. `danger-full-access`: no sandbox. */
export const Mode = Schema.Literals(["read-only", "workspace-write", "danger-full-access"]).annotate({ identifier: "SandboxMode" })
export type Mode = typeof Mode.Type

/** What the user asks for; without `network` a command reaches nothing, not even this machine's own ports. */
export interface Asked {
  readonly mode: Mode
  readonly network: boolean
}

/** All paths are absolute and real. */
export interface Confinement extends Asked {
  readonly mode: Exclude<Mode, "danger-full-access">
  readonly roots: ReadonlyArray<string>
  /** Inside the roots, there, and not to be changed. */
  readonly readOnly: ReadonlyArray<string>
  /** Inside the roots, not there, and not to be made. */
  readonly missing: ReadonlyArray<string>
  /** Folders that a command does not see: our own, and those of sockets of other programs. */
  readonly hidden: ReadonlyArray<string>
  /** The folder that stands for /tmp where there may be changes; elsewhere /tmp is empty, and gone with the command. */
  readonly temporary: string
}

/** Folders at a root that programs run or obey: they can't be made by a command that is confined. */
const absent = [".git", ".githooks", ".husky", ".dacapo", ".claude", ".codex", ".agents", ".vscode"]

/** What a root's own entries mean for a command that may write there: those that are protected, and those that are missing. */
export const guarded = (root: string, entries: ReadonlyArray<string>): Pick<Confinement, "missing" | "readOnly"> => ({
  readOnly: entries.map((entry) => `${root}/${entry}`).filter((path) => Defaults.writing(path) !== undefined && (Defaults.writing(root) === undefined || /\/\.git$/i.test(path))),
  missing: absent.filter((name) => !entries.some((entry) => entry.toLowerCase() === name)).map((name) => `${root}/${name}`)
})

/** The arguments of `bwrap` before the command. What is mounted later lies over what was mounted before. */
export const bubblewrap = (
  { hidden, missing, mode, network, readOnly, roots, temporary }: Confinement,
  cwd: string
): ReadonlyArray<string> => {
  const writes = mode === "workspace-write"
  const bind = writes ? "--bind" : "--ro-bind"
  return [
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    "--die-with-parent",
    "--new-session",
    "--cap-drop", "ALL",
    "--ro-bind", "/", "/",
    "--dev", "/dev",
    "--proc", "/proc",
    ...hidden.flatMap((folder) => ["--tmpfs", folder]),
    ...(writes ? ["--bind", temporary, "/tmp"] : ["--tmpfs", "/tmp"]),
    ...roots.flatMap((root) => [bind, root, root]),
    ...(writes ? readOnly.flatMap((path) => ["--ro-bind", path, path]) : []),
    ...(writes ? missing.flatMap((path) => ["--tmpfs", path, "--remount-ro", path]) : []),
    "--setenv", "TMPDIR", "/tmp",
    "--chdir", cwd,
    "--"
  ]
}

/** A profile for `sandbox-exec -p`; of two rules that match, the later one counts. */
export const seatbelt = ({ hidden, missing, mode, network, readOnly, roots, temporary }: Confinement): string => {
  const paths = (all: ReadonlyArray<string>) => all.map((path) => `  (subpath ${quoted(path)})`)
  const rule = (head: string, all: ReadonlyArray<string>) => all.length === 0 ? [] : [`(${head}`, ...paths(all), ")"]
  return [
    "(version 1)",
    "(allow default)",
    ...(network ? [] : ["(deny network*)"]),
    "(deny file-write*)",
    ...rule("deny file-read* file-write*", hidden),
    "(allow file-write*",
    ...["/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/tty"].map((path) => `  (literal ${quoted(path)})`),
    ")",
    ...(mode === "workspace-write" ? [...rule("allow file-write*", [...roots, temporary]), ...rule("deny file-write*", [...readOnly, ...missing])] : [])
  ].join("\n")
}

const quoted = (path: string): string => `"${path.replace(/["\\]/g, "\\$&")}"`
