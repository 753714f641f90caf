/** Rules about what is typed into a running command: those of the command, unless what is typed can be any command. */
import { analyse, flatten } from "../tool/CommandLine.ts"
import { isInterpreter, isShell } from "../tool/shell/Wrappers.ts"
import * as AlwaysRules from "./AlwaysRules.ts"
import type { Evaluation } from "./Evaluation.ts"

/** Programs that run commands on a key: pagers, editors, file managers. */
const shellEscapes = new Set("bat emacs less lynx man mc more most mutt nano nvim pico ranger top htop vi view vim vimdiff w3m".split(" "))

/** Whether what is typed there can run any command. */
export const takesAnyCommand = (command: string): boolean => {
  const { faults, parts } = analyse(command)
  return faults.length > 0 || flatten(parts).some((part) =>
    part.name === undefined || shellEscapes.has(part.name) || isShell(part.name) || isInterpreter(part.name) ||
    AlwaysRules.isOpenEnded(part)
  )
}

/**
 * The evaluation of a command's input: an allow rule for a command that takes any other one does not cover it, and where rules forbid
 * something no mode allows it.
 */
export const evaluate = (command: string, evaluation: Evaluation, hasRestrictions: boolean): Evaluation =>
  evaluation.decision === "deny" || evaluation.decision === "allow" && !takesAnyCommand(command) ? evaluation
    : {
      decision: "ask",
      reason: evaluation.rule !== undefined && evaluation.decision === "ask" ? evaluation.reason : "no rule covers what is typed there",
      ...(evaluation.decision === "ask" && evaluation.rule !== undefined ? { rule: evaluation.rule } : {}),
      ...(hasRestrictions && takesAnyCommand(command) ? { isOpaque: true } : {})
    }
