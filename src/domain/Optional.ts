/** Objects whose optional properties are absent rather than undefined (exactOptionalPropertyTypes). */

/** The properties that are not undefined, in their order. */
export const optional = <P extends object>(properties: P): { [K in keyof P]?: Exclude<P[K], undefined> } =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as { [K in keyof P]?: Exclude<P[K], undefined> }
