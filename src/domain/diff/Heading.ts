/** The line that names what a hunk stands in, by the file's language: the patterns of git's userdiff.c, shortened. */

export type Heading = (line: string) => boolean

const script =
  /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:(?:async\s+)?function\b|class\b|interface\b|enum\b|namespace\b|type\s+\w|(?:const|let|var)\s+[\w$]+\s*(?::.*)?=\s*(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>))|^(?:describe|it|test)\s*\(/
const braces =
  /^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|virtual|override|async|inline|extern|template|struct|class|enum|interface|namespace|record|union)\b.*[^;]$)|^[A-Za-z_][\w\s*&:<>,~]*\([^;]*$/

const patterns: ReadonlyArray<readonly [extensions: string, pattern: RegExp]> = [
  ["ts tsx mts cts js jsx mjs cjs", script],
  ["py pyi", /^\s*(?:class|(?:async\s+)?def)\s/],
  ["go", /^(?:func\b|type\s.*(?:struct|interface)\b)/],
  ["rs", /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe|extern(?:\s+"[^"]*")?)\s+)*(?:fn|struct|enum|impl|trait|mod|union|macro_rules!)\b/],
  ["rb", /^\s*(?:class|module|def)\s/],
  ["php", /^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*(?:function|class|interface|trait|enum)\b/],
  ["java kt kts cs c h cc cpp cxx hpp hh swift scala", braces],
  ["sh bash zsh", /^\s*(?:function\s+[\w:-]+|[\w:-]+\s*\(\s*\))/],
  ["md markdown", /^ {0,3}#{1,6}\s/],
  ["css scss less", /^[^\s@/}][^;]*[{,]\s*$|^@\w/],
  ["toml ini", /^\s*\[/],
  ["ex exs", /^\s*(?:defmodule|defp?|defmacrop?|test|describe)\s/]
]

const byExtension = new Map(
  patterns.flatMap(([extensions, pattern]) => extensions.split(" ").map((extension) => [extension, pattern] as const))
)

/** Which lines are headings in the language of this path, or nothing where no grammar is known. */
export const heading = (path: string): Heading | undefined => {
  const pattern = byExtension.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase())
  return pattern === undefined ? undefined : (line) => line.length < 500 && pattern.test(line)
}
