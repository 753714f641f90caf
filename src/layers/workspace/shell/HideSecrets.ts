/** Takes what was typed at a hidden prompt out of a command's output, however that arrives in pieces. */

/** What stands in the output in place of a secret. */
export const placeholder = "[hidden input]"

/** Shorter ones would be found everywhere. */
const minLength = 4

export const canHide = (secret: string): boolean => secret.length >= minLength

/** The text without the secrets, and its end where that may be the beginning of one: to be pushed again, in front of what follows. */
export const push = (secrets: ReadonlySet<string>, text: string): readonly [text: string, carry: string] => {
  if (secrets.size === 0) return [text, ""]
  const clean = [...secrets].toSorted((a, b) => b.length - a.length).reduce((rest, secret) => rest.replaceAll(secret, placeholder), text)
  const carried = Math.max(...[...secrets].map((secret) => overlap(clean, secret)))
  return [clean.slice(0, clean.length - carried), clean.slice(clean.length - carried)]
}

/** How many characters at the end of the text begin the secret. */
const overlap = (text: string, secret: string): number => {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}
