/** Stores images from dropped files and from the clipboard, to attach them to the next message. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { open } from "node:fs/promises"
import { basename, join } from "node:path"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import * as Digest from "../../layers/storage/Digest.ts"
import * as Programs from "../../layers/workspace/Programs.ts"
import { Environment } from "../../services/Environment.ts"
import { Storage } from "../../services/Storage.ts"
import type { Image } from "../render/terminal/ImageLabels.ts"

/** Stores the images at these paths; undefined if one of the files is not an image. */
export const fromFiles = Effect.fnUntraced(function*(paths: ReadonlyArray<string>) {
  const { folders: { home } } = yield* Environment
  const contents = yield* Effect.forEach(
    paths,
    (path) => Effect.promise(() => readImage(path.startsWith("~") ? join(home, path.slice(1)) : path))
  )
  return contents.every((bytes) => bytes !== undefined)
    ? yield* Effect.forEach(contents, (bytes, i) => storeImage(basename(paths[i]!), bytes!))
    : undefined
})

/** Stores the image in the clipboard; undefined without one, or without a program that reads it. */
export const fromClipboard = Effect.fnUntraced(function*(cwd: string) {
  const environment = yield* Environment
  const { platform, variables } = environment
  for (const [program, ...args] of clipboardCommands(platform, variables)) {
    const bytes = yield* Effect.promise(() => commandOutput(program, args, Programs.variables(environment, [cwd])))
    if (bytes !== undefined && isImage(bytes)) return yield* storeImage("image", bytes)
  }
  return undefined
})

const storeImage = Effect.fnUntraced(function*(name: string, bytes: Uint8Array) {
  const { putBlob } = yield* Storage
  const blob = Digest.sha256(bytes)
  yield* putBlob(blob, bytes)
  return { name, blob } satisfies Image
})

const isImage = (bytes: Uint8Array): boolean => FileKind.of("", bytes)?._tag === "Image"

/** The bytes of an image that can be attached; undefined for anything else. */
const readImage = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    await using file = await open(path, "r")
    const { size } = await file.stat()
    if (size > UserMessage.limits.attachment) return undefined
    const bytes = await file.readFile()
    return isImage(bytes) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Programs that write the clipboard's image to standard output, for the platform and display at hand. */
const clipboardCommands = (
  platform: string,
  variables: Environment["Service"]["variables"]
): ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> => [
  ...(platform === "darwin" ? [["osascript", "-e", "the clipboard as «class PNGf»"] as const] : []),
  ...(variables["WAYLAND_DISPLAY"] ? [["wl-paste", "--no-newline", "--type", "image/png"] as const] : []),
  ...(variables["DISPLAY"] ? [["xclip", "-selection", "clipboard", "-target", "image/png", "-out"] as const] : [])
]

/** The timeout of a clipboard program. */
const timeoutMs = 3_000

const commandOutput = (program: string, args: ReadonlyArray<string>, env: Record<string, string>): Promise<Uint8Array | undefined> =>
  new Promise((resolve) => {
    execFile(
      program,
      args,
      { encoding: "buffer", env, maxBuffer: UserMessage.limits.attachment * 2 + 64, timeout: timeoutMs },
      (error, stdout) => resolve(error !== null ? undefined : decodeAppleScript(stdout))
    )
  })

/** AppleScript writes bytes as `«data PNGf89504E47…»`. */
const decodeAppleScript = (output: Buffer): Uint8Array => {
  const hex = /^«data PNGf([0-9A-F]+)»\s*$/.exec(output.subarray(0, 16).toString().startsWith("«data") ? output.toString() : "")?.[1]
  return hex === undefined ? output : Buffer.from(hex, "hex")
}
