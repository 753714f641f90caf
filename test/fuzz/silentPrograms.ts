/**
 * Random bash programs of the kind that runs without a question: readers, loops, variables, here-strings. They run in a folder in
 * which every name that the analysis might get wrong is a link to a file outside, and every program that it might overlook records itself.
 */
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import type { Chance } from "./programs.ts"

type Rule = (chance: Chance) => string

const pick = <A>(chance: Chance, choices: ReadonlyArray<A>): A => choices[Math.floor(chance() * choices.length)]!
const one = (...choices: ReadonlyArray<string | Rule>): Rule => (chance) => {
  const choice = pick(chance, choices)
  return typeof choice === "string" ? choice : choice(chance)
}
/** `%` in a text is replaced by the rules in turn. */
const fill = (text: string, ...rules: ReadonlyArray<Rule>): Rule => (chance) => {
  let at = 0
  return text.replaceAll("%", () => rules[at++ % rules.length]!(chance))
}
const many = (rule: Rule, most: number, separator = " "): Rule => (chance) =>
  Array.from({ length: 1 + Math.floor(chance() * most) }, () => rule(chance)).join(separator)

/** Programs that only run if something goes unseen. */
export const probes = ["c1", "c2"]

/** Links in the folder that lead outside, under the names that a wrong reading of a word might become. */
const linkNames = ["s", "b", "7", "1", "n", "v", "f", "x=s", "[s]", "{s,b}", "b.ts", "~", "$v", "a.ts,b", "s*", "input)", "+", "2", "\\s", "'s'", "-s", "--"]

/** Files that read as options, program texts, formats and names of variables where a pattern brings them into a command. */
const optionNames = ["-delete", "-oout", "--output=out", "-v", "1", "1s", "%n", "PATH", "a=1", "a.ts", "c1", "x[$(c1)]", "BEGIN{system(\"c1\")}", "z"]

/** Below `root`, whose `project` is the workspace; `record` is the file to which stray programs write. */
export const makeScene = (root: string, marker: string, record: string): void => {
  const files: Record<string, string> = {
    "project/ok/a.ts": "const a = 1\nok/b.ts\n",
    "project/ok/b.ts": "b\n",
    "project/ok/deep/c.ts": "c 7\n",
    "project/list": "s\n../outside/secret.txt\n~/secret.txt\n",
    "project/odd/a b.ts": "x\n",
    "project/odd/n\n../outside/secret.txt": "x\n",
    "project/odd/$(c1)": "x\n",
    "project/odd/s": "plain\n",
    "project/.env": marker,
    "project/.npmr": "x",
    "project/AGENTS.m": "x",
    [`outside/${marker}.txt`]: marker,
    "outside/secret.txt": marker,
    "home/secret.txt": marker
  }
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true })
    fs.writeFileSync(join(root, path), content)
  }
  fs.mkdirSync(join(root, "project/opts"))
  for (const name of optionNames) fs.writeFileSync(join(root, "project/opts", name), "1 c1\n")
  for (const name of linkNames) fs.symlinkSync("../outside/secret.txt", join(root, "project", name))
  fs.symlinkSync("../outside", join(root, "project/q"))
  fs.mkdirSync(join(root, "project/a/b/c/q"), { recursive: true })
  fs.symlinkSync("a/b/c", join(root, "project/l"))
  for (const name of ["cat", "ls", "head", "c1", "grep", "env.sh"]) {
    for (const folder of ["x", "."]) {
      fs.mkdirSync(join(root, "project", folder), { recursive: true })
      fs.writeFileSync(join(root, "project", folder, name), `#!/bin/sh\nprintf 'ran %s\\0' ${folder}/${name} >> ${record}\n`, { mode: 0o755 })
    }
  }
}

/** Files that no program may open unseen. */
export const secretFiles = ["project/.env", "outside/secret.txt", "home/secret.txt"]

