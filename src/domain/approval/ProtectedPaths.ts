/** Protected paths, which need no rule: in any letter case, whether or not they exist yet. */
import type { SimpleCommand, Touch } from "../tool/shell/SimpleCommand.ts"

/** Why a path is protected. */
export interface Protection {
  readonly decision: "ask" | "deny"
  /** The default, written as a rule. */
  readonly rule: string
  readonly reason: string
}

interface Entry {
  /** For a path folded by `fold`, with a leading slash. */
  readonly pattern: RegExp
  readonly rule: string
  readonly why: string
}

/** `.git`, `sub/.git/hooks/x`, and the short name that some file systems give it. */
const git = /\/(?:\.git|git~\d)(?:\/|$)/

const secrets: ReadonlyArray<Entry> = [
  { pattern: /\/\.env[^/]*(?:\/|$)/, rule: ".env*", why: "environment files often contain secrets" },
  {
    pattern: /\/id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$|\/[^/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|asc)$/,
    rule: "*.key",
    why: "it may contain a private key"
  },
  {
    pattern: /\/\.(?:ssh|gnupg|aws|azure|kube|password-store)(?:\/|$)|\/\.config\/(?:gcloud|gh|op)(?:\/|$)|\/\.docker\/config\.json$/,
    rule: "~/.ssh/**",
    why: "it stores credentials"
  },
  {
    pattern: /\/\.(?:netrc|pgpass|pypirc|git-credentials|my\.cnf|vault-token)$|\/_netrc$|\/etc\/(?:shadow|gshadow|sudoers)(?:\/|-|$)/,
    rule: "~/.netrc",
    why: "it stores passwords"
  },
  {
    pattern:
      /\/\.(?:npmrc|terraformrc|s3cfg|boto)$|\/\.(?:cargo|gem)\/credentials(?:\.toml)?$|\/\.terraform\.d\/credentials|\/\.composer\/auth\.json$|\/\.m2\/settings[^/]*\.xml$/,
    rule: ".npmrc",
    why: "it stores registry tokens"
  },
  {
    pattern: /\/\.[a-z_]{0,24}hist(?:ory|file)$|\/fish_history$|\/consolehost_history\.txt$|\/\.ipython\/[^/]+\/history\.sqlite$/,
    rule: ".bash_history",
    why: "it records typed commands, which may include passwords"
  },
  {
    pattern:
      /\/\.(?:mozilla|thunderbird)(?:\/|$)|\/(?:\.config|application support|appdata\/(?:local|roaming))\/(?:google(?:-chrome|\/chrome)|chromium|bravesoftware|microsoft(?:-edge|\/edge| edge)|vivaldi|opera|firefox|mozilla)[^/]*(?:\/|$)|\/(?:cookies\.sqlite|key[34]\.db|logins\.json|login data|signons\.sqlite)$|\/library\/(?:cookies|keychains|safari)(?:\/|$)|\/\.local\/share\/keyrings(?:\/|$)/,
    rule: "~/.mozilla/**",
    why: "it stores browser sessions and passwords"
  },
  {
    pattern: /\/proc\/[^/]+\/(?:environ|mem|root|cwd|fd|maps)(?:\/|$)/,
    rule: "//proc/**",
    why: "it exposes the memory and files of other processes"
  }
]

/**
 * Files that programs run or load on their own: whoever writes them decides what a harmless, allowed command runs later (`npm ls`,
 * `cargo --version`, `git status`, opening a shell or an editor). Build inputs (package.json, build.rs, a Makefile, conftest.py) are
 * not listed: allowing the build command allows them, and writing them is the agent's work. Files that only select among installed
 * versions (.nvmrc, .python-version) are not listed either.
 */
