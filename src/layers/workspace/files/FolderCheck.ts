/** Whether a folder can be worked in. */
import { access, constants, stat } from "node:fs/promises"
import { isAbsolute } from "node:path"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is not a folder",
  EACCES: "can't be read: permission denied",
  EPERM: "can't be read: permission denied"
}

/** Why the folder can't be used, as a sentence; undefined if it can. */
export const problem = async (folder: string): Promise<string | undefined> => {
  if (!isAbsolute(folder)) return `The folder ${folder} is not an absolute path.`
  try {
    if (!(await stat(folder)).isDirectory()) return `The folder ${folder} ${reasons["ENOTDIR"]}.`
    await access(folder, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ""
    return `The folder ${folder} ${reasons[code] ?? `can't be used (${code})`}.`
  }
}
