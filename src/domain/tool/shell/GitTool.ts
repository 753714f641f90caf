/** git: the options before the subcommand, and each subcommand with the options that run nothing and write no file. */
import { withKind } from "./Options.ts"
import { reader, refusedTool, type Tool, tool } from "./Tool.ts"

const formatOptions =
  "-p -u -s -U= -z -R -a -b -w -W --abbrev= --abbrev --anchored= --binary --check --cached --color? --color-moved? --color-words? --compact-summary --cumulative --diff-algorithm= --diff-filter= --dirstat? --dst-prefix= --exit-code --find-copies? --find-renames? -B? -C? -D? -M? -S= -G= -O< -l= --full-index --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-submodules? --indent-heuristic --inter-hunk-context= --irreversible-delete --merge-base --minimal --name-only --name-status --no-color --no-ext-diff --no-indent-heuristic --no-patch --no-prefix --no-renames --no-textconv --numstat --patch --patch-with-raw --patch-with-stat --patience --pickaxe-all --pickaxe-regex --quiet --raw --relative? --shortstat --src-prefix= --staged --stat? --stat-count= --stat-width= --submodule? --summary --text --unified= --word-diff? --word-diff-regex= --ws-error-highlight= --ext-diff^ --textconv^"

const historyOptions =
  `${formatOptions} -# -n= -i -E -F -P -g -c -L@ -m -r -t -q --after= --all --all-match --ancestry-path? --author= --author-date-order --before= --bisect --boundary --branches? --cc --cherry --cherry-mark --cherry-pick --children --committer= --count --date= --date-order --decorate? --decorate-refs= --dense --diff-merges= --encoding= --exclude= --expand-tabs? --extended-regexp --first-parent --fixed-strings --follow --format= --full-history --glob= --graph --grep= --grep-reflog= --invert-grep --left-only --left-right --log-size --mailmap --max-age= --max-count= --max-parents= --merge --merges --min-age= --min-parents= --no-abbrev-commit --abbrev-commit --no-decorate --no-graph --no-mailmap --no-merges --no-notes --no-walk? --notes? --not --oneline --parents --perl-regexp --pretty? --regexp-ignore-case --relative-date --remotes? --reverse --right-only --root --show-notes? --show-pulls --show-signature --simplify-by-decoration --simplify-merges --since= --single-worktree --skip= --sparse --source --stdin --tags? --topo-order --unpacked --until= --walk-reflogs --log-size`

/** With one of these a list of commits shows what they changed. */
const patchOptions =
  "-p -u -U -c -m -W -L --patch --unified --patch-with-stat --patch-with-raw --cc --word-diff --word-diff-regex --color-words --function-context --diff-merges --remerge-diff --dd --binary"

const logTool = reader("objects", historyOptions, { recursiveOptions: patchOptions })
const showTool = reader("objects", historyOptions, { recursiveOptions: "*" })

const transportOptions =
  "-4 -6 -a -f -j= -k -m -n -o= -p -P -q -t -v --all --append --atomic --auto-maintenance --branches --deepen= --delete -d --depth= --dry-run --ff --ff-only --follow-tags --force --force-if-includes --force-with-lease? --ipv4 --ipv6 --jobs= --keep --multiple --no-rebase --no-recurse-submodules --no-tags --no-verify --no-ff --no-commit --no-edit --no-stat --porcelain --progress --prune --push-option= --quiet --rebase? -r --recurse-submodules? --set-upstream -u --shallow-exclude= --shallow-since= --signed? --squash --tags --thin --unshallow --verbose --verify-signatures --upload-pack! --receive-pack! --exec! --server-option="

/** The options of branch and tag that select and show names. */
const listOptions =
  "-i --color? --column? --contains= --format= --ignore-case --list --merged= --no-color --no-column --no-contains= --no-merged= --points-at= --sort="

const branchList = `${listOptions} -a -r -v --abbrev= --all --no-abbrev --remotes --show-current --verbose`
const tagList = `${listOptions} -l -n?`

/** Calls that only read, of subcommands that can also change something. */
const readingForms: Readonly<Record<string, ReadonlyArray<Tool>>> = {
  bisect: [reader("name", "", { subs: { log: reader("none", "") } })],
  // Before version 2.19, -l created a reflog
  branch: [reader("none", branchList), reader("text", branchList, { requiredOptions: "--list" })],
  config: [
    reader(
      "setting",
      "-z --bool --default= --get --get-all --global --int --local --name-only --null --path --show-origin --show-scope --system --type= --worktree"
    ),
    reader("none", "-l -z --list --global --local --name-only --null --show-origin --show-scope --system --worktree", {
      requiredOptions: "--name-only"
    })
  ],
  notes: [reader("none", "--ref=", { subs: { list: reader("text", ""), show: reader("text", "") } })],
  remote: [reader("none", "-v --verbose", { subs: { "get-url": reader("text", "--all --push"), show: reader("none", "") } })],
  stash: [reader("name", "", {
    subs: { list: logTool, show: reader("objects", `${formatOptions} --include-untracked --only-untracked`, { recursiveOptions: "*" }) }
  })],
  submodule: [reader("none", "-q --quiet", { subs: { status: reader("text", "-q --cached --quiet --recursive") } })],
  tag: [reader("none", tagList), reader("text", tagList, { requiredOptions: "-l --list" })]
}

