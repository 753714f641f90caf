/** Random bash programs over a small grammar. Nothing in it can harm: its programs are shims, its files stay in one folder. */

export type Chance = () => number

/** A small seeded generator (mulberry32). */
export const seeded = (seed: number): Chance => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The shims: each records its name and does nothing. */
export const shims = Array.from({ length: 10 }, (_, i) => `c${i}`)

export const program = (chance: Chance): string => {
  const text = list(chance, chance() < 0.3 ? 2 : 1)
  return chance() < 0.25 ? mutate(text, chance) : text
}

const pick = <A>(chance: Chance, choices: ReadonlyArray<A>): A => choices[Math.floor(chance() * choices.length)]!

type Rule = (chance: Chance, depth: number) => string

const choose = (chance: Chance, depth: number, rules: ReadonlyArray<Rule>): string => pick(chance, rules)(chance, depth)

const list: Rule = (chance, depth) =>
  Array.from({ length: 1 + Math.floor(chance() * 3) }, () => chain(chance, depth)).join(pick(chance, ["; ", "\n", ";\n", " & ", ";"]))

const chain: Rule = (chance, depth) =>
  chance() < 0.6 ? command(chance, depth) : `${command(chance, depth)}${pick(chance, [" && ", " || ", " | ", " |& ", "&&", "|"])}${command(chance, depth)}`

const command: Rule = (chance, depth) => depth <= 0 || chance() < 0.6 ? simple(chance, depth) : choose(chance, depth - 1, compounds)

const compounds: ReadonlyArray<Rule> = [
  (chance, depth) => `( ${list(chance, depth)} )`,
  (chance, depth) => `{ ${list(chance, depth)}\n}`,
  (chance, depth) => `if ${chain(chance, depth)}; then ${list(chance, depth)}\nelse ${list(chance, depth)}\nfi`,
  (chance, depth) => `for x in ${word(chance, depth)} ${word(chance, depth)}; do ${list(chance, depth)}\ndone`,
  (chance, depth) => `while ${simple(chance, depth)} && false; do ${list(chance, depth)}\ndone`,
  (chance, depth) => `case ${word(chance, depth)} in a) ${list(chance, depth)};; (*) ${list(chance, depth)}\nesac`,
  (chance, depth) => `f() { ${list(chance, depth)}\n}\n${pick(chance, ["f", ":"])}`,
  (chance, depth) => `! ${chain(chance, depth)}`,
  (chance, depth) => `time ${chain(chance, depth)}`,
  (chance, depth) => `[[ ${word(chance, depth)} ${pick(chance, ["==", "!=", "<", "-ef"])} ${word(chance, depth)} ]] && ${chain(chance, depth)}`,
  (chance, depth) => `(( 1 + ${substitution(chance, depth)} )) || ${chain(chance, depth)}`,
  (chance, depth) => `${simple(chance, depth)} <<EOF\n${text(chance)}${substitution(chance, depth)}\nEOF`,
  (chance, depth) => `${simple(chance, depth)} <<'EOF'\n${substitution(chance, depth)}\nEOF`,
  (chance, depth) => `${simple(chance, depth)} <<-EOF\n\t${text(chance)}\n\tEOF`,
  (chance, depth) => `coproc ${simple(chance, depth)}`
]

const simple: Rule = (chance, depth) => {
  const words = [name(chance, depth), ...Array.from({ length: Math.floor(chance() * 3) }, () => word(chance, depth))]
  const assigned = chance() < 0.12 ? `${pick(chance, ["x", "y", "CI", "TZ"])}=${chance() < 0.5 ? "a" : word(chance, depth)}${pick(chance, [" ", "; ", "\n"])}` : ""
  const redirected = chance() < 0.15 ? ` ${redirect(chance, depth)}` : ""
  return chance() < 0.05 ? `${redirect(chance, depth)} ${words.join(" ")}` : `${assigned}${words.join(" ")}${redirected}${chance() < 0.05 ? " # c7; $(c8)" : ""}`
}

const name: Rule = (chance, depth) => choose(chance, depth, names)

const quotedName = (chance: Chance): string => {
  const plain = pick(chance, shims)
  return chance() < 0.03 ? `${plain[0]}\\\n${plain[1]}` : pick(chance, [plain, `'${plain}'`, `"${plain}"`, `\\${plain}`, `$'${plain}'`, `$"${plain}"`, plain, plain, `${plain[0]}''${plain[1]}`, `$'\\x63'${plain[1]}`, `${plain[0]}"${plain[1]}"`])
}

