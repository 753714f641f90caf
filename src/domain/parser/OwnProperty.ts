/** Own properties of records whose keys come from outside. */

/** Sets an own property, whatever its name: `__proto__` is a name like any other, as in JSON.parse. */
export const define = <A>(record: Record<string | number, A>, key: string | number, value: A): void => {
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    record[key] = value
  }
}

/** The own property of a table, if it has one: `constructor` names nothing. */
export const get = <A>(table: Readonly<Record<string, A>>, key: string): A | undefined => Object.hasOwn(table, key) ? table[key] : undefined
