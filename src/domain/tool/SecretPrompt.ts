/** Questions of programs that want a secret, or a word before it, from whoever sits at the terminal: sudo, ssh, git, gpg, su, and those like them. */

/** The last line that a terminal shows, which has not ended. */
export const is = (line: string): boolean => prompts.some((prompt) => prompt.test(line))

const prompts: ReadonlyArray<RegExp> = [
  /\b(?:password|passwd|passphrase|passcode|pass phrase|pin|secret|otp|(?:verification|one-time|authentication|2fa) (?:code|password)|(?:api|access) (?:key|token))\b[^\n]{0,200}[:?>]\s*$/i,
  /\b(?:username|login|user name) (?:for|at) [^\n]{1,200}:\s*$/i,
  /\(yes\/no(?:\/\[fingerprint\])?\)\??\s*$/i
]