const names: ReadonlyArray<Rule> = [
  ...Array.from({ length: 8 }, () => quotedName),
  (chance) => pick(chance, ["echo", "printf", ":", "true", "command", "builtin command", "eval", "exec", "set --", "read x <", "export", "test"]),
  (chance) => `${pick(chance, ["env", "env -i", "env x=1", "timeout 5", "nice", "nice -n 3", "nohup", "command --", "xargs", "stdbuf -oL", "exec -a z"])} ${quotedName(chance)}`,
  (chance, depth) => `${pick(chance, ["bash -c", "sh -c", "bash -ec", "eval", "bash -o pipefail -c", "env bash -c", "trap"])} ${singleQuoted(list(chance, Math.max(depth - 2, 0)))}`,
  (chance) => `find . -maxdepth 0 -exec ${pick(chance, shims)} {} ${pick(chance, ["\\;", "+"])}`,
  (chance) => `{${pick(chance, shims)},${pick(chance, shims)}}`,
  (chance) => chance() < 0.85 ? "c1" : pick(chance, ["$x", "${y:-c3}", "$(echo c4)", "`echo c5`", "c[6]", "c?"])
]

const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const text = (chance: Chance): string => pick(chance, ["a", "b1", "-x", "--", "é", "a b", ""])

const word: Rule = (chance, depth) => choose(chance, depth, words)

const words: ReadonlyArray<Rule> = [
  (chance) => pick(chance, ["a", "b", "-n", "x=1", "~", "*", "[a]", "{a,b}", "{1..3}", "a#b", "%", "@(a)"]),
  (chance) => pick(chance, ["'a;b'", "\"a|b\"", "a\\;b", "$'\\n'", "\"\\$(c9)\"", "'$(c9)'", "\\`c9\\`", "'`c9`'", "\"'\"", "'\"'", "$'\\''", "\"\\\"\"", "\\\\", "\"\\\\\""]),
  (chance) => pick(chance, ["$x", "\"$x\"", "${x}", "${#x}", "${x:-a}", "${x:1}", "${x/a/b}", "${x^^}", "$((1+2))", "$#", "$?", "$$", "\"$@\"", "${x[0]}"]),
  (chance) => chance() < 0.9 ? "y" : pick(chance, ["${x@Q}", "${x@P}", "${!x}"]),
  (chance, depth) => depth <= 0 ? "a" : substitution(chance, depth - 1),
  (chance, depth) => depth <= 0 ? "b" : `"${substitution(chance, depth - 1)}"`,
  (chance, depth) => depth <= 0 ? "c" : `\${x:-${substitution(chance, depth - 1)}}`,
  (chance, depth) => depth <= 0 ? "d" : `"\${y:+a}\${x:-"${substitution(chance, depth - 1)}"}"`,
  (chance, depth) => depth <= 0 ? "[g]" : `${pick(chance, ["a", "", "[!b]"])}[${pick(chance, ["", "!", "a-z", "[:alpha:]"])}${substitution(chance, depth - 1)}]`,
  (chance, depth) => depth <= 0 ? "h" : `\${PWD${pick(chance, ["%", "##", "//", "^^", ":"])}[${substitution(chance, depth - 1)}]}`,
  (chance, depth) => depth <= 0 ? "e" : `<(${list(chance, depth - 1)})`,
  (chance, depth) => depth <= 0 || chance() < 0.8 ? "f" : `$(( 1 + ${substitution(chance, depth - 1)} ))`
]

const substitution: Rule = (chance, depth) => {
  const inner = depth <= 0 ? quotedName(chance) : list(chance, depth - 1)
  return chance() < 0.75 ? `$(${inner})` : `\`${inner.replace(/[\\`$]/g, "\\$&")}\``
}

const redirect: Rule = (chance) =>
  pick(chance, [">f1", ">>f2", "2>f3", "2>&1", ">/dev/null", "</dev/null", "&>f1", ">|f2", "<>f3", ">&2", "<<<a", "<<<\"$(c2)\"", "3>f1", "<f1", "{z}>f2"])

/** Small damage to a program's text, which is where parsers disagree. */
const mutate = (text: string, chance: Chance): string => {
  let damaged = text
  for (let count = 1 + Math.floor(chance() * 3); count > 0; count--) {
    const at = Math.floor(chance() * (damaged.length + 1))
    damaged = chance() < 0.5
      ? damaged.slice(0, at) + pick(chance, [..."'\"$`(){}<>|&;\n# \\!*?[]~=-", "$(", "${", "<<E\n", "\nE\n", "c9", "\\\n", "$'", "))", "((", ";;", "[[ ", " ]]"]) + damaged.slice(at)
      : damaged.slice(0, at) + damaged.slice(at + 1 + Math.floor(chance() * 3))
  }
  return damaged
}
