/** Which files belong together, as earlier sessions of a folder touched them. */

/** Sessions in which two files have to have been touched. */
const least = 3

/** Files that earlier sessions (each a list of paths) touched together with one that is in play, often enough. */
export const often = (earlier: ReadonlyArray<ReadonlySet<string>>, inPlay: ReadonlySet<string>): ReadonlySet<string> => {
  const pairs = new Map<string, Map<string, number>>()
  for (const session of earlier) {
    for (const played of session) {
      if (!inPlay.has(played)) continue
      const beside = pairs.get(played) ?? new Map<string, number>()
      for (const path of session) if (path !== played) beside.set(path, (beside.get(path) ?? 0) + 1)
      pairs.set(played, beside)
    }
  }
  return new Set([...pairs.values()].flatMap((beside) => [...beside].flatMap(([path, times]) => times >= least ? [path] : [])))
}
