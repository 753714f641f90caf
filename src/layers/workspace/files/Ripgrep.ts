/** ripgrep as a prefilter: it names the files that may match, fast and in parallel; what is shown is read by us. */
import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { arch } from "node:os"
import * as Programs from "../Programs.ts"

/** The program on a search path of `Programs`: the user's own, else the bundled one; undefined if neither exists. */
export const find = ({ path, platform }: { readonly path: string; readonly platform: string }): string | undefined =>
  Programs.find(path, "rg") ?? bundled(platform)

const bundled = (platform: string): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(`@vscode/ripgrep-${platform}-${arch()}/bin/rg`)
  } catch {
    return undefined
  }
}

export interface RipgrepQuery {
  readonly folder: string
  readonly regex: string
  readonly files: string | undefined
  /** The size limit of searched files in bytes. */
  readonly maxBytes: number
}

/**
 * Paths relative to the folder, unordered, of all files with a match and possibly some more: the caller checks again.
 * Undefined if ripgrep can't tell (a pattern of another dialect, an outdated program).
 */
export const matchingFiles = (
  program: string,
  { files, folder, maxBytes, regex }: RipgrepQuery,
  signal: AbortSignal
): Promise<ReadonlyArray<string> | undefined> =>
  new Promise((resolve) => {
    const glob = files !== undefined && /^[\w.*?{},-]+$/.test(files) ? ["--glob", files] : []
    const args = [...settings, `--max-filesize=${maxBytes}`, ...glob, "--glob", "!.git", "--regexp", regex, "--regexp", notUtf8, "--", "."]
    execFile(program, args, { cwd: folder, env: {}, signal, maxBuffer: 256 << 20, encoding: "utf8" }, (error, out, stderr) => {
      // Code 1: no match. Other codes without a message: a file could not be read.
      const isSuccess = error === null || error.code === 1 || (error.code === 2 && stderr === "")
      resolve(isSuccess ? out.split("\0").filter((path) => path !== "").map((path) => path.replace(/^\.\//, "")) : undefined)
    }).stdin?.end()
  })

/**
 * Bytes that never occur in UTF-8: the file may be text in another encoding, and ripgrep would miss its letters. Only
 * its default engine supports this; for an expression that needs the other one all files are searched.
 */
const notUtf8 = String
  .raw`(?-u:[\xC0\xC1\xF5-\xFF]|[\xC2-\xF4](?:[\x01-\x09\x0B\x0C\x0E-\x7F]|$)|(?:^|[\x01-\x09\x0B\x0C\x0E-\x7F])[\x80-\xBF])`

/** Only ignore files below the folder apply; the caller handles those above it. */
const settings = [
  "--no-config",
  "--files-with-matches",
  "--null",
  "--hidden",
  "--no-require-git",
  "--no-ignore-parent",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-dot",
  "--no-messages",
  "--crlf",
  "--color=never"
]
