/**
 * A git repository beside the workspace that holds its files at moments of sessions. The user's own repository is
 * only read (branch and HEAD). Each process has an index of its own, so that no lock is shared; the newest one is
 * kept as the start of the next.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join, relative } from "node:path"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as LeftOut from "../../../domain/workspace/CheckpointExcludes.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import * as Git from "../git/Git.ts"
import * as Loose from "./GitObjects.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"

export interface Options {
  /** The workspace's folder, behind all links. */
  readonly root: string
  /** Where the repository is kept. */
  readonly folder: string
  /** Names this process's index. */
  readonly index: string
  /** PATH, to find git. */
  readonly path: string
  readonly maxFiles: number
}

export type Repository = Effect.Success<ReturnType<typeof open>>

/** Opens the repository, and makes it at first. */
export const open = Effect.fnUntraced(function*({ folder, index: name, maxFiles, path, root }: Options) {
  const indexes = join(folder, "indexes")
  const own = join(indexes, name)
  const newest = join(indexes, "newest")
  const env = { GIT_DIR: folder, GIT_WORK_TREE: root, GIT_INDEX_FILE: own }
  const git = (args: ReadonlyArray<string>, stdin?: string) =>
    Git.check(path)({ args, cwd: root, env, ...(stdin === undefined ? {} : { stdin }) })

  if (!fs.existsSync(folder)) {
    // Made beside it and put in place whole: a start that is cut short leaves nothing half made.
    const unfinished = `${folder}.${name}`
    yield* Effect.try({
      try: () => {
        fs.rmSync(unfinished, { recursive: true, force: true })
        fs.mkdirSync(join(unfinished, "indexes"), { recursive: true, mode: 0o700 })
      },
      catch: failed
    })
    yield* Git.check(path)({ args: ["init", "--quiet", "--bare", "--template=", unfinished], cwd: root })
    yield* Effect.try({ try: () => putInPlace(unfinished, folder), catch: failed })
  }
  yield* Effect.try({
    try: () => {
      for (const left of fs.readdirSync(indexes).filter(isLeft)) fs.rmSync(join(indexes, left), { force: true })
      if (fs.existsSync(newest)) copyIndex(newest, own)
      configure(folder, root)
    },
    catch: failed
  })

  /** The tree of the index, while nothing else has changed it. */
  let known: string | undefined

  /** What differs from the index: `fresh` files, nested repositories by their files, and `stale` ones, changed or gone. */
  const scan = Effect.gen(function*() {
    // One process for all of it: each costs as much as the scan itself on a busy machine.
    const found = yield* git(["ls-files", "-z", "-t", "--others", "--modified", "--deleted", "--exclude-standard"])
    const fresh: Array<string> = []
    const stale = new Set<string>()
    for (const tagged of entriesOf(found)) {
      const path = tagged.slice("? ".length)
      if (!tagged.startsWith("?")) stale.add(path)
      else if (path.endsWith("/")) fresh.push(...(yield* filesOfNested(path)))
      else fresh.push(path)
    }
    return { fresh, stale: [...stale] }
  })

  /** Git does not look into a repository within another; with that one as the work tree it sees plain files. */
  const filesOfNested: (folder: string) => Effect.Effect<ReadonlyArray<string>, CheckpointError> = Effect.fnUntraced(function*(nested: string) {
    const at = join(root, nested)
    const found = yield* Git.check(path)({
      args: ["ls-files", "-z", "--others", "--exclude-standard"],
      cwd: at,
      env: { ...env, GIT_WORK_TREE: at, GIT_INDEX_FILE: join(indexes, "none") }
    })
    const paths = entriesOf(found)
    const deeper = yield* Effect.forEach(
      paths.filter((path) => path.endsWith("/")),
      (path) => filesOfNested(nested + path)
    )
    return [...paths.filter((path) => !path.endsWith("/")).map((path) => nested + path), ...deeper.flat()]
  })

  /**
   * Takes the files as they are now into the index and gives their tree. A file that changes or goes while it is taken makes git give up: then once more.
   */
  const tree = (options: Take = {}) => Effect.retry(take(options), { times: 2, while: ({ reason }) => reason === "Failed" })

  const take = Effect.fnUntraced(function*({ against, also = [] }: Take) {
    // Nobody else writes this index: a lock is of a git that was killed.
    yield* Effect.sync(() => fs.rmSync(`${own}.lock`, { force: true }))
    const { fresh, stale } = yield* scan
    if (fresh.length > maxFiles) {
      return yield* new CheckpointError({ reason: "Refused", message: `The workspace has more than ${maxFiles} files.` })
    }
    const takes = (path: string) => canTake(join(root, path))
    const keep = [...fresh, ...stale, ...also].filter(takes)
    const leave = stale.filter((path) => !takes(path))
    const changes = keep.length + leave.length
    if (changes === 0 && known !== undefined) return { id: known }
    known = undefined
    if (leave.length > 0) yield* git(["update-index", "--force-remove", "-z", "--stdin"], lines(leave))
    if (keep.length > 0) {
      // Above the threshold git streams into one pack: a file for each object would make a first snapshot slow.
      const threshold = keep.length > 500 ? ["-c", "core.bigFileThreshold=1"] : []
      yield* git([...threshold, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"], lines(keep))
    }
    const [written, numstat] = yield* Effect.all([
      git(["write-tree", "--missing-ok"]),
      against === undefined ? Effect.succeed(undefined) : git(["diff-index", "--cached", "--no-renames", "--numstat", "-z", against])
    ], { concurrency: 2 })
    const id = written.trim()
    if (changes > 0) yield* Effect.try({ try: () => publish(own, newest), catch: failed })
    known = id
    return numstat === undefined ? { id } : { id, numstat }
  })

  /** A commit by nobody in particular, at the time given (ms since the epoch), as the newest of `ref`; fails when `parent` is not the newest. */
  const commit = Effect.fnUntraced(function*({ message, parent, ref, time, tree }: Commit) {
    return yield* Effect.try({
      try: () => {
        const id = Loose.commit(folder, { tree, parent, message, time })
        Loose.point(folder, ref, id, parent)
        return id
      },
      catch: failed
    })
  }, Effect.uninterruptible)

  /** Puts entries of another tree into the index: what follows is no longer the tree that was taken. */
  const index = Effect.fnUntraced(function*(args: ReadonlyArray<string>, stdin: string) {
    known = undefined
    yield* git(["update-index", ...args], stdin)
  })

  /** Drops what no ref and no index needs; left undone while another process takes a tree here. */
  const prune = Effect.gen(function*() {
    const others = yield* Effect.sync(() => fs.readdirSync(indexes).filter((file) => file !== name && file !== "newest" && /^\d+-\d+$/.test(file)))
    if (others.length > 0) return
    yield* git(["repack", "-a", "-d", "-q"])
    yield* git(["prune", "--expire=now"])
  })

  return { git, tree, commit, index, prune, run: (args: ReadonlyArray<string>) => Git.run(path)({ args, cwd: root, env }) }
})

/** `also` names files to take even when ignored; `against` is a tree to count the difference from, as git's numstat. */
export interface Take {
  readonly also?: ReadonlyArray<string>
  readonly against?: string | undefined
}

export interface Commit {
  readonly ref: string
  readonly tree: string
  readonly parent: string | undefined
  readonly message: string
  readonly time: number
}

/** The list that is left out (with what the user's own repository leaves out), and attributes that keep every file as it is, byte for byte. */
const configure = (folder: string, root: string): void => {
  const inside = Root.contains(root, folder) ? [`/${relative(root, folder)}/`] : []
  const users = readIfThere(join(root, ".git/info/exclude"))
  fs.mkdirSync(join(folder, "info"), { recursive: true })
  fs.writeFileSync(join(folder, "info/attributes"), "* -text -filter -ident -working-tree-encoding !eol !merge !diff\n")
  fs.writeFileSync(join(folder, "info/exclude"), [...Object.values(LeftOut.patterns).flat(), ...inside, users].join("\n"))
}

const readIfThere = (path: string): string => {
  try {
    return fs.readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** What is too large, not readable or no file is not taken; what is gone is taken as gone. */
const canTake = (path: string): boolean => {
  try {
    const stat = fs.lstatSync(path)
    if (stat.isSymbolicLink()) return true
    if (!stat.isFile() || stat.size > LeftOut.largest) return false
    fs.accessSync(path, fs.constants.R_OK)
    return true
  } catch (cause) {
    return missing.has((cause as NodeJS.ErrnoException).code ?? "")
  }
}

const missing: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"])

/** Another process may have been first: then its repository is as good. */
const putInPlace = (unfinished: string, folder: string): void => {
  try {
    fs.renameSync(unfinished, folder)
  } catch (cause) {
    fs.rmSync(unfinished, { recursive: true, force: true })
    if (!fs.existsSync(folder)) throw cause
  }
}

/** Whether an index is of a process that is gone: `newest` and `none` are nobody's. */
const isLeft = (file: string): boolean => {
  const pid = /^(\d+)-/.exec(file)?.[1]
  return pid !== undefined && !ProcessTree.exists(Number(pid))
}

const publish = (own: string, newest: string): void => {
  copyIndex(own, `${own}.copy`)
  fs.renameSync(`${own}.copy`, newest)
}

/** Copies an index with its time: by it git knows which files may have changed in the moment after they were taken. */
export const copyIndex = (from: string, to: string): void => {
  fs.copyFileSync(from, to)
  const { atime, mtimeMs } = fs.statSync(from)
  fs.utimesSync(to, atime, Math.floor(mtimeMs) / 1000)
}

const entriesOf = (text: string): ReadonlyArray<string> => text.split("\0").filter((entry) => entry !== "")

const lines = (paths: ReadonlyArray<string>): string => paths.map((path) => `${path}\0`).join("")

const failed = (cause: unknown) => new CheckpointError({ reason: "Failed", message: (cause as Error).message })
