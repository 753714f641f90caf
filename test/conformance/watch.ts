/**
 * What this process does to the world while something runs, seen where Node hands it to the system: files that are opened, listed and
 * changed, programs that are started, sockets that are connected. Whatever a program that is started does itself is not seen, but for
 * what it leaves in the files.
 */
import child from "node:child_process"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"
import { join, resolve } from "node:path"

/** `path` is absolute, links of `/proc/self/fd` followed; `place` is `host:port`. */
export type Seen =
  | { readonly _tag: "Read" | "Edit"; readonly path: string }
  | { readonly _tag: "Started"; readonly program: string }
  | { readonly _tag: "Connected"; readonly place: string }

const { O_APPEND, O_CREAT, O_RDWR, O_TRUNC, O_WRONLY } = fs.constants
const original = { readlinkSync: fs.readlinkSync }

/** Changes are made relative to the descriptor of a folder. */
const real = (path: string): string => {
  const [, descriptor, rest = ""] = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/.exec(path) ?? []
  if (descriptor === undefined) return resolve(path)
  try {
    return join(original.readlinkSync(`/proc/self/fd/${descriptor}`), rest)
  } catch {
    return path
  }
}

const changes = (flags: unknown): boolean =>
  typeof flags === "number" ? (flags & (O_APPEND | O_CREAT | O_RDWR | O_TRUNC | O_WRONLY)) !== 0 : /[wa+]/.test(String(flags ?? "r"))

/** Functions of node:fs by what they do to the paths that they are given first. */
const reads = ["readFile", "readFileSync", "readdir", "readdirSync", "opendir", "opendirSync", "createReadStream"]
const edits = [
  "appendFile", "appendFileSync", "chmod", "chmodSync", "createWriteStream", "link", "linkSync", "mkdir", "mkdirSync", "rm", "rmSync", "rmdir", "rmdirSync", "symlink", "symlinkSync", "truncate",
  "truncateSync", "unlink", "unlinkSync", "utimes", "writeFile", "writeFileSync"
]
const both = ["copyFile", "copyFileSync", "cp", "cpSync", "rename", "renameSync"]

type Functions = Record<string, unknown>
type Call = (...args: Array<unknown>) => unknown

/** Puts a look in front of a function; gives what takes it away. */
const before = (target: object, name: string, look: (args: ReadonlyArray<unknown>) => void): (() => void) => {
  const functions = target as Functions
  const call = functions[name]
  if (typeof call !== "function") return () => {}
  functions[name] = Object.assign(function(this: unknown, ...args: Array<unknown>) {
    look(args)
    return (call as Call).apply(this, args)
  }, call)
  return () => void (functions[name] = call)
}

/** Everything that was done until the promise is kept. */
export const watch = async <A>(body: () => Promise<A>): Promise<{ readonly value: A; readonly seen: ReadonlyArray<Seen> }> => {
  const seen: Array<Seen> = []
  const file = (_tag: "Read" | "Edit", path: unknown) => {
    if (typeof path === "string" || path instanceof URL || Buffer.isBuffer(path)) seen.push({ _tag, path: real(path instanceof URL ? path.pathname : String(path)) })
  }
  const undo = [fs, fs.promises].flatMap((api) => [
    ...reads.map((name) => before(api, name, ([path]) => file("Read", path))),
    ...edits.map((name) => before(api, name, (args) => file("Edit", name.startsWith("link") || name.startsWith("symlink") ? args[1] : args[0]))),
    ...both.map((name) => before(api, name, ([from, to]) => (file(name.startsWith("rename") ? "Edit" : "Read", from), file("Edit", to)))),
    ...["open", "openSync"].map((name) => before(api, name, ([path, flags]) => file(changes(flags) ? "Edit" : "Read", path)))
  ])
  undo.push(
    before(child.ChildProcess.prototype, "spawn", ([options]) => void seen.push({ _tag: "Started", program: (options as { readonly file: string }).file })),
    before(net.Socket.prototype, "connect", (args) => {
      const [first] = (Array.isArray(args[0]) ? args[0] : args) as ReadonlyArray<{ readonly host?: string; readonly port?: number; readonly path?: string }>
      seen.push({ _tag: "Connected", place: first?.path ?? `${first?.host ?? "localhost"}:${first?.port}` })
    })
  )
  syncBuiltinESMExports()
  try {
    return { value: await body(), seen }
  } finally {
    undo.toReversed().forEach((one) => one())
    syncBuiltinESMExports()
  }
}