const settings: ReadonlyArray<Entry> = [
  {
    pattern:
      /\/\.(?:bash(?:rc|_profile|_login|_logout|_aliases|_history)|z(?:shrc|shenv|profile|login|logout)|profile|login|cshrc|tcshrc|kshrc|inputrc|xinitrc|xprofile|xsession|screenrc|tmux\.conf)$|\/\.config\/(?:fish|autostart|systemd|environment\.d)\//,
    rule: "~/.bashrc",
    why: "shells run it at startup"
  },
  {
    pattern: /\/\.(?:vimrc|gvimrc|exrc|nvimrc|emacs|emacs\.d|vim|nanorc|editorconfig)(?:\/|$)|\/\.config\/(?:nvim|emacs|code)\//,
    rule: "~/.vimrc",
    why: "editors run it at startup"
  },
  {
    pattern: /\/\.(?:vscode|idea|vs|fleet|zed|devcontainer)(?:\/|$)|\.code-workspace$|\/\.devcontainer\.json$/,
    rule: ".vscode/**",
    why: "editors run commands from it"
  },
  {
    pattern:
      /\/\.(?:dacapo|claude|codex|cursor|gemini|opencode|cline|clinerules|roo|roorules|windsurf|continue|aider[^/]*|agents|kiro|amazonq|augment|goose|junie|qwen|trae|kilocode|pi)(?:\/|$)|\/\.config\/(?:dacapo|opencode|goose)(?:\/|$)/,
    rule: ".dacapo/**",
    why: "it contains the settings and rules of an agent"
  },
  {
    pattern:
      /\/(?:agents(?:\.(?:local|override))?\.md|claude(?:\.local)?\.md|gemini\.md|qwen\.md|\.cursorrules|\.windsurfrules|\.roorules|\.clinerules|\.goosehints|\.mcp\.json|mcp\.json|\.?opencode\.jsonc?|copilot-instructions\.md|\.dacapoignore|\.clineignore)$/,
    rule: "AGENTS.md",
    why: "agents read instructions from it"
  },
  {
    pattern:
      /\/\.github(?:\/|$)|\/\.(?:gitlab-ci|travis|drone|appveyor|cirrus)\.ya?ml$|\/\.(?:circleci|buildkite|gitea|forgejo|woodpecker|azure-pipelines)(?:\/|$)|\/(?:azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|jenkinsfile|\.ci)(?:\/|$)/,
    rule: ".github/**",
    why: "it runs with the secrets of the CI system"
  },
  {
    pattern:
      /\/\.(?:husky|githooks)(?:\/|$)|\/\.pre-commit-config\.ya?ml$|\/\.?lefthook(?:-local)?\.ya?ml$|\/\.(?:gitconfig|gitmodules|gitattributes)$|\/\.config\/git\//,
    rule: ".husky/**",
    why: "git runs programs that it names"
  },
  { pattern: /\/head$/, rule: "HEAD", why: "git may treat its folder as a repository and run programs from its settings" },
  {
    pattern: /\/\.hg(?:\/|$)|\/\.jj\/|\/\.(?:lfsconfig|overcommit\.yml|simple-git-hooks\.[cm]?js(?:on)?)$/,
    rule: ".hg/**",
    why: "version control runs programs that it names"
  },
  {
    pattern:
      /\/\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.[cm]?js|pnp(?:\.loader)?\.[cm]?js)$|\/bunfig\.toml$|\/\.yarn\/(?:releases|plugins|sdks)(?:\/|$)|\/node_modules\/\.bin(?:\/|$)/,
    rule: ".npmrc",
    why: "package managers run or load code that it names"
  },
  {
    pattern:
      /\/\.(?:tool-versions|asdfrc|prototools|direnvrc)$|\/\.?mise(?:\.[^/]+)?\.toml$|\/(?:aqua\.ya?ml|rust-toolchain(?:\.toml)?)$|\/\.(?:mise|cargo|direnv)\/|\/\.config\/(?:mise|direnv)(?:\/|\.toml$)/,
    rule: "mise.toml",
    why: "it selects which programs run"
  },
  {
    pattern:
      /\/(?:pyvenv\.cfg|(?:site|user)customize\.py|\.?pip\.conf|pip\.ini|uv\.toml|\.pydistutils\.cfg)$|\/site-packages\/[^/]+\.pth$|\/\.?venv\/(?:bin|scripts)(?:\/|$)|\/\.config\/pip\//,
    rule: "pyvenv.cfg",
    why: "Python loads or runs code that it names"
  },
  {
    pattern:
      /\/gradle\/wrapper\/gradle-wrapper\.(?:jar|properties)$|\/\.gradle\/(?:init\.d\/|init\.gradle|gradle\.properties$)|\/\.mvn(?:\/|$)|\/\.(?:jvmopts|sbtopts|bazelrc)$|\/tools\/bazel$/,
    rule: ".mvn/**",
    why: "build tools load it at startup"
  },
  {
    pattern:
      /\/(?:nuget\.config|php\.ini|\.user\.ini|\.rprofile|\.renviron|\.irbrc|\.pryrc|\.gemrc|\.gdbinit|\.lldbinit|\.psqlrc|\.sqliterc)$|\/\.bundle\/config$/,
    rule: ".gdbinit",
    why: "a program runs commands from it at startup"
  },
  {
    pattern: /^\/(?:etc|boot|dev|proc|sys|usr|bin|sbin|lib|lib64|root\/\.)(?:\/|$)|\/crontabs?(?:\/|$)|\/(?:launchagents|launchdaemons)\//,
    rule: "//etc/**",
    why: "it is a system file"
  }
]

