/** The reasons for a decision as people read them. */

/** Reasons that both the rules and the risk state. */
const statedTwice = /^(?:it can't be parsed: |\S+ is protected: )/

/**
 * Each of the joined reasons once. The log keeps them as they were judged: replays of earlier sessions compare that text, and rules
 * are looked up in it.
 */
export const distinct = (reasons: string): string => {
  const clauses = reasons.split("; ")
  return clauses.filter((clause, i) => !statedTwice.test(clause) || !clauses.slice(0, i).some((earlier) => earlier.endsWith(clause))).join(
    "; "
  )
}
