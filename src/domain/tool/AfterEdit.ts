/** What the user wants to run after an edit: a formatter and a check, for the files that a pattern names. */
import * as Schema from "effect/Schema"
import { matches } from "../approval/PathSpec.ts"
import * as Access from "./Access.ts"

/**
 * `{file}` in a command stands for the file, relative to the working folder; a formatter without it has the file as its
 * last word. A pattern without a slash matches names in every folder.
 */
export const Commands = Schema.Struct({ format: Schema.optionalKey(Schema.String), check: Schema.optionalKey(Schema.String) })

/** The commands for files that match the pattern `files`. */
export const AfterEdit = Schema.Struct({ files: Schema.String, ...Commands.fields }).annotate({ identifier: "AfterEdit" })
export type AfterEdit = typeof AfterEdit.Type

type Command = Extract<Access.Access, { readonly _tag: "Command" }>

/** A command that follows an edit, and the file that it is for. */
export interface Follow {
  readonly kind: "format" | "check"
  readonly path: string
  readonly command: Command
}

/** What follows the edits among these accesses, formatters before checks, each command once; of files outside the working folder nothing. */
export const follows = (rules: ReadonlyArray<AfterEdit>, access: ReadonlyArray<Access.Access>, cwd: string): ReadonlyArray<Follow> => {
  const paths = access.flatMap((one) => one._tag === "Edit" && one.kind !== "delete" && isInside(one.path) ? [one.path] : [])
  const all = (kind: Follow["kind"]): ReadonlyArray<Follow> =>
    paths.flatMap((path) => rules.flatMap((rule) => {
      const command = rule[kind]
      return command === undefined || !matches(rule.files)(path) ? [] : [{ kind, path, command: commandFor(command, kind, path, cwd) }]
    }))
  const found = [...all("format"), ...all("check")]
  return found.filter(({ command }, i) => found.findIndex((other) => other.command.command === command.command) === i)
}

const isInside = (path: string): boolean => !path.startsWith("/") && !path.startsWith("../")

const place = "{file}"

const commandFor = (text: string, kind: Follow["kind"], path: string, cwd: string): Command => {
  const template = kind === "format" && !text.includes(place) ? `${text} ${place}` : text
  const always = template.endsWith(` ${place}`) ? `Bash(${template.slice(0, -place.length - 1)}:*)` : undefined
  return {
    _tag: "Command",
    command: template.replaceAll(place, () => quoted(path)),
    cwd,
    ...(always === undefined ? {} : { always })
  }
}

/** One word for the shell, which no program takes for an option. */
const quoted = (path: string): string => {
  const word = path.startsWith("-") ? `./${path}` : path
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
