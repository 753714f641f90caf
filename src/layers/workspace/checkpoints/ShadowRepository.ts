/**
 * A git repository beside the workspace that stores its files during sessions. The user's own repository is only read (branch and
 * HEAD). Each process has its own index, so that no lock is shared; the newest one is kept as the start for the next.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join, relative } from "node:path"
import { optional } from "../../../domain/Optional.ts"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as CheckpointExcludes from "../../../domain/workspace/CheckpointExcludes.ts"
import * as Ignore from "../../../domain/workspace/Ignore.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import * as PathGuard from "../files/PathGuard.ts"
import * as Git from "../git/Git.ts"
import * as GitObjects from "./GitObjects.ts"
import * as ProcessTree from "../shell/ProcessTree.ts"
import { sha256 } from "../../storage/Digest.ts"

export interface Options {
  /** The workspace's folder, with all links resolved. */
  readonly root: string
  /** Where the repository is stored. */
  readonly folder: string
  /** Names this process's index. */
  readonly index: string
  /** PATH, to find git. */
  readonly path: string
  readonly maxFiles: number
}

export type Repository = Effect.Success<ReturnType<typeof open>>

/** The repository's folder for a workspace, in the data folder. */
export const folderOf = (data: string, root: string): string => join(data, "checkpoints", sha256(root).slice(0, 24))

/** Session ids are UUIDs; anything else is named by its hash, as not every text can be a ref. */
export const refOf = (session: string): string => `refs/sessions/${/^[\w-]{1,64}$/.test(session) ? session : sha256(session)}`