const code = one("$(c1)", "`c1`", "a[$(c1)]", "w[$(c2)]", "${w:-$(c1)}", "$((w[$(c1)]))", "<(c1)", "\\$(c1)", "'$(c1)'")
const clean = one("ok/a.ts", "ok/b.ts", "ok", "ok/deep", "./ok/a.ts", "ok/*.ts", "ok/[ab].ts", "ok/{a,b}.ts", "package", "\"ok/a.ts\"", "ok/deep/../a.ts", "ok/?.ts", "opts/*", "opts/[a1]*")
const pattern = one("*", "?", "?*", "[1a]*", "1*", "[!-]*", "a*", "[B%]*", "*s", "[-%]*")
const dirty = one(
  "../outside/secret.txt", "~/secret.txt", "\"$HOME\"/secret.txt", "s", "q/secret.txt", "l/../q/secret.txt", "[s]", "{s,b}", "$v", "\"$v\"", "~+/s", "~-/s", ".env", ".e*", "list", "odd/*", "b.ts",
  "$PWD/s", "\\s", "-", "/dev/stdin", "/dev/fd/3", "/proc/self/cwd/s", "x=s", "x=~/secret.txt", "ok/../s", "s*", "$OLDPWD/s", "${v}", "a.ts,b", "ok/a.ts,b", "*", "@(s)", "!(ok)", "$'s'", "$'\\163'", "ok//a.ts", "odd/s", "odd/a\\ b.ts"
)
const plainText = one("a", "1", "7", "foo", "n", "x=1", "'a b'", "\"\"", "s", "-n", "--", "0", "+", "'*'", "'[s]'", "'s b'", "'ok/a.ts b'", "'%n'", "PATH", "c1", "'c1; c2'", "$'a\\nb'", "'~'", "'../outside/secret.txt'", "'a[$(c1)]'", "'w[$(c1)]'", "'$(c1)'")
const name = one("v", "v", "v", "f", "f", "i", "w", "x", "path", "IFS", "PATH", "HOME", "PWD", "OLDPWD", "BASH_ENV", "ENV", "CDPATH", "PS4", "PROMPT_COMMAND", "GLOBIGNORE", "OPTIND", "REPLY", "SHELLOPTS", "TZ", "LANG", "LC_ALL", "CI", "v[0]", "v[$(c1)]", "histchars", "POSIXLY_CORRECT", "COLUMNS", "_")
const use: Rule = one(
  fill("$%", one("v", "f", "i", "x", "w", "1", "@", "*", "REPLY", "_", "#", "?", "PWD", "OLDPWD", "IFS", "HOME")), "\"$v\"", "\"$f\"", "${f}", "\"${f}\"", "\"$@\"", "${v[@]}", "\"${v[0]}\"", "${v[w]}", "${!v}", "${#v}", "${v:w}", "${v:1}", "${v@P}", "${v@Q}", "${v^}",
  fill("${%:-%}", one("v", "f", "u"), one(dirty, plainText)), fill("${v:+%}", dirty), fill("${v:=%}", plainText), fill("${f%%%}", one("#", "##", "%", "%%", "/", "//", "^"), one("a", "*", "s", "ok", "[$(c1)]"), one("", "/s")), fill("ok/$%.ts", one("v", "f", "i")), "\"ok/$f\"", "ok/${f}.ts", "$f.ts", "$v$f",
  fill("$((%))", one("1", "v", "w", "f", "v = 7", "f = 7", "f++", "a[0]", "1 + 1", "v + 1", "$v * 2", "${f} - 3", "v - f")), fill("ok/$((%))", one("v", "v - 3")), fill("\"$((%)),${v}p\"", one("v", "v - 3", "f")), "$[v]", fill("$(%)", (chance) => lister(chance)), fill("\"$(%)\"", (chance) => lister(chance)), fill("$(%)", (chance) => reader(chance)), "$(< list)", "`cat list`"
)
const operand = (chance: Chance): string => chance() < 0.55 ? clean(chance) : pick(chance, [dirty, use, use, use, plainText, code, pattern, pattern])(chance)
const operands = many(operand, 2)
const text = (chance: Chance): string => pick(chance, [plainText, plainText, plainText, use, use, code, pattern])(chance)

