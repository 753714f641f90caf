/** Distinguishes a secret's value from what merely stands in its place: placeholders, references, code, ids, checksums. */
/** Replaces each character that was redacted before: from a private use area, so that no pattern matches it. */
export const maskCharacter = "\uf8ff"

/** Placeholders in documents and examples, and masked secrets. */
const placeholderPattern =
  /^(?:[<[{(%*.•…]|\$[\w{(]|x{4,}|X{4,})|\*{3}|\.{3}$|x{8}|X{8}|<[^>]*>$|\b(?:your[-_ ]|(?:my|some|the|insert|enter|replace|put|add)[-_])|(?:^|[-_ ])(?:here|placeholder|redacted|changeme|change[-_]me|example|examples|dummy|sample|todo|fixme|tbd|test[-_]?key|fake[-_]?key|foo|foobar|foo[-_]bar)(?:[-_ .]|$)|EXAMPLE|\bYOUR_/

/** Words in a secret's place in code, schemas and settings. */
const placeholderWords = new Set(
  ("undefined null nil none true false yes no on off string number boolean bool int integer str bytes byte text varchar char any unknown never object void optional required hidden " +
    "password passwd pwd secret token key apikey api_key credential credentials auth bearer basic digest negotiate env environ default self this async await function new return import class " +
    "redacted masked encrypted plaintext sensitive disabled enabled missing invalid empty set unset").split(" ")
)

/** A value that is not a secret whatever name stands beside it. */
export const isPlaceholder = (value: string): boolean =>
  placeholderPattern.test(value) || placeholderWords.has(value.toLowerCase()) || new Set(value).size <= 2

/** Letters and digits that nobody wrote by hand: of at least two classes, and varied. */
export const isRandom = (value: string, minCharacters: number): boolean => {
  if (value.length < minCharacters) return false
  const classes = [/[a-z]/, /[A-Z]/, /\d/].filter((pattern) => pattern.test(value)).length
  return classes >= 2 && new Set(value).size >= Math.min(8, minCharacters * 0.6)
}

/** Letters and digits that change their class too often for words, even in camel case. */
export const isMixed = (value: string): boolean =>
  (value.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g)?.length ?? 0) >= value.length * 0.4

/** What tools print without secrecy: hashes, UUIDs, checksums with their algorithm, ids of requests and calls. */
export const isIdentifier = (value: string): boolean =>
  /^(?:0x)?[\da-f]+$|^(?:0x)?[\dA-F]+$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$|^(?:md5|sha\d+)[:-]|^(?:toolu|msg|req|call|chatcmpl|resp|run|thread|step|file|batch|evt|fc|rs|ws|cus|pi|ch|in|sub|prod|price)[_-]/i
    .test(value)

// A stretch of text that holds a secret.

/** From `start` to before `end`, in UTF-16 units; `kind` is its name in the placeholder: `anthropic`, `password`. */
export interface SecretMatch {
  readonly start: number
  readonly end: number
  readonly kind: string
}
