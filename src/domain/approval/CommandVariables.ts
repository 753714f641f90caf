/** Variables that a command sets for itself: which of them need approval although its program is allowed. */
import type { Assignment, SimpleCommand } from "../tool/CommandLine.ts"
import { assignmentHazard, isPrivateVariable } from "../tool/shell/Environment.ts"

/** The first variable that does, with the reason. */
export const hazardOf = (part: SimpleCommand): { readonly name: string; readonly reason: string } | undefined => {
  for (const assignment of part.assignments) {
    const { name, value } = assignment
    // Without a command, a program's own variable stays within it.
    if (part.words.length === 0 && value !== undefined && isPrivateVariable(name)) continue
    const reason = namesModules(assignment, part) ? undefined : assignmentHazard(name, value, part.name)
    if (reason !== undefined) return { name, reason }
  }
  return undefined
}

/** Where Python looks for the project's modules, for a call that runs the project's code anyway. */
const namesModules = ({ name, value }: Assignment, part: SimpleCommand): boolean =>
  name === "PYTHONPATH" && value?.kind === "literal" && value.text.split(":").every((path) => path === "." || isBelow(path)) &&
  runsProject(part)

/** A path below the working directory, through no hidden folder. */
const isBelow = (path: string): boolean => /^(?:\.\/)?\w[\w.-]*(?:\/\w[\w.-]*)*\/?$/.test(path)

/** Tests, or a script by its relative path. */
const runsProject = ({ name = "", words: [, first, module] }: SimpleCommand): boolean =>
  /^py\.?test$/.test(name) ||
  /^python[\d.]*$/.test(name) && first?.kind === "literal" &&
    (first.text === "-m" ? module?.kind === "literal" && /^(?:pytest|unittest)$/.test(module.text)
      : first.text.endsWith(".py") && isBelow(first.text))
