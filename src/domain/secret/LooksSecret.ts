/** Telling a secret's value from what only stands where one could: placeholders, references, code, ids, checksums. */

/** Stands for each character of what was redacted before: of private use, so that no pattern takes it for one of its own. */
export const covered = "\uf8ff"

/** What documents and examples write instead of a secret, and what a masked one looks like. */
const stand =
  /^(?:[<[{(%*.•…]|\$[\w{(]|x{4,}|X{4,})|\*{3}|\.{3}$|x{8}|X{8}|<[^>]*>$|\b(?:your[-_ ]|(?:my|some|the|insert|enter|replace|put|add)[-_])|(?:^|[-_ ])(?:here|placeholder|redacted|changeme|change[-_]me|example|examples|dummy|sample|todo|fixme|tbd|test[-_]?key|fake[-_]?key|foo|foobar|foo[-_]bar)(?:[-_ .]|$)|EXAMPLE|\bYOUR_/

/** Words that stand in a secret's place in code, schemas and settings. */
const words = new Set(
  ("undefined null nil none true false yes no on off string number boolean bool int integer str bytes byte text varchar char any unknown never object void optional required hidden " +
    "password passwd pwd secret token key apikey api_key credential credentials auth bearer basic digest negotiate env environ default self this async await function new return import class " +
    "redacted masked encrypted plaintext sensitive disabled enabled missing invalid empty set unset").split(" ")
)

/** A value that is no secret whatever name stands beside it. */
export const isPlaceholder = (value: string): boolean =>
  stand.test(value) || words.has(value.toLowerCase()) || new Set(value).size <= 2

/** Letters and digits that nobody wrote by hand: of two classes at least, and varied. */
export const isRandom = (value: string, least: number): boolean => {
  if (value.length < least) return false
  const classes = [/[a-z]/, /[A-Z]/, /\d/].filter((each) => each.test(value)).length
  return classes >= 2 && new Set(value).size >= Math.min(8, least * 0.6)
}

/** What tools print and nobody keeps secret: hashes, UUIDs, checksums with their algorithm, ids of requests and calls. */
export const isIdentifier = (value: string): boolean =>
  /^(?:0x)?[\da-f]+$|^(?:0x)?[\dA-F]+$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$|^(?:md5|sha\d+)[:-]|^(?:toolu|msg|req|call|chatcmpl|resp|run|thread|step|file|batch|evt|fc|rs|ws|cus|pi|ch|in|sub|prod|price)[_-]/i.test(value)
