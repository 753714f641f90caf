/**
 * Calls that print a program's version or help and do nothing else. A program is not listed if it first runs or downloads what the folder
 * names: yarn (`yarnPath`), pnpm (`packageManager`), mvn (`.mvn/jvm.config`), dotnet (`global.json`), pytest (`addopts`), poetry
 * (`.poetry/plugins`).
 */
import { fileTools, textTools } from "./TextTools.ts"
import type { Word } from "./Syntax.ts"

/** The options and subcommands that print a version, and who has them. */
const programs: Readonly<Record<string, string>> = {
  "--version": "bash black bun cargo clang clang++ cmake curl deno docker eslint g++ gcc gh git java javac make mypy node npm npx perl php "
    + "pip pip3 python python3 ruby ruff rustc swift tsc uv xmllint",
  "-v": "bun docker git node npm npx perl php ruby tsc",
  "-V": "cargo pip pip3 python python3 rustc",
  "-version": "java javac",
  "compose version": "docker"
}

const namesByOption = new Map(Object.entries(programs).map(([option, names]) => [option, new Set(names.split(" "))]))

/** These print their help, too, and so do the tools for text and files. */
const hasHelp = (name: string): boolean =>
  namesByOption.get("--version")?.has(name) === true && name !== "git" || Object.hasOwn(textTools, name) || Object.hasOwn(fileTools, name)

/** `node --version`, `docker compose version`, `split --help`, without another word. */
export const isVersionCall = (name: string, words: ReadonlyArray<Word>): boolean => {
  const [, ...options] = words
  const option = options.map(({ text }) => text).join(" ")
  return options.length > 0 && options.every(({ kind, text }) => kind === "literal" && !text.includes(" ")) &&
    (namesByOption.get(option)?.has(name) === true || option === "--help" && hasHelp(name))
}