/** Prints a number, or what looks like one. */
const counter = one(
  "wc -l < ok/a.ts", "wc -l ok/a.ts | awk '{print $1}'", "wc -l ok/a.ts | cut -d' ' -f1", "grep -c a ok/a.ts", "grep -c a ok/*.ts", "grep -n a ok/a.ts | head -1 | cut -d: -f1", "grep -n a ok/a.ts | cut -d: -f2", "grep -rn a ok | head -1 | cut -d: -f1", "date +%s", "cat list", "seq 1 3", "cat list | wc -l", "grep -c a < list", "wc -l list", "echo 'a[$(c1)]'"
)

/** Prints names of files. */
const lister: Rule = one(
  fill("find % -name %", one("ok", "ok", ".", "odd", "ok/deep", "a", "l"), one("'*.ts'", "a.ts", "s", "'*'", "-name", "'[s]'")), fill("find % -type f", one("ok", "odd", ".", "-L ok", "ok q")), fill("find ok % -print", one("! -name s", "-maxdepth 1", "-path '*/s'", "-o -name s", "-newer ok/a.ts", "-name a.ts -o -true")),
  fill("grep -% foo %", one("rl", "l", "rlw", "rL", "rlZ", "rh"), one("ok", "ok odd", "list", "-", "ok -")), "ls ok", "ls", fill("find ok -name a.ts | %", one("head -1", "sort", "tail -n +1", "uniq", "cat", "tac", "sed s/ok/q/", "tr a s", "sort -R", "sort -k 2", "head")), "echo s", "printf '%%s\\n' ok/a.ts", "cat list", "find . -name 'c.ts' -not -path '*/odd/*'", "git ls-files"
)

const reader: Rule = one(
  fill("cat %", operands), fill("cat %", operands), fill("cat -- %", operands), fill("head -n % %", one("1", "2", use, text), operands), fill("sort -% % %", one("k", "t", "k 1 -t"), text, operands), fill("awk -% % % %", one("v", "F"), text, one("1", "'{print}'"), operands), fill("git log -n % -- %", text, operands), fill("jq -n --arg % % 1", text, text), fill("grep -A % % %", text, text, operands), fill("cut -d % -f % %", text, one("1", text), operands), fill("tail -% %", one("1", "2", "n 1"), operands), fill("ls % %", one("-l", "-a", "-R", "", "-d"), operands), fill("wc -l %", operands), fill("grep % %", text, operands), fill("grep -% % %", one("r", "n", "e", "f", "rn", "c", "h"), text, operands), fill("grep -e % %", text, operands),
  fill("find % %", operand, one("-name '*.ts'", "-type f", "-exec cat {} +", "-exec cat {} \\;", "-exec head -n 1 {} \\;", "-newer ok/a.ts", "-samefile s", "-maxdepth 1", "-printf %p", "-exec grep foo {} +", "-name % -exec cat {} +")), fill("sort %", operands), fill("sed -n % %", one("1p", "'1,2p'", "'s/a/b/p'", "p", "'$p'", "'/a/p'", "'r s'", "1e", "'w v'", text), operands), fill("awk % %", one("'{print $1}'", "'{print FILENAME}'", "1", "'/a/'", "'BEGIN{while((getline l<\"s\")>0)print l}'", "-v v=1 '{print v}'", text), operands),
  fill("jq -n % %", one("1", ".", "--arg v 1 '$v'", "--rawfile v s '$v'", "input", "'[inputs]'", text), operands), fill("diff % %", operand, operand), fill("cut -d: -f% %", one("1", use), operands), fill("uniq %", operands), fill("xxd %", operand), fill("nl %", operands), fill("paste % %", operand, operand), fill("stat %", operands), fill("file %", operands), fill("strings %", operands), fill("od -c %", operand), fill("comm % %", operand, operand), fill("join % %", operand, operand), fill("tr % %", text, text), fill("md5sum %", operands), fill("column %", operands), fill("base64 %", operand), fill("tac %", operands), fill("du %", operands), fill("realpath %", operands), fill("fold -w % %", one("3", use), operand), fill("test % %", one("-f", "-n", "-v", "-R", "!", "-t", "-e"), text), fill("[ % % % ]", text, one("=", "-eq", "-nt", "<", "-a", "-o", "!="), text), fill("[[ % % % ]]", text, one("=", "==", "-eq", "-nt", "<", "=~", "!=", "-ef"), one(text, operand)), fill("[[ % % ]]", one("-f", "-v", "-n", "-o", "-R"), text), fill("seq %", text), fill("date -d %", text), fill("expr % : %", text, text), fill("basename % %", operand, text), fill("type %", text), fill("xargs cat < %", operand), fill("sleep 0%", one("", " 0")), fill("id %", one("", "-u")), fill("ps %", one("", "-o pid")), fill("kill -l %", one("", "1"))
)
const printer: Rule = one(fill("echo %", many((chance) => (chance() < 0.5 ? text : operand)(chance), 2)), fill("printf % %", one("'%s\\n'", "'%n'", "\"$v\"", "'%d\\n'", "'%*d\\n'", "'%b'", "'%q'", "'%(%s)T'", "-v v x", "'a%hhn'"), one(text, name)), fill("true %", operand), fill(": %", one(operand, text)), fill("pwd %", one("", "-P")))