/** Opens the repository, and creates it the first time. */
export const open = Effect.fnUntraced(function*({ folder, index: name, maxFiles, path, root }: Options) {
  const indexes = join(folder, "indexes")
  const indexFile = join(indexes, name)
  const newestIndex = join(indexes, "newest")
  const env = { GIT_DIR: folder, GIT_WORK_TREE: root, GIT_INDEX_FILE: indexFile }
  const git = (args: ReadonlyArray<string>, stdin?: string) => Git.check(path)({ args, cwd: root, env, ...optional({ stdin }) })

  if (!fs.existsSync(folder)) {
    // Created beside it and moved into place: an interrupted start leaves nothing incomplete.
    const temporaryFolder = `${folder}.${name}`
    yield* Effect.try({
      try: () => {
        fs.rmSync(temporaryFolder, { recursive: true, force: true })
        fs.mkdirSync(join(temporaryFolder, "indexes"), { recursive: true, mode: 0o700 })
      },
      catch: failure
    })
    yield* Git.check(path)({ args: ["init", "--quiet", "--bare", "--template=", temporaryFolder], cwd: root })
    yield* Effect.try({ try: () => moveIntoPlace(temporaryFolder, folder), catch: failure })
  }
  yield* Effect.try({
    try: () => {
      for (const leftover of fs.readdirSync(indexes).filter(isLeftover)) fs.rmSync(join(indexes, leftover), { force: true })
      if (fs.existsSync(newestIndex)) copyIndex(newestIndex, indexFile)
      configure(folder, root)
    },
    catch: failure
  })

  /** How many files the current or last tree adds, and how many it has added. */
  let progress = { saved: 0, total: 0 }

  /** The tree of the index, while nothing else has changed it. */
  let lastTree: string | undefined

  /** What differs from the index: `fresh` files, nested repositories by their files, and `stale` ones, changed or deleted. */
  const scan = Effect.gen(function*() {
    // One process for all of it: on a busy machine each costs as much as the scan itself.
    const output = yield* git(["ls-files", "-z", "-t", "--others", "--modified", "--deleted", "--exclude-standard"])
    const newPaths: Array<string> = []
    const stale = new Set<string>()
    for (const line of entriesOf(output)) {
      const path = line.slice("? ".length)
      if (!line.startsWith("?")) stale.add(path)
      else if (path.endsWith("/")) newPaths.push(...(yield* filesOfNested(path)))
      else newPaths.push(path)
    }
    return { fresh: newPaths, stale: [...stale] }
  })

  /** Git does not look into a repository within another; with that one as the work tree it sees plain files. */
  const filesOfNested: (folder: string) => Effect.Effect<ReadonlyArray<string>, CheckpointError> = Effect.fnUntraced(
    function*(nestedFolder: string) {
      const nestedPath = join(root, nestedFolder)
      const output = yield* Git.check(path)({
        args: ["ls-files", "-z", "--others", "--exclude-standard"],
        cwd: nestedPath,
        env: { ...env, GIT_WORK_TREE: nestedPath, GIT_INDEX_FILE: join(indexes, "none") }
      })
      const paths = entriesOf(output)
      const nestedFiles = yield* Effect.forEach(
        paths.filter((path) => path.endsWith("/")),
        (path) => filesOfNested(nestedFolder + path)
      )
      return [...paths.filter((path) => !path.endsWith("/")).map((path) => nestedFolder + path), ...nestedFiles.flat()]
    }
  )

  /**
   * Adds the current files to the index and returns their tree. If a file changes or disappears meanwhile, git gives
   * up: then it is repeated once.
   */
  const tree = (options: TreeOptions = {}) => Effect.retry(takeTree(options), { times: 2, while: ({ reason }) => reason === "Failed" })

  const takeTree = Effect.fnUntraced(function*({ against, extraPaths = [] }: TreeOptions) {
    // Nobody else writes this index: a lock is left over from a killed git.
    yield* Effect.sync(() => fs.rmSync(`${indexFile}.lock`, { force: true }))
    progress = { saved: 0, total: 0 }
    const { fresh, stale } = yield* scan
    if (fresh.length > maxFiles) {
      return yield* new CheckpointError({ reason: "Refused", message: `The workspace has more than ${maxFiles} files.` })
    }
    const isClosed = PathGuard.makeIsClosed(root)
    const isIncluded = (path: string) => !isClosed(path) && canStore(join(root, path))
    const additions = [...fresh, ...stale, ...extraPaths].filter(isIncluded)
    // A file that one of our ignore files has closed since is in no tree from now on.
    const hasAccessRules = [...fresh, ...stale].some((path) => Ignore.accessFiles.includes(path.slice(path.lastIndexOf("/") + 1)))
    const closedPaths = hasAccessRules ? entriesOf(yield* git(["ls-files", "-z", "--cached"])).filter(isClosed) : []
    const removals = [...new Set([...stale.filter((path) => !isIncluded(path)), ...closedPaths])]
    const changes = additions.length + removals.length
    if (changes === 0 && lastTree !== undefined) return { id: lastTree }
    lastTree = undefined
    if (removals.length > 0) yield* git(["update-index", "--force-remove", "-z", "--stdin"], nulTerminated(removals))
    if (additions.length > 0) {
      // Above the threshold git streams into one pack: a file for each object would make a first snapshot slow.
      const threshold = additions.length > 500 ? ["-c", "core.bigFileThreshold=1"] : []
      progress = { saved: 0, total: additions.length }
      for (const batch of Arr.chunksOf(additions, batchSize)) {
        yield* git([...threshold, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"], nulTerminated(batch))
        progress = { ...progress, saved: progress.saved + batch.length }
      }
    }
    const [treeOutput, numstat] = yield* Effect.all([
      git(["write-tree", "--missing-ok"]),
      against === undefined ? Effect.succeed(undefined) : git(["diff-index", "--cached", "--no-renames", "--numstat", "-z", against])
    ], { concurrency: 2 })
    const id = treeOutput.trim()
    if (changes > 0) yield* Effect.try({ try: () => publish(indexFile, newestIndex), catch: failure })
    lastTree = id
    return numstat === undefined ? { id } : { id, numstat }
  })

  /**
   * A commit with a neutral author, at the given time (ms since the epoch), as the newest of `ref`; fails if `parent`
   * is not the newest.
   */
  const commit = Effect.fnUntraced(function*({ message, parent, ref, time, tree }: Commit) {
    return yield* Effect.try({
      try: () => {
        const id = GitObjects.commit(folder, { tree, parent, message, time })
        GitObjects.updateRef(folder, ref, id, parent)
        return id
      },
      catch: failure
    })
  }, Effect.uninterruptible)

  /** Puts entries of another tree into the index, which then no longer matches the captured tree. */
  const index = Effect.fnUntraced(function*(args: ReadonlyArray<string>, stdin: string) {
    lastTree = undefined
    yield* git(["update-index", ...args], stdin)
  })

  /** Removes what no ref and no index needs; skipped while another process captures a tree here. */
  const prune = Effect.gen(function*() {
    const otherIndexes = yield* Effect.sync(() =>
      fs.readdirSync(indexes).filter((file) => file !== name && file !== "newest" && /^\d+-/.test(file))
    )
    if (otherIndexes.length > 0) return
    yield* git(["repack", "-a", "-d", "-q"])
    yield* git(["prune", "--expire=now"])
  })

  return {
    git,
    tree,
    progress: () => progress,
    commit,
    index,
    prune,
    run: (args: ReadonlyArray<string>, stdin?: string | Uint8Array) => Git.run(path)({ args, cwd: root, env, ...optional({ stdin }) })
  }
})

/** How many files are added at once, so that a first checkpoint of a large workspace can report its progress. */
const batchSize = 5_000

/** `extraPaths` names files to include even if ignored; `against` is a tree to compare with, as git's numstat. */
export interface TreeOptions {
  readonly extraPaths?: ReadonlyArray<string>
  readonly against?: string | undefined
}

export interface Commit {
  readonly ref: string
  readonly tree: string
  readonly parent: string | undefined
  readonly message: string
  readonly time: number
}

/** The exclude list (including that of the user's own repository), and attributes that preserve every file byte for byte. */
const configure = (folder: string, root: string): void => {
  const inside = Root.contains(root, folder) ? [`/${relative(root, folder)}/`] : []
  const userExcludes = readIfExists(join(root, ".git/info/exclude"))
  fs.mkdirSync(join(folder, "info"), { recursive: true })
  fs.writeFileSync(join(folder, "info/attributes"), "* -text -filter -ident -working-tree-encoding !eol !merge !diff\n")
  fs.writeFileSync(
    join(folder, "info/exclude"),
    [...Object.values(CheckpointExcludes.excludePatterns).flat(), ...inside, userExcludes].join("\n")
  )
}

const readIfExists = (path: string): string => {
  try {
    return fs.readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Files that are too large, unreadable or not regular are skipped; missing ones count as deleted. */
const canStore = (path: string): boolean => {
  try {
    const stat = fs.lstatSync(path)
    if (stat.isSymbolicLink()) return true
    if (!stat.isFile() || stat.size > CheckpointExcludes.maxFileBytes) return false
    fs.accessSync(path, fs.constants.R_OK)
    return true
  } catch (cause) {
    return missingCodes.has((cause as NodeJS.ErrnoException).code ?? "")
  }
}

const missingCodes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"])

/** Another process may have been first: then its repository is used. */
const moveIntoPlace = (unfinished: string, folder: string): void => {
  try {
    fs.renameSync(unfinished, folder)
  } catch (cause) {
    fs.rmSync(unfinished, { recursive: true, force: true })
    if (!fs.existsSync(folder)) throw cause
  }
}

/** Whether an index belongs to a process that is gone: `newest` and `none` belong to none. */
const isLeftover = (file: string): boolean => {
  const pid = /^(\d+)-/.exec(file)?.[1]
  return pid !== undefined && !ProcessTree.exists(Number(pid))
}

const publish = (indexFile: string, newestIndex: string): void => {
  copyIndex(indexFile, `${indexFile}.copy`)
  fs.renameSync(`${indexFile}.copy`, newestIndex)
}

/** Copies an index with its time stamp: git uses it to know which files may have changed just after they were captured. */
export const copyIndex = (from: string, to: string): void => {
  fs.copyFileSync(from, to)
  const { atime, mtimeMs } = fs.statSync(from)
  fs.utimesSync(to, atime, Math.floor(mtimeMs) / 1000)
}

const entriesOf = (text: string): ReadonlyArray<string> => text.split("\0").filter((entry) => entry !== "")

/** Paths as git reads them with `-z`. */
export const nulTerminated = (paths: ReadonlyArray<string>): string => paths.map((path) => `${path}\0`).join("")

const failure = (cause: unknown) => new CheckpointError({ reason: "Failed", message: (cause as Error).message })
