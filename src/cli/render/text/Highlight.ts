/**
 * Highlights code line by line as it streams: comments, strings, numbers and keywords. Each line is tokenised on its own, so
 * multi-line strings and comments are recognised only by how their lines begin. Unknown languages have one colour.
 */
import type { SafeText } from "../view/DisplayText.ts"
import type { Paint, Theme } from "./Theme.ts"

/** The comments, strings and keywords of a family of languages. */
interface Family {
  readonly names: string
  readonly comment: string
  readonly text: string
  readonly keywords: string
}

const quotes = String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?`
const braces = String.raw`\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*(?=[ /]|$).*`
const hash = String.raw`(?<![\w$&{])#.*`

const families: ReadonlyArray<Family> = [
  {
    names: "ts tsx js jsx mjs cjs typescript javascript",
    comment: braces,
    text: `${quotes}|${"`(?:[^`\\\\]|\\\\.)*`?"}`,
    keywords:
      "abstract any as async await boolean break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace never new null number object of private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown var void while yield"
  },
  { names: "json json5 jsonc", comment: braces, text: quotes, keywords: "false null true" },
  {
    names: "c cc cpp cxx h hpp cs csharp java kotlin kt scala swift dart php zig objc",
    comment: braces,
    text: quotes,
    keywords:
      "abstract auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for foreach fun func goto guard if implements import in init inline int interface internal is let long namespace new nil null nullptr object operator override package private protected public return self short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when where while yield"
  },
  {
    names: "go golang",
    comment: braces,
    text: `${quotes}|${"`[^`]*`?"}`,
    keywords:
      "any bool break byte case chan const continue default defer else error fallthrough false for func go goto if import int int64 interface iota make map nil package range return rune select string struct switch true type uint var"
  },
  {
    names: "rs rust",
    comment: braces,
    text: String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)'`,
    keywords:
      "as async await bool break char const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str String struct super trait true type u32 u64 u8 unsafe use usize where while"
  },
  {
    names: "py python pyi",
    comment: hash,
    text: String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${quotes}`,
    keywords:
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield"
  },
  {
    names: "rb ruby",
    comment: hash,
    text: quotes,
    keywords:
      "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield"
  },
  {
    names: "sh bash zsh shell console fish dockerfile makefile make",
    comment: hash,
    text: quotes,
    keywords:
      "case cd do done echo elif else esac exit export fi for function if in local return set source then trap unset until while FROM RUN COPY CMD ENTRYPOINT ENV WORKDIR EXPOSE ARG"
  },
  { names: "yaml yml toml ini properties", comment: hash, text: quotes, keywords: "true false null yes no on off" },
  {
    names: "sql",
    comment: String.raw`--.*|\/\*.*?(?:\*\/|$)`,
    text: quotes,
    keywords:
      "add all alter and as asc between by case create cross default delete desc distinct drop else end exists foreign from group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right select set table then union unique update values view when where with"
  },
  {
    names: "lua",
    comment: "--.*",
    text: quotes,
    keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"
  },
  { names: "css scss less", comment: braces, text: quotes, keywords: "important media import keyframes supports font-face" },
  { names: "html xml svg vue svelte", comment: String.raw`<!--.*?(?:-->|$)`, text: quotes, keywords: "" }
]

interface Grammar {
  readonly tokens: RegExp
  readonly keywords: ReadonlySet<string>
  readonly anyCase: boolean
}

const grammarOf = ({ comment, names, text, keywords }: Family): Grammar => ({
  tokens: new RegExp(`(?<comment>${comment})|(?<text>${text})|(?<number>(?<![\\w$])\\d[\\w.]*)|(?<word>[A-Za-z_$][\\w$]*)`, "g"),
  keywords: new Set(keywords.split(" ")),
  anyCase: names === "sql"
})

/** Compiled on first use. */
const grammars = new Map<string, Grammar | undefined>()

const grammarFor = (language: string): Grammar | undefined => {
  if (!grammars.has(language)) {
    const family = families.find(({ names }) => names.split(" ").includes(language))
    grammars.set(language, family === undefined ? undefined : grammarOf(family))
  }
  return grammars.get(language)
}

/** Longer lines are not highlighted. */
const maxLineLength = 2_000

/** Highlights one line of code; `language` is the info string of a fence or a file extension. `unknown` paints other languages. */
export const line = (code: SafeText, language: string, theme: Theme, unknown: Paint = theme.code): string => {
  const grammar = theme.color && code.length <= maxLineLength ? grammarFor(language.toLowerCase()) : undefined
  if (grammar === undefined) return unknown(code)
  return code.replace(grammar.tokens, (token: string, ...rest: ReadonlyArray<unknown>) => {
    const { comment, number, text, word } = rest.at(-1) as Readonly<Record<"comment" | "number" | "text" | "word", string | undefined>>
    return comment !== undefined ? theme.syntax.comment(token)
      : text !== undefined ? theme.syntax.string(token)
      : number !== undefined ? theme.syntax.number(token)
      : word !== undefined && grammar.keywords.has(grammar.anyCase ? token.toLowerCase() : token) ? theme.syntax.keyword(token)
      : token
  })
}
