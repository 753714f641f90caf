/** What holds without any rule: the protected paths, in any letter case, whether or not they exist yet. */

import type { Part, Touch } from "../tool/shell/SimpleCommand.ts"

/** Why a path is protected. */
export interface Protection {
  readonly decision: "ask" | "deny"
  /** The default as a rule would say it. */
  readonly rule: string
  readonly reason: string
}

interface Entry {
  /** Of a path folded by `fold`, with a leading slash. */
  readonly pattern: RegExp
  readonly rule: string
  readonly why: string
}

/** `.git`, `sub/.git/hooks/x`, and the short name that some file systems give it. */
const git = /\/(?:\.git|git~\d)(?:\/|$)/

const secrets: ReadonlyArray<Entry> = [
  { pattern: /\/\.env[^/]*(?:\/|$)/, rule: ".env*", why: "environment files hold secrets" },
  { pattern: /\/id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$|\/[^/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|asc)$/, rule: "*.key", why: "key files are secret" },
  { pattern: /\/\.(?:ssh|gnupg|aws|azure|kube|password-store)(?:\/|$)|\/\.config\/(?:gcloud|gh|op)(?:\/|$)|\/\.docker\/config\.json$/, rule: "~/.ssh/**", why: "credentials are kept here" },
  { pattern: /\/\.(?:netrc|pgpass|pypirc|git-credentials|my\.cnf|vault-token)$|\/_netrc$|\/etc\/(?:shadow|gshadow|sudoers)(?:\/|-|$)/, rule: "~/.netrc", why: "passwords are kept here" },
  { pattern: /\/proc\/[^/]+\/(?:environ|mem|root|cwd|fd|maps)(?:\/|$)/, rule: "//proc/**", why: "another process can be read here" }
]

const settings: ReadonlyArray<Entry> = [
  {
    pattern: /\/\.(?:bash(?:rc|_profile|_login|_logout|_aliases|_history)|z(?:shrc|shenv|profile|login|logout)|profile|login|cshrc|tcshrc|kshrc|inputrc|xinitrc|xprofile|xsession|screenrc|tmux\.conf)$|\/\.config\/(?:fish|autostart|systemd|environment\.d)\//,
    rule: "~/.bashrc",
    why: "shells run it when they start"
  },
  { pattern: /\/\.(?:vimrc|gvimrc|exrc|nvimrc|emacs|emacs\.d|vim|nanorc|editorconfig)(?:\/|$)|\/\.config\/(?:nvim|emacs|code)\//, rule: "~/.vimrc", why: "editors run it when they start" },
  { pattern: /\/\.(?:vscode|idea|vs|fleet|zed|devcontainer)(?:\/|$)|\.code-workspace$|\/\.devcontainer\.json$/, rule: ".vscode/**", why: "editors run what stands here" },
  {
    pattern: /\/\.(?:dacapo|claude|codex|cursor|gemini|opencode|cline|clinerules|roo|roorules|windsurf|continue|aider[^/]*|agents|kiro|amazonq|augment|goose|junie|qwen|trae|kilocode|pi)(?:\/|$)|\/\.config\/(?:dacapo|opencode|goose)(?:\/|$)/,
    rule: ".dacapo/**",
    why: "it holds settings and rules of an agent"
  },
  { pattern: /\/(?:agents(?:\.override)?\.md|claude(?:\.local)?\.md|gemini\.md|qwen\.md|\.cursorrules|\.windsurfrules|\.roorules|\.clinerules|\.goosehints|\.mcp\.json|mcp\.json|\.?opencode\.jsonc?|copilot-instructions\.md|\.dacapoignore|\.clineignore)$/, rule: "AGENTS.md", why: "later sessions take instructions from it" },
  { pattern: /\/\.github(?:\/|$)|\/\.(?:gitlab-ci|travis|drone|appveyor|cirrus)\.ya?ml$|\/\.(?:circleci|buildkite|gitea|forgejo|woodpecker|azure-pipelines)(?:\/|$)|\/(?:azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|jenkinsfile|\.ci)(?:\/|$)/, rule: ".github/**", why: "it runs with the secrets of continuous integration" },
  { pattern: /\/\.(?:husky|githooks)(?:\/|$)|\/\.pre-commit-config\.ya?ml$|\/\.?lefthook(?:-local)?\.ya?ml$|\/\.(?:gitconfig|gitmodules|gitattributes)$|\/\.config\/git\//, rule: ".husky/**", why: "git runs what it names" },
  { pattern: /\/\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.cjs|pip\.conf|direnvrc|mise\.toml|tool-versions)$|\/\.(?:cargo|direnv)\/|\/\.config\/(?:pip|direnv|mise)\//, rule: ".npmrc", why: "tools run what it names" },
  { pattern: /^\/(?:etc|boot|dev|proc|sys|usr|bin|sbin|lib|lib64|root\/\.)(?:\/|$)|\/crontabs?(?:\/|$)|\/(?:launchagents|launchdaemons)\//, rule: "//etc/**", why: "it belongs to the system" }
]

/** Folds what file systems fold: letter case, code points that do not show, dots and blanks at the end of a name. */
export const fold = (path: string): string =>
  /[A-Z:\u0080-\uffff]|[. ](?:\/|$)/.test(path)
    ? path.normalize("NFKC").replace(/[\p{Cf}\p{Mn}\u034f\u115f\u1160\u3164]/gu, "").toLowerCase().replace(/(?<=[^/.])[. ]+(?=\/|$)|(?<=\.{3})[. ]*(?=\/|$)|::\$[a-z_]+/g, "")
    : path

/** What is not a setting, though it lies in a folder of settings: the files of a task's own worktree. */
const worktree = /^.*\/\.dacapo\/worktrees\/[^/]+(?=\/)/

/** Reads ask for `.env*`, key files and credentials alone. */
export const reading = (path: string): Protection | undefined => find(secrets, "Read", fold(path))

export const writing = (path: string): Protection | undefined => {
  const folded = fold(path)
  return git.test(folded)
    ? { decision: "deny", rule: "Edit(.git/**)", reason: "git's own files run programs" }
    : find(secrets, "Edit", folded) ?? find(settings, "Edit", folded.replace(worktree, "/worktree"))
}

/**
 * As a command may touch a path: with an option that nobody lists, a tool that is known to take it may write it too.
 * What is only perhaps a path is protected as a secret, or as git's own.
 */
export const touching = ({ hazards, readOnly }: Pick<Part, "hazards" | "readOnly">, { access, sure }: Touch, path: string): Protection | undefined => {
  if (access === "write" || sure && !readOnly && hazards.length > 0) return writing(path)
  return reading(path) ?? (sure || readOnly || !git.test(fold(path)) ? undefined : writing(path))
}

const find = (entries: ReadonlyArray<Entry>, tool: string, path: string): Protection | undefined => {
  const entry = entries.find(({ pattern }) => pattern.test(path))
  return entry === undefined ? undefined : { decision: "ask", rule: `${tool}(${entry.rule})`, reason: entry.why }
}
