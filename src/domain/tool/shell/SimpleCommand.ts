/** One simple command anywhere in a program, with everything needed to judge it. */
import type { Tree } from "../../workspace/Lookup.ts"
import type { Assignment, Word } from "./Syntax.ts"

/** A file or folder that the command names. */
export interface Touch {
  readonly access: "read" | "write" | "enter"
  readonly word: Word
  /** The path itself if it is only a part of the word, as in `--file=path`. */
  readonly path: string
  /** Reads everything beneath it, or what this describes. */
  readonly tree: Tree | undefined
  /** By `>` rather than by an argument of a command whose name implies writing. */
  readonly redirect: boolean
  /** False if it may not be a path: the operand of an unknown tool. */
  readonly isCertain: boolean
}

/** A reason why the command may do more than a rule for its name promises. */
export interface Hazard {
  readonly reason: string
  /** The word that causes it: a rule that spells out this word accepts it. */
  readonly word: Word | undefined
  /** It may run programs that are not named here, so not even `Bash(*)` covers it. */
  readonly opaque: boolean
  /** It runs a command that is judged by itself, among `inner`. */
  readonly inner?: true
}

export interface SimpleCommand {
  /** As written. */
  readonly source: string
  /** The program and its arguments; empty for a bare redirection or assignment. */
  readonly words: ReadonlyArray<Word>
  /** The same without options before a subcommand, as in `git -C x status`. */
  readonly core: ReadonlyArray<Word>
  /** The base name of the program, if known. */
  readonly name: string | undefined
  /** The wrappers around it, outermost first: `sudo`, `timeout`. */
  readonly wrappers: ReadonlyArray<string>
  /** The commands that this one runs. */
  readonly inner: ReadonlyArray<SimpleCommand>
  /** It does nothing besides running `inner`: allowed if they are. */
  readonly transparent: boolean
  /** Where it may run, as paths from the starting folder; undefined when unknown. */
  readonly folders: ReadonlyArray<string> | undefined
  readonly assignments: ReadonlyArray<Assignment>
  readonly touches: ReadonlyArray<Touch>
  readonly hazards: ReadonlyArray<Hazard>
  /** Its input is a pipe, a file or a here-document. */
  readonly readsInput: boolean
  /** Known to only read. */
  readonly readOnly: boolean
  /** Known to only read, and to write the files among its touches: no others, and nothing but their contents. */
  readonly editsFiles: boolean
}

/** The parts and, after each, those that it runs. */
export const flatten = (parts: ReadonlyArray<SimpleCommand>): ReadonlyArray<SimpleCommand> =>
  parts.flatMap((part) => part.inner.length === 0 ? [part] : [part, ...flatten(part.inner)])

/** The last segment of a program's path. */
export const baseName = (program: string): string => program.slice(program.lastIndexOf("/") + 1)
