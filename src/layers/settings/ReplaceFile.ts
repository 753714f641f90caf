/** Replaces a small file whole: whoever reads it, and whoever starts after a crash, finds the old content or the new. */
import * as Effect from "effect/Effect"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Folder from "../storage/PrivateFolder.ts"

/** Its text; "" where it is not there. */
export const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return ""
    throw error
  }
}

/** ms in which a file may change twice and look as if it had changed once. */
const tick = 100

/**
 * Tells a file from what it was, by what the system says of it: "" where it is not there. Undefined where that is not enough,
 * for it was changed within the tick before `now` (ms since the epoch).
 */
export const stamp = (file: string, now: number): string | undefined => {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return ""
  const { ctimeNs, dev, ino, mtimeNs, size } = stat
  return Number(ctimeNs / 1_000_000n) + tick > now ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join(" ")
}

/** A temporary file beside it, on disk before it takes its name; what a link names is replaced, not the link. */
export const write = (file: string, text: string): void => {
  Folder.make(dirname(file))
  const target = existsSync(file) ? realpathSync(file) : file
  const temporary = `${target}.new`
  rmSync(temporary, { force: true })
  try {
    const handle = openSync(temporary, "wx", 0o600)
    try {
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  const folder = openSync(dirname(target), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The same for a file of settings or keys, told as such where it can't be written. */
export const replace = (file: string, text: string): Effect.Effect<void, SettingsError> =>
  Effect.try({
    try: () => write(file, text),
    catch: (error) => new SettingsError({ where: file, message: `can't be written: ${(error as Error).message}` })
  })
