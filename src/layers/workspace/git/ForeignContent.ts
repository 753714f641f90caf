/**
 * Whether a repository shows content from elsewhere: its Git folder, objects or configuration may lead to files that lie
 * neither in its work tree nor in its own Git folder (gitrepository-layout(5)).
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as GitSettings from "../../../domain/workspace/GitSettings.ts"
import * as Root from "../../../domain/workspace/Root.ts"

/** Absolute paths, as Git reports them. */
export interface Repository {
  readonly workTree: string
  readonly gitFolder: string
  /** That of the main work tree, for a linked one. */
  readonly commonFolder: string
  readonly settings: ReadonlyArray<GitSettings.Setting>
}

/** Why it does, undefined if it does not. */
export const reason = ({ commonFolder, gitFolder, settings, workTree }: Repository): string | undefined => {
  const [tree, own, common] = [real(workTree), real(gitFolder), real(commonFolder)]
  if (tree === undefined || own === undefined || common === undefined) return "Its folders can't be read."
  const isOwn = (path: string | undefined) => path === undefined || [tree, own, common].some((folder) => Root.contains(folder, path))
  if (own !== common && dirname(own) !== join(common, "worktrees")) return `Its .git uses the repository ${common}.`
  if (own !== join(tree, ".git") && !Root.contains(tree, own) && !pointsBack(own, tree, settings)) return `Its .git leads to ${own}.`
  const link = [own, common, join(common, "objects"), join(common, "objects/pack")].flatMap(linksIn).find((path) => !isOwn(real(path)))
  if (link !== undefined) return `${link} leads to another folder.`
  const [alternate] = lines(join(common, "objects/info/alternates"))
  if (alternate !== undefined) return `It takes objects from ${alternate}.`
  const file = settings.find(({ key, scope, value }) =>
    GitSettings.isOfRepository(scope) && fileKeys.has(key) && (value.startsWith("~") || !isOwn(real(resolve(tree, value))))
  )
  return file === undefined ? undefined : `It sets ${file.key} to ${file.value}.`
}

/** Settings that name a file whose lines Git may print, if only in an error message. */
const fileKeys = new Set(
  "blame.ignorerevsfile core.attributesfile core.excludesfile diff.orderfile fsck.skiplist gpg.ssh.allowedsignersfile gpg.ssh.revocationfile mailmap.file"
    .split(" ")
)

/** A linked work tree is recorded in its Git folder, that of a submodule in its configuration. */
const pointsBack = (gitFolder: string, workTree: string, settings: ReadonlyArray<GitSettings.Setting>): boolean =>
  real(resolve(gitFolder, lines(join(gitFolder, "gitdir"))[0] ?? "")) === join(workTree, ".git") ||
  settings.some(({ key, scope, value }) => key === "core.worktree" && scope === "local" && real(resolve(gitFolder, value)) === workTree)

const linksIn = (folder: string): ReadonlyArray<string> =>
  !existsSync(folder) ? [] : readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isSymbolicLink()
  ).map(({ name }) => join(folder, name))

const lines = (file: string): ReadonlyArray<string> => {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, "utf8").split("\n").filter((line) => line !== "" && !line.startsWith("#")) : [file]
  } catch {
    return []
  }
}

/** Undefined for what does not exist. */
const real = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