const setter: Rule = one(
  fill("%=%", name, one(text, operand)), fill("v=%", one(text, operand)), fill("f=%", one(text, operand)), fill("%=$((%))", one("v", "f", "i", name), one("1", "v + 1", "v - 3", "$f * 2", "i", "w", "v++")), fill("%=$(%)", one("v", "f", "i"), counter), fill("%=$(%)", one("v", "f", "i"), counter), fill("%+=%", name, text), fill("%=(% %)", name, text, operand), fill("read % <<< %", one(name, "-r v", "-ra v", "-rd '' v", "-r v f", "-N 3 v", "-u 3 v", "-p x v", "-t 0 v", "", "v[0]", "-raf", "-i s v"), one(text, operand)), fill("IFS=% read -r v f <<< %", one("", ":", "s", "'='"), text), fill("printf -v % %", name, text), fill("mapfile % < %", name, operand), fill("let %", one("v=1", "'v[$(c1)]=1'")), fill("(( % ))", one("v = 1", "v", "w[$(c1)]", "1", "f++", "v += f", "v = f - 3", "i = v > 1 ? 1 : 2")), fill("declare % %=%", one("", "-i", "-n", "-a", "-x", "-u", "-r"), name, text), fill("export %=%", name, text), fill("set -- %", many(text, 2)), fill("set %", one("-u", "-x", "-e", "-f", "-a", "-o noglob", "-o pipefail", "+o posix", "-C", "-n", "-k", "-o allexport", "-eu", "-euo pipefail", "+x", "-p", "-T", "-o xtrace", "-ef", "-xv", "-b")), fill("shopt -s %", one("extglob", "dotglob", "nullglob", "globstar", "expand_aliases", "lastpipe")),
  fill("unset %", name), fill("shift %", text), fill("exec {%}< %", name, operand), fill("alias %=%", one("cat", "ls", "v"), text), fill("getopts % % %", text, name, text), fill("cd %", one("opts", "opts", "opts", "ok", "ok/deep", "..", "l", "l/..", "a/b", "-", "q", "~", "$v", "", "ok && cd ..", "./ok", "--", "-P l", "x", "odd", "a/b/../../ok", "l/../q")), fill("trap % %", one("'c1'", "-", "''", "'cat s'", "'cat ok/a.ts'", "'v=s'", "'f=s; ls ok'", "'cat $v'", "'echo ${v:=s}'", "'cd ok'", "'echo x > ok/new'", "'for v in s; do :; done'"), one("EXIT", "EXIT", "INT TERM", "DEBUG", "0", "$v", "EXIT ERR")), fill("hash -p x/cat %", text), fill("local v=%", text), fill("wait %", text), fill("umask %", text), fill("f() { %; }", reader), fill("cat() { %; }", printer), fill("return %", text), fill("exit %", text), fill("jobs %", one("", "-x c1")), "times", fill("pushd %", operand), fill("unset -f %", name), fill("readonly %=%", name, text), fill("eval %", one("'v=s'", "'cat s'", text)), fill("exec % < %", one("", "3"), operand)
)

