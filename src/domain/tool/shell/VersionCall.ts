/**
 * Calls that print a program's version and do nothing else. A program is not listed if it first runs or downloads what the folder
 * names: yarn (`yarnPath`), pnpm (`packageManager`), mvn (`.mvn/jvm.config`), dotnet (`global.json`), pytest (`addopts`), poetry
 * (`.poetry/plugins`).
 */
import type { Word } from "./Syntax.ts"

/** The options that print a version, and who has them. */
const programs: Readonly<Record<string, string>> = {
  "--version": "bash black bun cargo clang clang++ cmake curl deno docker eslint g++ gcc gh git java javac make mypy node npm npx perl php "
    + "pip pip3 poetry python python3 ruby ruff rustc swift tsc uv",
  "-v": "bun docker git node npm npx perl php ruby tsc",
  "-V": "cargo pip pip3 python python3 rustc",
  "-version": "java javac"
}

const namesByOption = new Map(Object.entries(programs).map(([option, names]) => [option, new Set(names.split(" "))]))

/** `node --version`, without another word. */
export const isVersionCall = (name: string, words: ReadonlyArray<Word>): boolean => {
  const [, option, ...others] = words
  return others.length === 0 && option?.kind === "literal" && namesByOption.get(option.text)?.has(name) === true
}
