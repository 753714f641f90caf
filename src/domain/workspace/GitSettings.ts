/**
 * Git configuration that runs programs, and what replaces it while git only reads. A repository's own settings are
 * ignored there; those of the user and of the system apply. Keys: git-config(1).
 */

/** `key` as git prints it: section and name in lower case. Settings of the scopes `local` and `worktree` come from the repository. */
export interface Setting {
  readonly scope: string
  readonly key: string
  readonly value: string
}

export type Pair = readonly [key: string, value: string]

/** Lists the settings in effect; runs nothing. */
export const listArguments = ["config", "--list", "-z", "--show-scope"] as const

/** The output of `list`: scope, then key and value with a line end between them, each ended by NUL. */
export const parse = (output: string): ReadonlyArray<Setting> => {
  const fields = output.split("\0")
  const settings: Array<Setting> = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key, value = ""] = splitAt(fields[at + 1]!, fields[at + 1]!.indexOf("\n"))
    settings.push({ scope: fields[at]!, key, value })
  }
  return settings
}

const splitAt = (text: string, at: number): readonly [string, string?] => at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]

/** Regardless of its origin: a relative path here would lead into the repository. */
export const fixedSettings: ReadonlyArray<Pair> = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["safe.bareRepository", "explicit"]
]

/** Whether git obeys the environment and distinguishes scopes (2.31 and later do). */
export const hasOverrides = (settings: ReadonlyArray<Setting>): boolean =>
  settings.some(({ key, scope, value }) => scope === "command" && key === "core.hookspath" && value === "/dev/null")

/** Settings of the repository that may run a program, replaced by the user's own value or a neutral one. */
export const overrides = (settings: ReadonlyArray<Setting>): ReadonlyArray<Pair> => {
  const userSettings = new Map(
    settings.flatMap(({ key, scope, value }) => isOfRepository(scope) || scope === "command" ? [] : [[key, value] as const])
  )
  const keys = new Set(settings.flatMap(({ key, scope }) => isOfRepository(scope) ? [key] : []))
  return [...keys].flatMap((key): ReadonlyArray<Pair> => {
    const value = neutralValue(key)
    return value === undefined ? [] : [[key, userSettings.get(key) ?? value]]
  })
}

/** Whether the repository defines its work tree's location. */
export const movesWorkTree = (settings: ReadonlyArray<Setting>): boolean =>
  settings.some(({ key, scope }) => key === "core.worktree" && isOfRepository(scope))

/** Whether a setting comes from the repository rather than from the user or the system. */
export const isOfRepository = (scope: string): boolean => scope === "local" || scope === "worktree"

/** Prints the difference as `git diff` would, from the arguments of GIT_EXTERNAL_DIFF (git(1)). */
const plainDiff = `sh -c 'diff -u --label "a/$1" --label "b/$1" "$2" "$5" || :' sh`

/** By section and name; git refuses to continue if one of these is empty. */
const values: Readonly<Record<string, string>> = {
  "core.alternaterefscommand": "true",
  "core.editor": "true",
  "core.pager": "cat",
  "diff.cachetextconv": "false",
  "diff.command": plainDiff,
  "diff.external": plainDiff,
  "diff.textconv": "cat",
  "filter.required": "false",
  "gpg.program": "gpg",
  "gpg.ssh.program": "ssh-keygen",
  "gpg.x509.program": "gpgsm",
  "merge.driver": "git merge-file --marker-size=%L %A %O %B"
}

/** Names of settings whose value is a command line, a program or a list of them, in any section. */
const commandKey =
  /(?:clean|smudge|process|cmd|command|program|helper|driver|textconv|external|editor|pager|proxy|askpass|hook|hookspath|fsmonitor|filter|uploadpack|receivepack|vcs)$/

const neutralValue = (key: string): string | undefined => {
  const section = key.slice(0, key.indexOf("."))
  const name = key.slice(key.lastIndexOf(".") + 1)
  return values[key] ?? values[`${section}.${name}`] ??
    (section === "alias" || section === "pager" || commandKey.test(name) ? "" : undefined)
}

/** Settings as variables of git's environment, appended to the existing ones. */
export const environment = (
  pairs: ReadonlyArray<Pair>,
  environmentVariables: Readonly<Record<string, string | undefined>> = {}
): Record<string, string> => {
  const first = Number(environmentVariables["GIT_CONFIG_COUNT"] ?? 0) || 0
  return {
    GIT_CONFIG_COUNT: String(first + pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([key, value], i) => [[`GIT_CONFIG_KEY_${first + i}`, key], [`GIT_CONFIG_VALUE_${first + i}`, value]])
    )
  }
}

/** No transport, no prompt, no incidental write to the index. */
export const variables: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_ASKPASS: "true",
  SSH_ASKPASS: "true",
  GIT_SSH_COMMAND: "false"
}
