/** What a program that no table describes may run: judged by the forms that programs share, and by the known habits of some. */
import type { Hazard } from "./SimpleCommand.ts"
import type { Word } from "./Syntax.ts"
import { forNames } from "./Tool.ts"

/** The command after `--`, as in `op run -- npm test`: named, so that a deny rule for it applies. */
export const commandAfterSeparator = (words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  const at = words.findIndex(({ text }) => text === "--")
  const command = at < 0 ? [] : words.slice(at + 1)
  return command[0]?.text.startsWith("-") === true ? [] : command
}

/** Its words that may make it run a program without naming it as one. */
export const runHazards = (name: string, words: ReadonlyArray<Word>): ReadonlyArray<Hazard> => {
  const habit = Object.hasOwn(habits, name) ? habits[name]! : noHabit
  const hazards: Array<Hazard> = []
  if (habit.refusal !== undefined) hazards.push({ reason: habit.refusal, word: words.length > 1 ? words.at(-1) : undefined, opaque: true })
  let hasStatement = habit.statement === undefined
  let operands = 0
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!
    const { text } = word
    const option = /^--?[^=]+/.exec(text)?.[0]
    if (option === undefined ? ++operands === habit.statementAt : habit.statement?.test(option) === true) hasStatement = true
    if (option !== undefined && (isRunOption(option) || habit.options?.test(text) === true)) {
      // A rule that spells out the value accepts it.
      const value = text.includes("=") || habit.attached === true ? word : words[at + 1] ?? word
      hazards.push({ reason: `${name} ${option} may run other programs`, word: value, opaque: true })
    }
    if (escape.test(text)) hazards.push({ reason: `${word.source} may start a shell`, word, opaque: true })
  }
  if (!hasStatement) hazards.push({ reason: `${name} runs code from standard input`, word: undefined, opaque: true })
  return hazards
}

/** `--exec`, `--ssh-command`, `-wrapper`: an option with one of these among the words of its name takes a program. */
const isRunOption = (option: string): boolean => option.slice(1).split(/[-_.]/).some((word) => runWords.has(word))

const runWords = new Set(
  ("askpass browser cmd command editor eval exec execute filter fplugin hook hooks interpreter invoke pager plugin plugins proxycommand program rsh runner "
    + "sh shell specs startas toolexec under viewer wrapper").split(" ")
)

/** `EXEC:` and `SYSTEM:` addresses, `\!` of database clients, `.shell`, `!command` at a prompt. */
const escape = /^(?:exec|system|shell):|(?:^|,)(?:exec|system)=|\\!|^!|^\s*\.(?:shell|system|load|import\s+["']?\|)\b|\bwrite18\b/i

interface Habit {
  /** Options that run something, by their beginning. */
  readonly options?: RegExp
  /** The value is part of the option's own word. */
  readonly attached?: boolean
  /** Options that carry the text it works on: without one, and with fewer operands than `statementAt`, it reads its input. */
  readonly statement?: RegExp
  readonly statementAt?: number
  /** Why it always asks. */
  readonly refusal?: string
}

const noHabit: Habit = {}

const compiler: Habit = {
  options: /^-(?:wrapper|B|fplugin|specs|Xclang|load|fuse-ld=.*\/|ld-path)|^--(?:specs|ld-path|config)/,
  attached: true
}
const database = (statement: RegExp): Habit => ({ statement, options: /^-(?:cmd|init)$/ })
const tex: Habit = { options: /^--?(?:shell-escape|enable-write18|enable-pipes|output-driver)/, attached: true }
const deferred: Habit = { refusal: "it schedules commands to run later" }
const network: Habit = { options: /^-\w*[ce]$/ }

const habits: Readonly<Record<string, Habit>> = {
  ansible: { options: /^-[a-zA-Z]*[am]$|^--(?:args|module-name)/ },
  ...forNames("at atq batch crontab", deferred),
  "apt-get": { options: /^-o/ },
  apt: { options: /^-o/ },
  ...forNames("cc c++ gcc g++ clang clang++ cpp gfortran gdc", compiler),
  dpkg: { options: /^--(?:pre|post)-invoke/ },
  ftp: database(/^$/),
  ghc: { options: /^-(?:e$|pgm|F$|fplugin)/, attached: true },
  ...forNames("latex latexmk lualatex luatex pdflatex pdftex tex xelatex xetex", tex),
  ld: { options: /^--?plugin/ },
  m4: { refusal: "its input may run programs" },
  ...forNames("mail mailx", { options: /^-[aS]$/ }),
  ...forNames("mariadb mysql", database(/^(?:-\w*e|--execute)/)),
  ...forNames("nc netcat ncat", network),
  nmap: { options: /^--script|^--datadir|^--servicedb/, attached: true },
  pandoc: { options: /^-[FL]|^--(?:lua-filter|pdf-engine|citeproc)/ },
  psql: database(/^-(?:\w*c|l)$|^--(?:command|list|version|help)/),
  "run-parts": { refusal: "it runs every program in a folder" },
  rustc: { options: /^-(?:C|Z)$|^-(?:C|Z)|^--(?:codegen|sysroot|extern)/ },
  sqlite3: { ...database(/^-(?:version|help)/), statementAt: 2 },
  tcpdump: { options: /^-\w*z$/ },
  ...forNames("tshark wireshark", { options: /^-X$/ })
}
