/** Repositories whose configuration runs programs, in every place where git looks for one; each program leaves a mark. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Each makes real git leave its mark when this is run in the repository; none where this git can't be made to by a read or a write here. */
export const configurations: Readonly<Record<string, { readonly config: (mark: string, repository: string) => ReadonlyArray<readonly [string, string]>; readonly provoke: string }>> = {
  fsmonitor: { config: (mark) => [["core.fsmonitor", `${mark} #`]], provoke: "git status" },
  hooks: { config: (mark, repository) => [["core.hooksPath", hooks(mark, repository)]], provoke: "git status" },
  "external diff": { config: (mark) => [["diff.external", mark]], provoke: "git diff" },
  "diff driver": { config: (mark) => [["diff.x.command", mark]], provoke: "git log -p --ext-diff" },
  textconv: { config: (mark) => [["diff.x.textconv", `${mark}; cat`]], provoke: "git log -p" },
  "filter clean": { config: (mark) => [["filter.x.clean", `${mark}; cat`], ["filter.x.required", "true"]], provoke: "git diff" },
  "filter smudge": { config: (mark) => [["filter.x.smudge", `${mark}; cat`]], provoke: "rm a.t && git checkout a.t" },
  "filter process": { config: (mark) => [["filter.x.process", mark], ["filter.x.required", "true"]], provoke: "git diff" },
  pager: { config: (mark) => [["core.pager", mark]], provoke: "script -qec 'git --paginate log' /dev/null" },
  "pager of a sub-command": { config: (mark) => [["pager.log", mark]], provoke: "script -qec 'git log' /dev/null" },
  editor: { config: (mark) => [["core.editor", mark]], provoke: "git commit --amend" },
  "sequence editor": { config: (mark) => [["sequence.editor", mark]], provoke: "git stash && git rebase -i HEAD~1" },
  sshCommand: { config: (mark) => [["core.sshCommand", mark]], provoke: "git ls-remote ssh://127.0.0.1/x" },
  credentials: { config: (mark) => [["credential.helper", `!${mark}`]], provoke: "printf 'protocol=https\\nhost=x\\n\\n' | git credential fill" },
  alias: { config: (mark) => [["alias.look", `!${mark}`]], provoke: "git look" },
  gpg: { config: (mark) => [["gpg.program", mark], ["log.showSignature", "true"]], provoke: "git log" },
  "merge driver": { config: (mark) => [["merge.x.driver", mark]], provoke: "git merge side" },
  uploadpack: { config: (mark) => [["remote.origin.url", "."], ["remote.origin.uploadpack", mark]], provoke: "git fetch" },
  "a lazy fetch": {
    config: (mark) => [["extensions.partialClone", "origin"], ["core.repositoryformatversion", "1"], ["remote.origin.promisor", "true"], ["remote.origin.url", `ext::${mark}`], ["protocol.ext.allow", "always"]],
    provoke: "git cat-file -p 1234567890123456789012345678901234567890"
  },
  gitProxy: { config: (mark) => [["core.gitProxy", mark]], provoke: "git ls-remote git://127.0.0.1/x" },
  difftool: { config: (mark) => [["difftool.x.cmd", mark], ["diff.tool", "x"], ["difftool.prompt", "false"]], provoke: "git difftool" },
  mergetool: { config: (mark) => [["mergetool.x.cmd", mark], ["merge.tool", "x"]], provoke: "git stash; git merge side; git mergetool --no-prompt" },
  "diff filter": { config: (mark) => [["interactive.diffFilter", `${mark}; cat`]], provoke: "script -qec 'echo q | git -c color.ui=always add -p' /dev/null" },
  "reader of manuals": { config: (mark) => [["man.viewer", "x"], ["man.x.cmd", mark]], provoke: "git log --help" },
  "trailer command": { config: (mark) => [["trailer.x.command", mark], ["trailer.x.key", "X"], ["trailer.x.ifExists", "add"]], provoke: "echo x | git interpret-trailers" },
  "alternate references": { config: (mark) => [["core.alternateRefsCommand", mark]], provoke: "git init -q ../other && echo ../../../other/.git/objects > .git/objects/info/alternates && git rev-list --alternate-refs" },
  "an included file": { config: (mark, repository) => [["include.path", included(mark, repository)]], provoke: "git status" }
}

const hooks = (mark: string, repository: string): string => {
  const folder = join(repository, "..", "evil-hooks")
  fs.mkdirSync(folder, { recursive: true })
  for (const name of ["post-index-change", "post-checkout", "pre-commit", "post-commit"]) fs.writeFileSync(join(folder, name), `#!/bin/sh\n${mark}\n`, { mode: 0o755 })
  return folder
}

const included = (mark: string, repository: string): string => {
  const file = join(repository, "more")
  fs.writeFileSync(file, `[core]\n\tfsmonitor = "${mark} #"\n`)
  return file
}

const surroundings = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", TERM: "xterm", GIT_TERMINAL_PROMPT: "0" }

/** Runs a program text as a user would, whatever it comes to. */
export const sh = (text: string, cwd: string): void => {
  try {
    execFileSync("bash", ["-c", text], { cwd, env: surroundings, stdio: ["ignore", "ignore", process.env["SHOW_GIT"] === undefined ? "ignore" : "inherit"], timeout: 10_000 })
  } catch {
    // What counts is what was left behind.
  }
}

/** A repository with a file under attributes, a signed commit, a branch in conflict and a change that is not committed. */
export const repository = (folder: string): void => fs.cpSync(template, folder, { recursive: true })

const made = fs.mkdtempSync(join(tmpdir(), "dacapo-template-"))
process.once("exit", () => fs.rmSync(made, { recursive: true, force: true }))
const template = join(made, "project")

const make = (): void => {
  fs.mkdirSync(template)
  sh(
    `git init -q -b main && git config user.name a && git config user.email a@b
printf '*.t diff=x filter=x merge=x\\n' > .gitattributes && echo one > a.t && git add -A && git commit -qm first
git checkout -qb side && echo side > a.t && git commit -qam side && git checkout -q main && echo two > a.t && git commit -qam second
{ git cat-file commit HEAD | sed '/^committer/q'; printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----\\n\\nsigned\\n'; } > ../signed
git reset -q --soft $(git hash-object -t commit -w ../signed) && rm ../signed && echo three >> a.t`,
    template
  )
}
make()

/** A program that leaves a mark of this name in the folder. */
export const marker = (marks: string, name: string): string => {
  const plain = name.replaceAll(" ", "-")
  const program = join(marks, "..", `evil-${plain}`)
  fs.writeFileSync(program, `#!/bin/sh\ntouch '${join(marks, plain)}'\n`, { mode: 0o755 })
  return program
}

/** Adds configurations to a file of git's, past what git itself would check. */
export const configure = (file: string, marks: string, names: ReadonlyArray<string>): void => {
  for (const name of names) {
    for (const [key, value] of configurations[name]!.config(marker(marks, name), join(file, ".."))) execFileSync("git", ["config", "--file", file, key, value])
  }
}
