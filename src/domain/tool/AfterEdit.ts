/** What to run after an edit: a formatter and a check, for the files that a pattern matches. */
import * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import { matches } from "../approval/PathSpec.ts"
import * as Access from "./Access.ts"

/**
 * `{file}` in a command stands for the file, relative to the working folder; a formatter without it gets the file as
 * its last argument. A pattern without a slash matches names in every folder.
 */
export const Commands = Schema.Struct({ format: Schema.optionalKey(Schema.String), check: Schema.optionalKey(Schema.String) })

/** The commands for files that match the pattern `files`. */
export const AfterEdit = Schema.Struct({ files: Schema.String, ...Commands.fields }).annotate({ identifier: "AfterEdit" })
export type AfterEdit = typeof AfterEdit.Type

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
const quote = (path: string): string => {
  const word = path.startsWith("-") ? `./${path}` : path
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
