/** Replaces a small file atomically: readers, and whoever starts after a crash, find the old content or the new. */
import * as Effect from "effect/Effect"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as PrivateFolder from "../storage/PrivateFolder.ts"

/** The file does not exist, or its folder is a file. */
const missingCodes: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"])

/** Its text; "" if it does not exist. */
export const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (missingCodes.has((error as NodeJS.ErrnoException).code)) return ""
    throw error
  }
}

/** ms within which a file may change twice with the same time stamp. */
const clockResolutionMs = 100

/**
 * A stamp of a file's state by its metadata: "" if it does not exist. Undefined if that is not reliable, because it was
 * changed within the tick before `now` (ms since the epoch).
 */
export const stamp = (file: string, now: number): string | undefined => {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return ""
  const { ctimeNs, dev, ino, mtimeNs, size } = stat
  return Number(ctimeNs / 1_000_000n) + clockResolutionMs > now ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join(" ")
}

/** A temporary file beside it, on disk before it is renamed; for a link, its target is replaced. */
export const write = (file: string, text: string): void => {
  PrivateFolder.make(dirname(file))
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

/** The same for a file of settings or keys, with a matching error. */
export const replace = (file: string, text: string): Effect.Effect<void, SettingsError> =>
  Effect.try({
    try: () => write(file, text),
    catch: (error) => new SettingsError({ where: file, message: `can't be written: ${(error as Error).message}` })
  })
