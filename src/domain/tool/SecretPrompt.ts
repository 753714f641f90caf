/**
 * Prompts of programs that ask the person at the terminal for a password or a confirmation: sudo, ssh, git, gpg, su,
 * and similar ones.
 */

/** The last, unfinished line that a terminal shows. */
export const isSecretPrompt = (line: string): boolean => prompts.some((prompt) => prompt.test(line))

const prompts: ReadonlyArray<RegExp> = [
  /\b(?:password|passwd|passphrase|passcode|pass phrase|pin|secret|otp|(?:verification|one-time|authentication|2fa) (?:code|password)|(?:api|access) (?:key|token))\b[^\n]{0,200}[:?>]\s*$/i,
  /\b(?:username|login|user name) (?:for|at) [^\n]{1,200}:\s*$/i,
  /\(yes\/no(?:\/\[fingerprint\])?\)\??\s*$/i
]
