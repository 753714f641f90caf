/** Unique ids for the tool calls of a response, so that no call is mistaken for another. */

/** The ids in use, each with the number for the next call with the same id. */
export type CallIds = Map<string, number>

/** The id, or a new one if it is in use or empty. Linear in the number of calls, even if a server gives all of them the same id. */
export const unique = (used: CallIds, id: string): string => {
  const base = id === "" ? "call" : id
  let candidate = base
  let n = used.get(base) ?? 2
  for (; used.has(candidate); n++) candidate = `${base}_${n}`
  used.set(base, n)
  if (candidate !== base) used.set(candidate, 2)
  return candidate
}
