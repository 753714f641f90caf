/** Tables keyed by names, looked up by text from outside. */

/** The entry under a name; `constructor`, `toString` and whatever else every object inherits are no entries. */
export const entry = <A>(table: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