/** Names that an edit may get wrong: new ones, links, folders, and settings of programs. */
const target = one("new", "ok/new", "ok", "ok/", "ok/deep/", "s", "q", "q/x", "l/../q", ".", "..", "odd", ".npmrc", ".git", "AGENTS.md", ".env", "a/b", "$v", "\"$f\"", "ok/$f", "n*", "ok/a.ts", "~", "x=s", "new/../s", ".npmr", "AGENTS.m", "../outside/new", "fresh/", "-", "\"$PWD/new\"", "{new,s}", "ok/*")
const editor: Rule = one(
  fill("cp % % %", one("", "-r", "-a", "-P", "-L", "-t", "-T", "-f", "-l", "-s", "--backup", "-S d", "-n", "-R"), one(operand, target), target), fill("mv % % %", one("", "-f", "-t", "-T", "-b", "-n", "-S d"), one(operand, target), target), fill("ln % % %", one("-s", "", "-sf", "-sr", "-sT", "-st"), one(operand, target), target), fill("mkdir % %", one("", "-p", "-m 700"), target), fill("touch % %", one("", "-a", "-r s", "-c"), target), fill("rm % %", one("", "-f", "-r", "-rf"), target), fill("rmdir %", target), fill("sed % % %", one("-i", "-i.bak", "-id", "-ic", "-n -i", "-i'*'", "-E -i"), one("s/a/b/", "1d", "'w new'", text), one(target, operand)), fill("tee % %", one("", "-a"), target), fill("% > %", (chance) => reader(chance), target), fill("% >> %", (chance) => printer(chance), target), fill("sort -o % %", target, operand), fill("xargs % < list", one("touch", "rm", "cp s", "mkdir")), fill("find % | xargs %", one("ok", "odd"), one("touch", "cp -t ok", "rm")), fill("chmod % %", one("+x", "600", "-R 700"), target), fill("truncate -s 0 %", target), fill("% | tee %", (chance) => reader(chance), target), fill("uniq % %", operand, target), fill("for f in %; do % ; done", operands, one("touch $f", "cp $f new", "mv $f ok", "rm $f", "echo x > $f", "ln -s $f new"))
)

const redirect: Rule = one(fill("< %", operand), fill("<<< %", one(text, operand)), "2>/dev/null", ">/dev/null", "2>&1", fill("3< %", operand), fill("{%}< %", name, operand), fill("<& %", one("3", "-", "$v", "0-", "3-")), fill("> %", one("v.out", "ok/new", "s", "$v", "/dev/stderr", "/dev/stdout")), fill("<> %", operand), fill("&> %", one("/dev/null", "v.out")), fill("<<E\n%\nE\n", text), fill("<<'E'\n%\nE\n", text), ">&2", "2>&-", fill("< <(%)", (chance) => lister(chance)), fill(">& %", one("v.out", "/dev/null", "2", "$v")))

const simple = (chance: Chance, isEditing: boolean): string => {
  const base = pick(chance, isEditing ? [reader, editor, editor, editor, printer, setter] : [reader, reader, reader, reader, printer, setter, setter])(chance)
  const prefix = chance() < 0.05 ? `${pick(chance, ["v=1 ", "LANG=C ", "TZ=s ", "f=s ", "PATH=x ", "IFS= ", "timeout 5 ", `timeout ${text(chance)} `, `nice -n ${text(chance)} `, `timeout -k ${text(chance)} 2 `, `stdbuf -o ${text(chance)} `, `bash -o ${text(chance)} -c `, "env ", "nice ", "command ", "builtin ", "! ", "time ", "env -i ", "env v=1 ", "time -p ", "nohup ", "exec ", "env -C q ", "stdbuf -oL ", "xargs ", "command -p "])}` : ""
  return `${prefix}${base}${chance() < 0.15 ? ` ${redirect(chance)}` : ""}`
}

