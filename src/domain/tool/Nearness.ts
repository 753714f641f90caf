/** The tools that a wrong name may have meant. */
import * as Similarity from "../diff/Similarity.ts"

/** The names, the most similar first: those that share more words, then those spelled more alike. */
export const nearestFirst = (wrong: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wrongWords = new Set(wordsOf(wrong))
  return names
    .map((name) => ({
      name,
      sharedWords: wordsOf(name).filter((word) => wrongWords.has(word)).length,
      similarity: Similarity.similarity([wrong.toLowerCase()], [name.toLowerCase()])
    }))
    .toSorted((a, b) => b.sharedWords - a.sharedWords || b.similarity - a.similarity)
    .map(({ name }) => name)
}

/** `webSearch`, `web_search` and `web-search` have the same words. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== "")