/** Folds what file systems fold: letter case, invisible code points, and dots and spaces at the end of a name. */
export const normalizePath = (path: string): string =>
  /[A-Z:\u0080-\uffff]|[. ](?:\/|$)/.test(path)
    ? path.normalize("NFKC").replace(/[\p{Cf}\p{Mn}\u034f\u115f\u1160\u3164]/gu, "").toLowerCase().replace(
      /(?<=[^/.])[. ]+(?=\/|$)|(?<=\.{3})[. ]*(?=\/|$)|::\$[a-z_]+/g,
      ""
    )
    : path

/** Files of a task's worktree are no settings, although the worktree is inside a settings folder. */
const worktree = /^.*\/\.dacapo\/worktrees\/[^/]+(?=\/)/

/** Only `.env*`, key files and credentials are protected against reading. */
export const readProtection = (path: string): Protection | undefined => find(secrets, "Read", normalizePath(path))

export const writeProtection = (path: string): Protection | undefined => {
  const normalizedPath = normalizePath(path)
  return git.test(normalizedPath)
    ? { decision: "deny", rule: "Edit(.git/**)", reason: "git runs programs that files in .git name" }
    : find(secrets, "Edit", normalizedPath) ?? find(settings, "Edit", normalizedPath.replace(worktree, "/worktree"))
}

/**
 * A protected path below a folder that is not protected itself: what a folder of any other name holds may take that place.
 * Undefined if it has none.
 */
export const pathBelow = (folder: string): string | undefined =>
  writeProtection(folder) !== undefined ? undefined
    : namesBelow.map((name) => `${folder}/${name}`).find((path) => writeProtection(path) !== undefined)

/** An example for each entry above that names a file together with its folder. */
const namesBelow: ReadonlyArray<string> = [
  ".bin/x",
  "auth.json",
  "bazel",
  "bin/x",
  "config",
  "config.json",
  "credentials",
  "fish/x",
  "gh/x",
  "git/x",
  "gradle-wrapper.jar",
  "init.d/x",
  "pip/x",
  "releases/x",
  "scripts/x",
  "settings.xml",
  "wrapper/gradle-wrapper.jar",
  "x",
  "x.pth"
]

/**
 * Protection against what a command may do with a path: with an unknown option, a tool that reads the path may also write it.
 * A word that only may be a path is protected as a secret or as one of git's files.
 */
export const touchProtection = (
  { hazards, readOnly }: Pick<SimpleCommand, "hazards" | "readOnly">,
  { access, isCertain }: Touch,
  path: string
): Protection | undefined => {
  if (access === "write" || isCertain && !readOnly && hazards.length > 0) return writeProtection(path)
  return readProtection(path) ?? (isCertain || readOnly || !git.test(normalizePath(path)) ? undefined : writeProtection(path))
}

const find = (entries: ReadonlyArray<Entry>, tool: string, path: string): Protection | undefined => {
  const entry = entries.find(({ pattern }) => pattern.test(path))
  return entry === undefined ? undefined : { decision: "ask", rule: `${tool}(${entry.rule})`, reason: entry.why }
}
