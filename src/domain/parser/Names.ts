/**
 * Names of properties, which repeat. Engines keep one text for each name that is used as a key, and look it up again for
 * every copy that was cut out of another text; so the last names met are kept, each as the engine's own.
 */

/** Where a name is kept: there is room for so many, and longer ones are not worth it. */
const room = 64
const longest = 64
const kept: Array<string> = Array.from({ length: room }, () => "")

/** The same name, as the engine keeps it where it was met before. O(name). */
export const known = (name: string): string => {
  if (name.length > longest) return name
  const place = (name.length * 7 + name.charCodeAt(0)) % room || 0
  const last = kept[place]!
  return last === name ? last : kept[place] = Object.keys({ [name]: name })[0]!
}
