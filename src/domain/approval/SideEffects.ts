/**
 * What programs do besides what their words name: delete, use the network, change a repository. Git, and programs for containers,
 * clusters and hosted repositories, are judged by their subcommand.
 */
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
const setsAside: SideEffect = { level: "medium", kind: "repository", reason: "moves uncommitted changes out of the files" }
const publishes: SideEffect = { level: "high", kind: "network", reason: "sends commits to another repository" }
const republishes: SideEffect = { level: "high", kind: "network", reason: "may discard commits of another repository" }
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
  ...forSubcommands("am apply archive bisect checkout cherry-pick merge rebase reset restore revert switch", overwrites),
  ...forSubcommands("clean rm", deletes),
  ...forSubcommands("gc prune", discards),
  ...forSubcommands("clone fetch ls-remote", fetches),
  ...forSubcommands("config", sets),
  ...forSubcommands("pull", overwrites, fetches),
  ...forSubcommands("push", publishes),
  ...forSubcommands("remote", sets, fetches),
  ...forSubcommands("stash", setsAside),
  ...forSubcommands("submodule", overwrites, fetches)
}

/** Words with which a subcommand does something else: the first row that fits counts. */
const gitForms: Readonly<Record<string, ReadonlyArray<readonly [words: RegExp, effect: SideEffect]>>> = {
  branch: [[/^(?:-\w*[CDMdf]\w*|--(?:delete|force))$/, discards]],
  mv: [[/^(?:-\w*f\w*|--force)$/, overwrites]],
  push: [[/^(?:-\w*[df]\w*|--(?:delete|force.*|mirror|prune)|[+:].+)$/, republishes]],
  stash: [[/^(?:clear|drop)$/, discards], [/^(?:apply|branch|pop)$/, overwrites]],
  tag: [[/^(?:-\w*[df]\w*|--(?:delete|force))$/, discards]],
  worktree: [[/^(?:prune|remove)$/, deletes]]
}

/** Any other subcommand may be an alias. */
const unknownSubcommand = [deletes, fetches]

const ofGit = (part: SimpleCommand): ReadonlyArray<SideEffect> => {
  const [sub, ...words] = GitCall.operands(part)
  if (sub === undefined) return unknownSubcommand
  const form = Table.entry(gitForms, sub.text)?.find(([form]) => words.some(({ text }) => form.test(text)))
  if (form !== undefined) return [form[1]]
  // Of these, other forms change the index, or the branch, alone.
  if (/^(?:reset|restore)$/.test(sub.text) && GitChange.of(part) === undefined) return [records]
  return Table.entry(gitEffects, sub.text) ?? unknownSubcommand
}

const ofPip = ({ core: [, sub] }: SimpleCommand): ReadonlyArray<SideEffect> => sub?.text === "uninstall" ? [deletes] : [fetches]

const reaches = (reason: string, kind: SideEffect["kind"] = "network"): SideEffect => ({ level: "high", kind, reason })

const containers: ReadonlyArray<readonly [subcommand: RegExp, effect: SideEffect]> = [
  [/^(?:\S+ )?(?:down|prune|remove|rm|rmi)\b/, reaches("may delete containers, images or volumes", "delete")],
  [/^(?:(?:compose|container) )?(?:create|restart|run|start|up)\b/, reaches("may start containers")],
  [/^(?:(?:compose|container) )?(?:kill|pause|stop)\b/, reaches("may stop containers")],
  [/^(?:(?:compose|container) )?exec\b/, reaches("runs a command in a container")],
  [/^(?:(?:compose|image) )?push\b/, reaches("publishes images")]
]

const hosted = (host: string): typeof containers => [
  [/^(?:repo clone|(?:mr|pr) checkout)\b/, overwrites],
  [/^api\b/, reaches(`may change or delete what is on ${host}`)],
  [/^\S+ (?:archive|delete|remove)\b/, reaches(`may delete what is on ${host}`, "delete")],
  [
    /^(?:gist|issue|label|mr|pr|project|release|repo|ruleset|run|secret|variable|workflow) (?!(?:checks|diff|download|list|ls|status|view|watch)\b)\S+/,
    reaches(`changes what is on ${host}`)
  ]
]

/** What a program does outside of this machine's files, by its first words; with no row that fits, it may use the network. */
const remoteEffects: Readonly<Record<string, typeof containers>> = {
  docker: containers,
  gh: hosted("GitHub"),
  glab: hosted("GitLab"),
  kubectl: [
    [/^(?:delete|drain)\b/, reaches("may delete resources of the cluster", "delete")],
    [
      /^(?:annotate|apply|autoscale|cordon|create|edit|expose|label|patch|replace|rollout|run|scale|set|taint|uncordon)\b/,
      reaches("may change the cluster")
    ],
    [/^exec\b/, reaches("runs a command in the cluster")]
  ],
  podman: containers
}

/** The effect of the subcommand, and its words. */
const remoteEffect = (name: string, { core }: SimpleCommand): readonly [words: string, effect: SideEffect] | undefined => {
  const words = core.slice(1).map(({ text }) => text).filter((text) => !text.startsWith("-")).slice(0, 2).join(" ")
  for (const [subcommand, effect] of Table.entry(remoteEffects, name) ?? []) {
    const match = subcommand.exec(words)
    if (match !== null) return [match[0], effect]
  }
  return undefined
}

const bySubcommand: Readonly<Record<string, (part: SimpleCommand) => ReadonlyArray<SideEffect>>> = { git: ofGit, pip: ofPip, pip3: ofPip }

/** Of a command that is not known to only read, or to only change the files that it names. */
export const of = (part: SimpleCommand): ReadonlyArray<SideEffect> => {
  const { core: [, sub], name } = part
  if (name === undefined) return []
  const [words, remote] = remoteEffect(name, part) ?? []
  if (remote !== undefined) return [{ ...remote, reason: `${name} ${words} ${remote.reason}` }]
  const judge = Table.entry(bySubcommand, name)
  const effects = judge === undefined
    ? [...deletingPrograms.has(name) ? [deletes] : [], ...networkPrograms.has(name) || DevPrograms.fetches(part) ? [fetches] : []]
    : judge(part)
  const label = sub !== undefined && toolOf(name)?.subs?.has(sub.text) === true ? `${name} ${sub.text}` : name
  return effects.map((effect) => ({ ...effect, reason: `${label} ${effect.reason}` }))
}
