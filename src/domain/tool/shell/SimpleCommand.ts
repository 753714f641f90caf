/** One simple command found anywhere in a program, with all that deciding over it needs. */
import type { Assignment, Word } from "./Syntax.ts"

/** A file or folder that the command names. */
export interface Touch {
  readonly access: "read" | "write" | "enter"
  readonly word: Word
  /** The path itself where it is only a part of the word, as in `--file=path`. */
  readonly path: string
  /** Reads all beneath it. */
  readonly tree: boolean
  /** By `>` rather than by an argument of a command whose name says that it writes. */
  readonly redirect: boolean
  /** False when it may be something else than a path: the operand of a tool that is not known. */
  readonly sure: boolean
}

/** A reason why the command may do more than a rule for its name promises. */
export interface Hazard {
  readonly why: string
  /** The word that makes it so: a rule that spells this word accepts it. */
  readonly word: Word | undefined
  /** It may run programs that are not named here, so not even `Bash(*)` covers it. */
  readonly opaque: boolean
}

export interface Part {
  /** As written. */
  readonly source: string
  /** The program and its arguments; empty for a redirection or an assignment alone. */
  readonly words: ReadonlyArray<Word>
  /** The same without options that stand before a sub-command, as in `git -C x status`. */
  readonly core: ReadonlyArray<Word>
  /** The base name of the program, when it is known. */
  readonly name: string | undefined
  /** The wrappers around it, outermost first: `sudo`, `timeout`. */
  readonly via: ReadonlyArray<string>
  /** The commands that this one runs, seen through it. */
  readonly inner: ReadonlyArray<Part>
  /** It does nothing besides running `inner`: allowed when they are. */
  readonly transparent: boolean
  /** Where it may run, as paths from the starting folder; undefined when that cannot be told. */
  readonly folders: ReadonlyArray<string> | undefined
  readonly assignments: ReadonlyArray<Assignment>
  readonly touches: ReadonlyArray<Touch>
  readonly hazards: ReadonlyArray<Hazard>
  /** Wholly known to read and no more. */
  readonly readOnly: boolean
}

/** The parts and, after each, those that it runs. */
export const flatten = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.flatMap((part) => part.inner.length === 0 ? [part] : [part, ...flatten(part.inner)])

/** The last segment of a program's path. */
export const baseName = (program: string): string => program.slice(program.lastIndexOf("/") + 1)
