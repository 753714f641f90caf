/** Names near to one that does not exist, by the pairs of letters that they share. */

const pairs = (name: string): ReadonlyArray<string> => {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, "")
  return Array.from({ length: Math.max(0, plain.length - 1) }, (_, i) => plain.slice(i, i + 2))
}

/** Dice's coefficient: 1 for the same pairs, 0 for none in common. */
const likeness = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const left = [...b]
  const shared = a.filter((pair) => {
    const at = left.indexOf(pair)
    if (at === -1) return false
    left.splice(at, 1)
    return true
  })
  return a.length + b.length === 0 ? 0 : 2 * shared.length / (a.length + b.length)
}

/** At most `limit` names, the nearest first; none that is far off. */
export const near = (name: string, known: ReadonlyArray<string>, limit = 3): ReadonlyArray<string> => {
  const wanted = pairs(name)
  return known.map((candidate) => ({ candidate, score: likeness(wanted, pairs(candidate)) }))
    .filter(({ score }) => score >= 0.4)
    .toSorted((a, b) => b.score - a.score || a.candidate.localeCompare(b.candidate))
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}
