/** ripgrep as a sieve: it names the files that may match, fast and in parallel; what is shown is read by us. */
import { execFile } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { createRequire } from "node:module"
import { arch } from "node:os"
import { delimiter, isAbsolute, join } from "node:path"

/** The program: the user's own, else the one that comes with us; undefined where there is neither. */
export const find = ({ path, platform }: { readonly path: string; readonly platform: string }): string | undefined =>
  path.split(delimiter).filter(isAbsolute).map((folder) => join(folder, "rg")).find(isExecutable) ?? bundled(platform)

const bundled = (platform: string): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(`@vscode/ripgrep-${platform}-${arch()}/bin/rg`)
  } catch {
    return undefined
  }
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface Wanted {
  readonly folder: string
  readonly regex: string
  readonly files: string | undefined
  /** Bytes of the largest file that is searched. */
  readonly largest: number
}

/**
 * Paths relative to the folder, in no order, of all files that hold a match and perhaps some more: the caller looks
 * again. Undefined when ripgrep can't tell (a pattern of another dialect, a program that is too old).
 */
export const sieve = (program: string, { files, folder, largest, regex }: Wanted, signal: AbortSignal): Promise<ReadonlyArray<string> | undefined> =>
  new Promise((resolve) => {
    const glob = files !== undefined && /^[\w.*?{},-]+$/.test(files) ? ["--glob", files] : []
    const args = [...settings, `--max-filesize=${largest}`, ...glob, "--glob", "!.git", "--regexp", regex, "--regexp", notUtf8, "--", "."]
    const options = { cwd: folder, signal, maxBuffer: 256 << 20, encoding: "utf8" as const }
    execFile(program, args, options, (error, out, complaint) => {
      // Code 1: nothing found. Others without a word: a file that could not be read.
      const understood = error === null || error.code === 1 || (error.code === 2 && complaint === "")
      resolve(understood ? out.split("\0").filter((path) => path !== "").map((path) => path.replace(/^\.\//, "")) : undefined)
    }).stdin?.end()
  })

/**
 * Bytes that no UTF-8 has: the file may be text in another encoding, and ripgrep would not see its letters. Only its
 * own engine knows this; for an expression that needs the other one all files are looked into.
 */
const notUtf8 = String.raw`(?-u:[\xC0\xC1\xF5-\xFF]|[\xC2-\xF4](?:[\x01-\x09\x0B\x0C\x0E-\x7F]|$)|(?:^|[\x01-\x09\x0B\x0C\x0E-\x7F])[\x80-\xBF])`

/** Only ignore files below the folder hold; what those above it say is known to the caller. */
const settings = [
  "--no-config", "--files-with-matches", "--null", "--hidden", "--no-require-git", "--no-ignore-parent",
  "--no-ignore-global", "--no-ignore-exclude", "--no-ignore-dot", "--no-messages", "--crlf", "--color=never"
]
