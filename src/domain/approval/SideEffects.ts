/** What programs do besides what their words name: delete, use the network, change a repository. Git is judged by its subcommand. */
import * as Table from "../Table.ts"
import type { SimpleCommand } from "../tool/CommandLine.ts"
import * as GitCall from "../tool/shell/GitCall.ts"
import * as GitChange from "../tool/shell/GitChange.ts"
import { toolOf } from "../tool/shell/Tools.ts"
import * as DevPrograms from "./DevPrograms.ts"

export interface SideEffect {
  readonly level: "medium" | "high"
  readonly kind: "delete" | "network" | "repository"
  /** Continues a sentence that begins with the program and its subcommand. */
  readonly reason: string
}

const deletes: SideEffect = { level: "high", kind: "delete", reason: "may delete files" }
const discards: SideEffect = { level: "high", kind: "delete", reason: "may discard commits" }
const fetches: SideEffect = { level: "high", kind: "network", reason: "may use the network" }
const overwrites: SideEffect = { level: "high", kind: "delete", reason: "may overwrite or delete files" }
const records: SideEffect = { level: "medium", kind: "repository", reason: "changes the repository" }
const sets: SideEffect = { level: "high", kind: "repository", reason: "changes the settings of git" }

const deletingPrograms = new Set(["dd", "find", "mkfs", "rm", "rmdir", "rsync", "shred", "truncate", "unlink", "wipefs"])
const networkPrograms = new Set(
  "aria2c curl dig docker ftp gh glab host kubectl mosh nc ncat netcat nmap nslookup npx ping podman rsync scp sftp socat ssh telnet traceroute wget whois"
    .split(" ")
)

const forSubcommands = (names: string, ...effects: ReadonlyArray<SideEffect>): Readonly<Record<string, ReadonlyArray<SideEffect>>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, effects]))

const gitEffects: Readonly<Record<string, ReadonlyArray<SideEffect>>> = {
  ...forSubcommands("add branch commit init mv notes tag worktree", records),
  ...forSubcommands("am apply archive bisect checkout cherry-pick merge rebase reset restore revert stash switch", overwrites),
  ...forSubcommands("clean rm", deletes),
  ...forSubcommands("gc prune", discards),
  ...forSubcommands("clone fetch ls-remote push", fetches),
  ...forSubcommands("config", sets),
  ...forSubcommands("pull", overwrites, fetches),
  ...forSubcommands("remote", sets, fetches),
  ...forSubcommands("submodule", overwrites, fetches)
}

/** Words with which a subcommand does something else. */
const gitForms: Readonly<Record<string, readonly [words: RegExp, effect: SideEffect]>> = {
  branch: [/^(?:-\w*[CDMdf]\w*|--(?:delete|force))$/, discards],
  mv: [/^(?:-\w*f\w*|--force)$/, overwrites],
  stash: [/^(?:clear|drop)$/, discards],
  tag: [/^(?:-\w*[df]\w*|--(?:delete|force))$/, discards],
  worktree: [/^(?:prune|remove)$/, deletes]
}

/** Any other subcommand may be an alias. */
const unknownSubcommand = [deletes, fetches]

const ofGit = (part: SimpleCommand): ReadonlyArray<SideEffect> => {
  const [sub, ...words] = GitCall.operands(part)
  if (sub === undefined) return unknownSubcommand
  const [form, effect] = Table.entry(gitForms, sub.text) ?? []
  if (effect !== undefined && words.some(({ text }) => form?.test(text))) return [effect]
  // Of these, other forms change the index, or the branch, alone.
  if (/^(?:reset|restore)$/.test(sub.text) && GitChange.of(part) === undefined) return [records]
  return Table.entry(gitEffects, sub.text) ?? unknownSubcommand
}

const ofPip = ({ core: [, sub] }: SimpleCommand): ReadonlyArray<SideEffect> => sub?.text === "uninstall" ? [deletes] : [fetches]

const bySubcommand: Readonly<Record<string, (part: SimpleCommand) => ReadonlyArray<SideEffect>>> = { git: ofGit, pip: ofPip, pip3: ofPip }

/** Of a command that is not known to only read, or to only change the files that it names. */
export const of = (part: SimpleCommand): ReadonlyArray<SideEffect> => {
  const { core: [, sub], name } = part
  if (name === undefined) return []
  const judge = Table.entry(bySubcommand, name)
  const effects = judge === undefined
    ? [...deletingPrograms.has(name) ? [deletes] : [], ...networkPrograms.has(name) || DevPrograms.fetches(part) ? [fetches] : []]
    : judge(part)
  const label = sub !== undefined && toolOf(name)?.subs?.has(sub.text) === true ? `${name} ${sub.text}` : name
  return effects.map((effect) => ({ ...effect, reason: `${label} ${effect.reason}` }))
}
