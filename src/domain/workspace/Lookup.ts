/**
 * What has to be looked up on disk before a command can be judged: where a path leads, what a pattern matches, what a
 * tree contains.
 */

/** Which files below a folder are read. */
export interface Tree {
  /** Names that begin with a dot are read, too; otherwise only those that an ignore file includes again, as ripgrep does. */
  readonly hidden: boolean
  /** Only the files that git tracks are read, of this folder or of the whole repository around it: only rules apply to these. */
  readonly tracked?: "folder" | "repository"
  /** The shell splits the names into words: where one is no plain word, the result is unknown. */
  readonly plain?: true
  /** Links in it are followed; with `files`, folders that they lead to are not entered. */
  readonly links?: true | "files"
  /** File name patterns: files of other names are not read. */
  readonly only?: ReadonlyArray<string>
  /** Name patterns of files, and of folders, that are left out. */
  readonly exceptFiles?: ReadonlyArray<string>
  readonly exceptFolders?: ReadonlyArray<string>
}

export interface Lookup {
  /** Absolute. `..` and links are left as the command writes them. */
  readonly path: string
  /** `path` is a shell pattern, in which a backslash escapes a character. */
  readonly pattern: boolean
  /** Folders that it names are read with everything beneath. */
  readonly tree?: Tree
}

/** Absolute paths; null if unknown, as with a link that leads to itself or a tree that is too large. */
export type LookupResult = ReadonlyArray<string> | null

/** Results by `key`. A plain path that leads to itself has none; patterns and trees always have one. */
export type Leads = Readonly<Record<string, LookupResult>>

/** The path itself, unless it stands for more than one file. */
export const key = (lookup: Lookup): string => lookup.pattern || lookup.tree !== undefined ? JSON.stringify(lookup) : lookup.path

/** Whether a file of this name, in folders of these names below the tree's own, is read. `included` are the names of `reincludedNames`. */
export const fileFilter = ({ exceptFiles = [], exceptFolders = [], hidden, only }: Tree): {
  readonly enters: (folder: string, included: ReadonlyArray<string>) => boolean
  readonly file: (name: string, included: ReadonlyArray<string>) => boolean
} => {
  const [closedFiles, closedFolders] = [exceptFiles.map(strictPattern), exceptFolders.map(strictPattern)]
  const includedPatterns = only?.map(loosePattern)
  const isVisible = (name: string, included: ReadonlyArray<string>) =>
    hidden || !name.startsWith(".") || included.some((pattern) => loosePattern(pattern).test(name))
  const matches = (patterns: ReadonlyArray<RegExp>, name: string) => patterns.some((pattern) => pattern.test(name))
  return {
    enters: (name, included) => isVisible(name, included) && !matches(closedFolders, name),
    file: (name, included) =>
      isVisible(name, included) && !matches(closedFiles, name) && (includedPatterns === undefined || matches(includedPatterns, name))
  }
}

/** The files from which ripgrep learns what to leave out, and what not. */
export const ignoreFiles: ReadonlyArray<string> = [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"]

/** Patterns of the names that an ignore file includes again: of `!src/.env`, both of its names. */
export const reincludedNames = (ignoreFile: string): ReadonlyArray<string> =>
  ignoreFile.split(/\r?\n/).filter((line) => line.startsWith("!")).flatMap((line) =>
    line.slice(1).trimEnd().split("/").filter((name) => name !== "")
  )

/** A name that stays one word, whatever reads it, and is no option. */
export const isPlainName = (name: string): boolean => /^[\w.@+,=~#%][\w.@+,=~#%-]*$/.test(name)

/** A pattern matched only by names that the program leaves out. Anything beyond stars matches nothing. */
const strictPattern = (pattern: string): RegExp => /^[\w.*-]+$/.test(pattern) ? regex(pattern, "") : /(?!)/

/** A pattern matched by every name that the program reads: anything beyond stars and choices matches all. */
const loosePattern = (pattern: string): RegExp => {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1)
  return name === "" || name === "**" || /[[\]\\()]/.test(name) || pattern.includes("{") && pattern.includes("/") ? /^/ : regex(name, "i")
}

const regex = (pattern: string, flags: string): RegExp =>
  new RegExp(
    `^${
      pattern.replace(/[.+^$|]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".").replace(
        /\{([^{}]*)\}/g,
        (_, choices: string) => `(?:${choices.replaceAll(",", "|")})`
      ).replace(/[{}]/g, ".*")
    }$`,
    `s${flags}`
  )
