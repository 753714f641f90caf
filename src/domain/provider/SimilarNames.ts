/** Existing names similar to an unknown one, by the pairs of letters that they share. */

const pairs = (name: string): ReadonlyArray<string> => {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, "")
  return Array.from({ length: Math.max(0, plain.length - 1) }, (_, i) => plain.slice(i, i + 2))
}

/** The Dice coefficient: 1 for identical pairs, 0 for none in common. */
const similarity = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const unmatched = [...b]
  const shared = a.filter((pair) => {
    const index = unmatched.indexOf(pair)
    if (index === -1) return false
    unmatched.splice(index, 1)
    return true
  })
  return a.length + b.length === 0 ? 0 : 2 * shared.length / (a.length + b.length)
}

/** Names between which a person chooses: `a`, `a or b`, `a, b or c`. */
export const alternatives = (names: ReadonlyArray<string>): string =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" or ")

/** At most `limit` names, the most similar first. */
export const similarNames = (name: string, names: ReadonlyArray<string>, limit = 3): ReadonlyArray<string> => {
  const target = pairs(name)
  return names.map((candidate) => ({ candidate, score: similarity(target, pairs(candidate)) }))
    .filter(({ score }) => score >= 0.4)
    .toSorted((a, b) => b.score - a.score || a.candidate.localeCompare(b.candidate))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
