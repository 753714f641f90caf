/** From words to the files that they name. */
import type { Touch } from "./SimpleCommand.ts"
import type { Word } from "./Syntax.ts"

/** A path that a word may hold, by its looks: the whole, or what follows an option or a name and `=`. */
export const unsureTouches = (word: Word): ReadonlyArray<Touch> => {
  if (word.kind === "process" || (word.kind === "dynamic" && word.text === "")) return []
  const path = word.text.replace(/^(?:--?[\w-]+|\w+)=/, "").replace(/^-[a-zA-Z](?=[/~.])/, "").replace(/^@/, "")
  return path === "" || path.startsWith("-") || path.includes("://") ? [] : [touchOf("read", word, path, { sure: false })]
}

/** A touch as an operand makes it: sure of its path, the path itself and not what is below it. */
export const touchOf = (access: Touch["access"], word: Word, path: string, more: { readonly tree?: boolean; readonly sure?: boolean } = {}): Touch => ({
  access,
  word,
  path,
  tree: more.tree ?? false,
  redirect: false,
  sure: more.sure ?? true
})
