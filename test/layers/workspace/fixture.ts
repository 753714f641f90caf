/** Real folders for the tests of this room. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Layer from "effect/Layer"
import { Environment } from "../../../src/services/Environment.ts"

/** Surroundings of a user who is not us: everything is kept under `data`. */
export const environment = (
  variables: Readonly<Record<string, string | undefined>> = { PATH: process.env["PATH"] },
  { data = "/nonexistent", home = "/home/someone" }: { readonly data?: string; readonly home?: string } = {}
) =>
  Layer.succeed(Environment, {
    variables,
    folders: { home, config: data, data, state: data, cache: data },
    platform: process.platform,
    version: "0"
  })

/** Paths and contents; `null` makes a folder. */
export type Files = Record<string, string | Uint8Array | null>

/** Writes files below a folder. */
export const write = (root: string, files: Files): void => {
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(join(root, path, content === null ? "." : ".."), { recursive: true })
    if (content !== null) fs.writeFileSync(join(root, path), content)
  }
}

/** A folder with these files, gone when the test ends. */
export const folder = (files: Files = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "dacapo-test-"))
      write(root, files)
      return root
    }),
    (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true }))
  )

/** Every file below a folder with its content, links by their target. */
export const contents = (root: string, below = "."): Record<string, string> =>
  Object.fromEntries(
    fs.readdirSync(join(root, below), { withFileTypes: true, recursive: true }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      return entry.isDirectory()
        ? []
        : [[path.slice(root.length + 1), entry.isSymbolicLink() ? `-> ${fs.readlinkSync(path)}` : fs.readFileSync(path, "latin1")]]
    })
  )
