/** The files of a folder that run or steer programs, read from disk: what trust is requested for. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { join } from "node:path"
import * as HookFiles from "../../domain/hook/HookFiles.ts"
import * as ProjectFiles from "../../domain/config/ProjectFiles.ts"
import * as TrustedContent from "../../domain/config/TrustedContent.ts"
import { sha256 } from "../storage/Digest.ts"
import * as JsonText from "./JsonText.ts"

/** A location with its files, each with the digest of its active content. */
export interface ActiveItem {
  readonly path: string
  readonly effect: string
  readonly files: Readonly<Record<string, string>>
}

/** Limits: files per location, and the depth of folders: what lies beyond is never confirmed, so it is never active. */
const limits = { files: 1_000, depth: 4 }

/** The digest of the active content of a file; undefined if it has none. */
export const digest = (path: string, content: Schema.Json): string | undefined => {
  const text = TrustedContent.text(path, content)
  return text === undefined ? undefined : sha256(text)
}

/** The locations in a folder with any active content. */
export const find = (folder: string): ReadonlyArray<ActiveItem> => [
  ...TrustedContent.settingsFiles.flatMap((path): ReadonlyArray<ActiveItem> => {
    const content = read(folder, path)
    return content === undefined ? [] : [
      ...itemOf(path, `sets ${TrustedContent.names(content).join(", ")}`, [[path, content]]),
      ...hookPrograms(folder, content)
    ]
  }),
  ...ProjectFiles.list.filter(({ needsTrust, reader }) => needsTrust && reader !== "settings").flatMap(({ effect, path }) => {
    const files = filesBelow(folder, path, limits.depth).slice(0, limits.files)
    return itemOf(
      path,
      effect,
      files.flatMap((file) => {
        const content = read(folder, file)
        return content === undefined ? [] : [[file, content] as const]
      })
    )
  })
]

/** Programs of the folder that its hooks run. */
const hookPrograms = (folder: string, settings: Schema.Json): ReadonlyArray<ActiveItem> =>
  TrustedContent.hookCommands(settings).flatMap(HookFiles.referenced).flatMap((path) => {
    const content = read(folder, path)
    return content === undefined ? [] : itemOf(path, "is run by a hook", [[path, content]])
  })

const itemOf = (
  path: string,
  effect: string,
  contents: ReadonlyArray<readonly [file: string, content: Schema.Json]>
): ReadonlyArray<ActiveItem> => {
  const files = contents.flatMap(([file, content]) => {
    const contentDigest = digest(file, content)
    return contentDigest === undefined ? [] : [[file, contentDigest] as const]
  })
  return files.length === 0 ? [] : [{ path, effect, files: Object.fromEntries(files) }]
}

/** The path itself if it is a file, else the files in it, sorted by name. */
const filesBelow = (folder: string, path: string, depth: number): ReadonlyArray<string> => {
  try {
    const stat = fs.statSync(join(folder, path))
    if (!stat.isDirectory()) return stat.isFile() ? [path] : []
    return depth === 0 ? [] : fs.readdirSync(join(folder, path)).sort().flatMap((name) => filesBelow(folder, `${path}/${name}`, depth - 1))
  } catch {
    return [] // missing or unreadable: then it is not active either
  }
}

/** A file's content as its readers see it: its value if it is JSON, else its text. */
export const read = (folder: string, path: string): Schema.Json | undefined => {
  try {
    const text = fs.readFileSync(join(folder, path), "utf8")
    return TrustedContent.isJson(path) ? Result.getOrElse(JsonText.parse(text), () => text) ?? {} : text
  } catch {
    return undefined
  }
}
