/** The commands that follow an edit. */
import { optional } from "../Optional.ts"
import { matches } from "../approval/PathSpec.ts"
import type * as Access from "./Access.ts"
import type { AfterEdit } from "./AfterEdit.ts"
import * as Quote from "./shell/Quote.ts"

type Command = Extract<Access.Access, { readonly _tag: "Command" }>

/** A command that follows an edit, and its file. */
export interface FollowUp {
  readonly kind: "format" | "check"
  readonly path: string
  readonly command: Command
}

/**
 * The commands to run after the edits among these accesses, formatters before checks, each once; none for files outside
 * the working folder.
 */
export const followUps = (rules: ReadonlyArray<AfterEdit>, access: ReadonlyArray<Access.Access>, cwd: string): ReadonlyArray<FollowUp> => {
  const paths = access.flatMap((one) => one._tag === "Edit" && one.kind !== "delete" && isInside(one.path) ? [one.path] : [])
  const ofKind = (kind: FollowUp["kind"]): ReadonlyArray<FollowUp> =>
    paths.flatMap((path) =>
      rules.flatMap((rule) => {
        const command = rule[kind]
        return command === undefined || !matches(rule.files)(path) ? [] : [{ kind, path, command: commandFor(command, kind, path, cwd) }]
      })
    )
  const candidates = [...ofKind("format"), ...ofKind("check")]
  return candidates.filter(({ command }, i) => candidates.findIndex((other) => other.command.command === command.command) === i)
}

const isInside = (path: string): boolean => !path.startsWith("/") && !path.startsWith("../")

const filePlaceholder = "{file}"

const commandFor = (text: string, kind: FollowUp["kind"], path: string, cwd: string): Command => {
  const template = kind === "format" && !text.includes(filePlaceholder) ? `${text} ${filePlaceholder}` : text
  const rule = template.endsWith(` ${filePlaceholder}`) ? `Bash(${template.slice(0, -filePlaceholder.length - 1)}:*)` : undefined
  return {
    _tag: "Command",
    command: template.replaceAll(filePlaceholder, () => quote(path)),
    cwd,
    ...optional({ always: rule })
  }
}

/** Quoted as one shell word that no program takes for an option. */
const quote = (path: string): string => Quote.ifNeeded(path.startsWith("-") ? `./${path}` : path)
