/** Pictures from files that were dropped, and from the clipboard, kept as attachments of what is said next. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { open } from "node:fs/promises"
import { basename, join } from "node:path"
import * as Saying from "../../domain/message/UserMessage.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import * as Digest from "../../layers/storage/Digest.ts"
import { Environment } from "../../services/Environment.ts"
import { Storage } from "../../services/Storage.ts"
import type { Picture } from "../render/terminal/ImageLabels.ts"

/** Keeps the pictures that these paths name; undefined where one of them is none. */
export const files = Effect.fnUntraced(function*(paths: ReadonlyArray<string>) {
  const { folders: { home } } = yield* Environment
  const all = yield* Effect.forEach(paths, (path) => Effect.promise(() => read(path.startsWith("~") ? join(home, path.slice(1)) : path)))
  return all.every((bytes) => bytes !== undefined)
    ? yield* Effect.forEach(all, (bytes, i) => keep(basename(paths[i]!), bytes!))
    : undefined
})

/** Keeps the picture that the clipboard holds; undefined where it holds none, or nothing here can read it. */
export const clipboard = Effect.fnUntraced(function*() {
  const { platform, variables } = yield* Environment
  for (const [program, ...args] of readers(platform, variables)) {
    const bytes = yield* Effect.promise(() => said(program, args, variables))
    if (bytes !== undefined && isPicture(bytes)) return yield* keep("picture", bytes)
  }
  return undefined
})

const keep = Effect.fnUntraced(function*(name: string, bytes: Uint8Array) {
  const { putBlob } = yield* Storage
  const blob = Digest.sha256(bytes)
  yield* putBlob(blob, bytes)
  return { name, blob } satisfies Picture
})

const isPicture = (bytes: Uint8Array): boolean => FileKind.of("", bytes)?._tag === "Image"

/** The bytes of a picture that may be attached; undefined for anything else. */
const read = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    await using file = await open(path, "r")
    const { size } = await file.stat()
    if (size > Saying.limits.attachment) return undefined
    const bytes = await file.readFile()
    return isPicture(bytes) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Programs that write the clipboard's picture to their output, by what there is to ask. */
const readers = (platform: string, variables: Environment["Service"]["variables"]): ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> => [
  ...(platform === "darwin" ? [["osascript", "-e", "the clipboard as «class PNGf»"] as const] : []),
  ...(variables["WAYLAND_DISPLAY"] ? [["wl-paste", "--no-newline", "--type", "image/png"] as const] : []),
  ...(variables["DISPLAY"] ? [["xclip", "-selection", "clipboard", "-target", "image/png", "-out"] as const] : [])
]

/** ms that a clipboard may take. */
const patience = 3_000

const said = (program: string, args: ReadonlyArray<string>, env: Environment["Service"]["variables"]): Promise<Uint8Array | undefined> =>
  new Promise((resolve) => {
    execFile(program, args, { encoding: "buffer", env: { ...env }, maxBuffer: Saying.limits.attachment * 2 + 64, timeout: patience }, (error, stdout) =>
      resolve(error !== null ? undefined : unwrapped(stdout)))
  })

/** AppleScript writes bytes as `«data PNGf89504E47…»`. */
const unwrapped = (output: Buffer): Uint8Array => {
  const hex = /^«data PNGf([0-9A-F]+)»\s*$/.exec(output.subarray(0, 16).toString().startsWith("«data") ? output.toString() : "")?.[1]
  return hex === undefined ? output : Buffer.from(hex, "hex")
}
