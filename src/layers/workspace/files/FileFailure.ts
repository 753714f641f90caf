/** Converts system errors to a FileError. */
import { FileError, type FileReason } from "../../../domain/workspace/FileError.ts"

/** A FileError stays as it is; a system error is named by its code. */
export const from = (path: string) => (cause: unknown): FileError => {
  if (cause instanceof FileError) return cause
  const { code = "", message } = cause as NodeJS.ErrnoException
  const [reason, sentence] = codes[code] ?? ["Other", message ?? String(cause)]
  return new FileError({ path, reason, message: sentence })
}

export const fail = (path: string, reason: FileReason, message: string, near?: ReadonlyArray<string>): FileError =>
  new FileError({ path, reason, message, ...(near === undefined || near.length === 0 ? {} : { near }) })

const codes: Readonly<Record<string, readonly [FileReason, string]>> = {
  ENOENT: ["NotFound", "The file does not exist."],
  EACCES: ["Denied", "Permission denied."],
  EPERM: ["Denied", "Permission denied."],
  EISDIR: ["IsDirectory", "It is a folder."],
  ENOTDIR: ["NotDirectory", "A part of the path is a file, not a folder."],
  EEXIST: ["Exists", "It already exists."],
  ELOOP: ["Outside", "It is a link that changed or forms a cycle."],
  ENXIO: ["Special", "It is a socket, a pipe or a device."],
  ENODEV: ["Special", "It is a socket, a pipe or a device."],
  EFBIG: ["DiskFull", "The file exceeds the system's size limit."],
  ENOSPC: ["DiskFull", "The disk is full; the file was not changed."],
  EDQUOT: ["DiskFull", "The disk quota is exceeded; the file was not changed."],
  EROFS: ["ReadOnly", "The file system is read-only."],
  EMFILE: ["TooManyOpen", "Too many files are open."],
  ENFILE: ["TooManyOpen", "Too many files are open."],
  ENAMETOOLONG: ["Other", "The name is too long for the file system."]
}
