/** Which files below its operands a command reads, by its options. */
import type { Tree } from "../../workspace/Lookup.ts"
import type { Word } from "./Syntax.ts"
import type { Tool } from "./Tool.ts"

/** Undefined if it reads only its operands. */
export const treeOf = (
  { includeOptions, hiddenOptions, followOptions, excludeFolderOptions, excludeOptions, recursiveOptions }: Tool,
  optionValues: ReadonlyMap<string, ReadonlyArray<Word>>
): Tree | undefined => {
  const has = (options: ReadonlySet<string>) => options.has("*") || [...options].some((option) => optionValues.has(option))
  if (!has(recursiveOptions)) return undefined
  const values = (options: ReadonlySet<string>) => [...options].flatMap((option) => optionValues.get(option) ?? [])
  // If one option both selects and excludes, as in ripgrep, a "!" excludes.
  const choices = values(includeOptions)
  const [exclusions, inclusions] = [choices.filter(({ text }) => text.startsWith("!")), choices.filter(({ text }) => !text.startsWith("!"))]
  // Which of two contradicting options wins depends on their order: then nothing is excluded.
  const texts = (words: ReadonlyArray<Word>) => inclusions.length > 0 ? [] : words.filter(isPlain).map(({ text }) => text.replace(/^!/, ""))
  const exceptFiles = texts([...values(excludeOptions), ...exclusions])
  // A trailing slash limits a pattern to folders.
  const exceptFolders = texts([...values(excludeFolderOptions), ...exclusions]).map((text) => text.replace(/\/$/, ""))
  return {
    // A file selected by name is read even if it is hidden.
    hidden: hiddenOptions === undefined || inclusions.length > 0 || has(hiddenOptions),
    ...(has(followOptions) ? { links: true } : {}),
    ...(inclusions.length > 0 && inclusions.every(isPlain) ? { only: inclusions.map(({ text }) => text) } : {}),
    ...(exceptFiles.length > 0 ? { exceptFiles } : {}),
    ...(exceptFolders.length > 0 ? { exceptFolders } : {})
  }
}

const isPlain = ({ kind, source, text }: Word): boolean => kind === "literal" || (kind === "glob" && source.endsWith(text))