const body = (chance: Chance, depth: number, isEditing: boolean): string => Array.from({ length: 1 + Math.floor(chance() * 2.4) }, () => command(chance, depth, isEditing)).join(pick(chance, ["; ", "; ", " && ", "\n", " || ", " & "]))

const command = (chance: Chance, depth: number, isEditing: boolean): string => {
  if (depth <= 0 || chance() < 0.55) return simple(chance, isEditing)
  const inner = () => body(chance, depth - 1, isEditing)
  switch (Math.floor(chance() * 15)) {
    case 0:
    case 1:
      return `for ${pick(chance, ["f", "f", "f", "v", "i", name(chance)])} in ${many((chance) => pick(chance, [clean, clean, dirty, use, plainText])(chance), 3)(chance)}; do ${inner()}; done`
    case 2:
      return `for f in $(${lister(chance)}); do ${inner()}; done`
    case 3:
      return `${lister(chance)} | while read ${pick(chance, ["-r f", "f", "-r f v", "-r v", "-rd '' f"])}; do ${inner()}; done`
    case 4:
    case 5:
      return `${lister(chance)} | xargs ${pick(chance, ["", "", "-n 1 ", "-0 ", "-I{} ", "-d '\\n' ", "-d s ", "-L 1 ", "-a list ", "-r "])}${pick(chance, ["cat", "cat {}", "head -n 1", "grep foo", "wc -l", "cat --", "sed -n 1p", "grep", "ls", "cat ok/{}", "c1"])}`
    case 6:
      return `${simple(chance, isEditing)} | ${simple(chance, isEditing)}`
    case 7:
      return `( ${inner()} )`
    case 8:
      return `{ ${inner()}; }${chance() < 0.3 ? ` ${redirect(chance)}` : ""}`
    case 9:
      return `if ${simple(chance, isEditing)}; then ${inner()}; else ${inner()}; fi`
    case 10:
      return `case ${text(chance)} in ${pick(chance, ["s", "*", "[$(c1)]", "a|b", "\"$v\"", "$((f=7))"])}) ${inner()};; esac`
    case 11:
      return `while ${pick(chance, ["read -r f", "read f v", "false", "read -ra v"])}; do ${inner()}; done ${pick(chance, [redirect(chance), `< <(${lister(chance)})`, `<<< ${text(chance)}`])}`
    case 12:
      return `for ((${pick(chance, ["i = 0; i < 2; i++", "v = 0; v < 2; v += 1", "f = 2; f > 0; f--", "i = 0; i < a[0]; i++"])})); do ${inner()}; done`
    case 13:
      return `${pick(chance, ["bash -c", "sh -c", "eval", "bash -ec", "bash -O extglob -c", "env bash -c"])} '${inner().replaceAll("'", "'\\''")}'${chance() < 0.3 ? ` ${text(chance)} ${operand(chance)}` : ""}`
    default:
      return `${pick(chance, ["v=ok/a.ts; ", "f=ok/a.ts; ", "v=1; ", "v=1; ", "v=$((2 + 1)); ", "v=1; f=$((v - 3)); ", "v=$(wc -l < ok/a.ts); ", "f=$(grep -n a ok/a.ts | head -1 | cut -d: -f1); ", "v='a[$(c1)]'; ", "w=s; ", "v=s; ", "f=s; "])}${inner()}`
  }
}

/** One program; of those that also edit if `isEditing`. */
export const silentProgram = (chance: Chance, isEditing: boolean): string => body(chance, isEditing ? 1 : 2, isEditing)