const allSubs: Readonly<Record<string, Tool>> = {
  // Inspect
  blame: reader(
    "objects",
    `${historyOptions} -e -f -l -M? -C? -L@ -s -S< -w --incremental --line-porcelain --porcelain --score-debug --show-email --show-name --show-number --ignore-rev= --ignore-revs-file<`
  ),
  "cat-file": reader("objects", "-e -p -s -t --batch-all-objects --batch-check --follow-symlinks", { recursiveOptions: "*" }),
  cherry: reader("any", "-v --abbrev= --verbose"),
  "check-ignore": reader("any", "-q -v -n -z --stdin --no-index --quiet --verbose"),
  "count-objects": reader("none", "-v -H --verbose --human-readable"),
  describe: reader(
    "any",
    "--all --abbrev= --always --candidates= --contains --dirty? --exact-match --exclude= --first-parent --long --match= --tags"
  ),
  diff: reader("comparison", `${formatOptions} -1 -2 -3 -0 --base --ours --theirs --no-index^`, { recursiveOptions: "*" }),
  "diff-tree": showTool,
  "for-each-ref": reader(
    "any",
    "--color? --contains? --count= --exclude= --format= --ignore-case --merged? --no-contains? --no-merged? --points-at= --sort= --shell --perl --python --tcl"
  ),
  grep: reader(
    "objects",
    "-# -a -c -e@ -E -F -f< -G -h -H -i -I -l -L -n -o -p -P -q -r -s -v -w -W -z -A= -B= -C= -m= --after-context= --all-match --and --or --not --before-context= --break --cached --color? --column --context= --count --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --invert-match --line-number --max-count= --max-depth= --name-only --no-color --no-recursive --null --only-matching --perl-regexp --quiet --recursive --show-function --text --threads= --word-regexp -O! --open-files-in-pager! --no-index^ --textconv^",
    // It searches the work tree, where a folder of the index may be a link.
    { recursiveOptions: "*", followOptions: "*" }
  ),
  log: logTool,
  "ls-files": reader(
    "objects",
    "-c -d -m -o -i -k -s -t -u -v -f -z -x= -X< --abbrev= --cached --deduplicate --deleted --directory --eol --error-unmatch --exclude= --exclude-standard --format= --full-name --ignored --killed --modified --others --recurse-submodules --sparse --stage --unmerged"
  ),
  "ls-tree": reader("objects", "-d -l -r -t -z --abbrev= --format= --full-name --full-tree --long --name-only --name-status --object-only"),
  "merge-base": reader("any", "-a --all --fork-point --independent --is-ancestor --octopus"),
  "name-rev": reader("any", "--all --always --exclude= --name-only --no-undefined --refs= --tags"),
  reflog: reader("any", historyOptions, { subs: { exists: reader("any", ""), show: logTool } }),
  "rev-list": reader("objects", `${historyOptions} --bisect-all --disk-usage? --objects --timestamp --header --use-bitmap-index`),
  "rev-parse": reader(
    "any",
    "-q --abbrev-ref? --absolute-git-dir --all --branches? --default= --disambiguate= --exclude= --git-common-dir --git-dir --git-path= --glob= --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository --local-env-vars --not --path-format= --prefix= --quiet --remotes? --revs-only --short? --show-cdup --show-object-format --show-prefix --show-superproject-working-tree --show-toplevel --since= --symbolic --symbolic-full-name --tags? --until= --verify"
  ),
  shortlog: reader("objects", `${historyOptions} -e -s -w? --email --group= --numbered --summary`),
  show: showTool,
  "show-ref": reader("any", "-d -h -q -s --abbrev? --dereference --exists --hash? --head --heads --branches --quiet --tags --verify"),
  status: reader(
    "any",
    "-b -s -u? -v -z --ahead-behind --branch --column? --find-renames? --ignored? --ignore-submodules? --long --no-ahead-behind --no-renames --null --porcelain? --renames --short --show-stash --untracked-files? --verbose"
  ),
  "symbolic-ref": reader("one", "-q --quiet --short"),
  version: reader("none", "--build-options"),
  whatchanged: logTool,
  // Change the repository
  add: tool(
    "any",
    "-A -f -i -n -N -p -u -v --all --chmod= --dry-run --force --ignore-errors --ignore-missing --ignore-removal --intent-to-add --no-all --patch --pathspec-from-file< --refresh --renormalize --sparse --update --verbose"
  ),
  am: tool(
    "read",
    "-3 -b -c -i -k -m -q -s -u --3way --abort --committer-date-is-author-date --continue --ignore-date --ignore-space-change --ignore-whitespace --keep --no-verify --quiet --quit --signoff --skip --whitespace="
  ),
  apply: tool(
    "read",
    "-3 -N -p= -R -v -z -C= --3way --allow-empty --apply --cached --check --exclude= --include= --ignore-space-change --ignore-whitespace --index --intent-to-add --numstat --recount --reject --reverse --stat --summary --verbose --whitespace="
  ),
  archive: tool("any", "-# -l -v --format= --list --prefix= --verbose --worktree-attributes --exec! --remote! -o> --output>"),
  bisect: tool("name", "--first-parent --no-checkout --term-bad= --term-good= --term-new= --term-old="),
  branch: tool(
    "any",
    "-a -c -C -d -D -f -i -l -m -M -q -r -t -u= -v --abbrev= --all --color? --column? --contains? --copy --create-reflog --delete --force --format= --ignore-case --list --merged? --move --no-abbrev --no-color --no-column --no-contains? --no-merged? --no-track --points-at= --quiet --remotes --set-upstream-to= --show-current --sort= --track? --unset-upstream --verbose"
  ),
  checkout: tool(
    "any",
    "-2 -3 -b= -B= -d -f -l -m -p -q -t --conflict= --detach --force --guess --ignore-other-worktrees --merge --no-guess --no-overlay --no-progress --no-recurse-submodules --no-track --orphan= --ours --overlay --overwrite-ignore --patch --progress --quiet --theirs --track?"
  ),
  "cherry-pick": tool(
    "any",
    "-m= -n -s -x -X= --abort --allow-empty --allow-empty-message --continue --empty= --ff --keep-redundant-commits --mainline= --no-commit --quit --signoff --skip --strategy-option= --no-edit"
  ),
  clean: tool("any", "-n -e= -x -X -d -q --dry-run --exclude= --quiet"),
  clone: tool(
    "clone",
    "-4 -6 -b= -j= -l -n -o= -q -s -v --bare --branch= --depth= --filter= --jobs= --local --mirror --no-checkout --no-hardlinks --no-local --no-single-branch --no-tags --origin= --progress --quiet --recurse-submodules? --recursive? --reject-shallow --revision= --shallow-exclude= --shallow-since= --shallow-submodules --shared --single-branch --sparse --tags --verbose -u! --upload-pack! -c! --config! --template! --separate-git-dir! --reference! --bundle-uri!"
  ),
  commit: tool(
    "any",
    "-a -c= -C= -F< -i -m= -n -o -p -q -s -t< -u? -v -z -S? --all --allow-empty --allow-empty-message --amend --author= --branch --cleanup= --date= --dry-run --edit --file< --fixup= --gpg-sign? --include --interactive --long --message= --no-edit --no-gpg-sign --no-post-rewrite --no-signoff --no-status --no-verify --null --only --patch --pathspec-from-file< --porcelain --quiet --reedit-message= --reset-author --reuse-message= --short --signoff --squash= --status --trailer= --untracked-files? --verbose"
  ),
  config: tool(
    "none",
    "-l -z --all --bool --default= --get= --get-all= --get-regexp= --get-urlmatch= --global --int --list --local --name-only --null --path --show-origin --show-scope --system --type= --worktree"
  ),
  fetch: tool("any", transportOptions),
  fsck: reader(
    "any",
    "-v --cache --connectivity-only --dangling --full --name-objects --no-dangling --no-reflogs --no-full --progress --reflogs --root --strict --tags --unreachable --verbose"
  ),
  init: tool("write", "-b= -q --bare --initial-branch= --object-format= --quiet --ref-format="),
  "ls-remote": tool(
    "any",
    "-h -o= -q -t -b --branches --exit-code --get-url --heads --quiet --refs --sort= --symref --tags --upload-pack! --exec!"
  ),
  merge: tool(
    "any",
    "-F< -m= -n -q -s! -S? -v -X= --abort --allow-unrelated-histories --autostash --cleanup= --commit --continue --edit --no-edit --ff --ff-only --file< --into-name= --log? --message= --no-autostash --no-commit --no-ff --no-gpg-sign --no-log --no-rerere-autoupdate --no-signoff --no-squash --no-stat --no-verify --overwrite-ignore --progress --quiet --quit --rerere-autoupdate --signoff --squash --stat --strategy-option= --verbose --verify-signatures --strategy!"
  ),
  mv: tool("write", "-f -k -n -v --dry-run --force --sparse --verbose"),
  notes: tool("any", "-f -m= -F< --force --message= --ref="),
  pull: tool(
    "any",
    `${transportOptions} -s! --strategy! -X= --strategy-option= --autostash --no-autostash --allow-unrelated-histories --edit --commit --stat --log? --signoff`
  ),
  push: tool("any", transportOptions),
  rebase: tool(
    "any",
    "-f -i -k -m -n -q -r? -v -X= --abort --allow-empty-message --apply --autosquash --autostash --committer-date-is-author-date --continue --empty= --ff --force-rebase --fork-point --ignore-date --ignore-whitespace --interactive --keep-base --keep-empty --merge --no-autosquash --no-autostash --no-ff --no-fork-point --no-keep-empty --no-stat --no-verify --onto= --quiet --quit --rebase-merges? --reapply-cherry-picks --reschedule-failed-exec --reset-author-date --root --show-current-patch --signoff --skip --stat --strategy-option= --update-refs --verbose --whitespace= -x! --exec! -s! --strategy!"
  ),
  remote: tool("any", "-v -n -q -t= -m= -f -p --verbose --all --push --delete --add --tags --no-tags --mirror? --prune"),
  reset: tool(
    "any",
    "-N -p -q --hard --intent-to-add --keep --merge --mixed --no-refresh --no-recurse-submodules --patch --pathspec-from-file< --quiet --refresh --soft"
  ),
  restore: tool(
    "any",
    "-2 -3 -m -p -q -s= -S -W --conflict= --ignore-skip-worktree-bits --ignore-unmerged --merge --no-overlay --no-progress --ours --overlay --patch --pathspec-from-file< --progress --quiet --source= --staged --theirs --worktree"
  ),
  revert: tool(
    "any",
    "-m= -n -s -X= --abort --continue --mainline= --no-commit --no-edit --quit --reference --signoff --skip --strategy-option="
  ),
  rm: tool("write", "-f -n -q -r --cached --dry-run --force --ignore-unmatch --pathspec-from-file< --quiet --sparse"),
  stash: tool(
    "any",
    "-a -k -m= -p -q -S -u --all --include-untracked --index --keep-index --message= --no-keep-index --only-untracked --patch --quiet --staged --stat"
  ),
  submodule: tool("name", "-q --quiet --cached --recursive"),
  switch: tool(
    "any",
    "-c= -C= -d -f -m -q -t --conflict= --create= --detach --discard-changes --force --force-create= --guess --ignore-other-worktrees --merge --no-guess --no-progress --no-recurse-submodules --no-track --orphan= --progress --quiet --track?"
  ),
  tag: tool(
    "any",
    "-a -d -f -F< -i -l -m= -n? -s -u= -v --annotate --cleanup= --color? --column? --contains? --create-reflog --delete --file< --force --format= --ignore-case --list --merged? --message= --no-contains? --no-merged? --no-sign --points-at= --sign --sort= --verify"
  ),
  worktree: reader("any", "", {
    subs: {
      add: tool(
        "new",
        "-b= -B= -d -f -q --checkout --detach --force --guess-remote --lock --no-checkout --no-guess-remote --no-track --orphan --quiet --reason= --track"
      ),
      list: reader("none", "-v -z --porcelain --verbose"),
      lock: tool("any", "--reason="),
      move: tool("write", "-f --force"),
      prune: tool("none", "-n -v --dry-run --verbose"),
      remove: tool("write", "-f --force"),
      unlock: tool("any", "")
    }
  }),
  // Run what the configuration or an option names
  difftool: refusedTool("git difftool runs the program that an option or the configuration names"),
  "filter-branch": refusedTool("git filter-branch runs the program texts that it is given"),
  instaweb: refusedTool("git instaweb starts a server"),
  mergetool: refusedTool("git mergetool runs the program that an option or the configuration names"),
  "send-email": refusedTool("git send-email runs a mail program")
}

const subs = Object.fromEntries(
  Object.entries(allSubs).map(([name, sub]) => [name, { ...sub, readingForms: readingForms[name] ?? [] }])
)

/** `--help` opens a manual page reader, or a browser, that the configuration names. */
const withoutHelp = (tool: Tool): Tool => ({
  ...tool,
  options: withKind(tool.options, "--help", "runsBare"),
  readingForms: tool.readingForms.map(withoutHelp),
  subs: tool.subs && new Map([...tool.subs].map(([name, sub]) => [name, withoutHelp(sub)]))
})

/** `-C` enters a folder whose settings may run programs; the marked options run them themselves. */
export const git: Tool = withoutHelp(tool(
  "any",
  "-P -v -h -C/ --no-pager --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
    + "-c! --config-env! --exec-path! --git-dir! --work-tree! --namespace! --super-prefix! --attr-source! --list-cmds! -p^ --paginate^ --bare^",
  { subs, readOnly: true }
))
