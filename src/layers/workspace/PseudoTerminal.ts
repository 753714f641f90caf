/**
 * A pseudo-terminal around a command, by the program `script`: it is on every Linux (util-linux) and macOS, its child
 * has a session and a terminal of its own, and there is still no input to wait for.
 */

export interface Place {
  /** Absolute paths of `script` and of the shell. */
  readonly script: string
  readonly shell: string
  readonly platform: string
}

/** What is started in place of `plain`, and what the environment says then: programs ask it whether they may draw. */
export const around = ({ platform, script, shell }: Place, command: string, plain: ReadonlyArray<string>) => ({
  // util-linux runs a text by $SHELL, BSD an argv; both end with the command's own exit code.
  argv: platform === "darwin" ? [script, "-q", "/dev/null", ...plain] : [script, "-qefc", command, "/dev/null"],
  env: { SHELL: shell, TERM: "xterm-256color", COLUMNS: "120", LINES: "40" } as Readonly<Record<string, string>>
})
