/** Problems of a real language server, typescript-language-server, through the command line. */
import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "../cli/support/Process.ts"

const folder = fileURLToPath(new URL("../../tools/lsp/", import.meta.url))
const server = join(folder, "node_modules/typescript-language-server/lib/cli.mjs")

it("reports the type error that an edit adds, not the one before, and none after it is repaired", { timeout: 400_000 }, async () => {
  if (!existsSync(server)) execFileSync("npm", ["install", "--prefix", folder, "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"], { timeout: 300_000 })
  await using scene = Process.scene()
  const bin = join(scene.root, "bin")
  mkdirSync(bin)
  mkdirSync(join(scene.root, "home"))
  mkdirSync(join(scene.cwd, "node_modules"))
  symlinkSync(join(folder, "node_modules/typescript"), join(scene.cwd, "node_modules/typescript"))
  writeFileSync(join(bin, "typescript-language-server"), `#!/bin/sh\nexec ${process.execPath} ${server} "$@"\n`)
  chmodSync(join(bin, "typescript-language-server"), 0o755)
  writeFileSync(join(scene.root, "home/config.jsonc"), JSON.stringify({ permissions: { allow: ["Bash(typescript-language-server:*)"] } }))
  writeFileSync(join(scene.cwd, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, target: "es2022", module: "nodenext" } }))
  writeFileSync(join(scene.cwd, "a.ts"), "export const old: number = \"text\"\nexport const one = 1\n")
  const place = { ...scene, environment: { ...scene.environment, PATH: `${bin}:${scene.environment["PATH"]}` } }
  await Process.run(place, ["trust"])
  const edit = (old_text: string, new_text: string) => ({ calls: [{ name: "edit_file", params: { path: "a.ts", old_text, new_text } }] })
  const model = scene.script(edit("one = 1", "one: string = 1"), edit("string = 1", "string = '1'"), { text: "Done." })
  expect(await Process.run(place, ["-p", "--permission-mode", "acceptEdits", "--model", model, "Edit it"])).toMatchObject({ code: 0 })
  const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
  const outcomes = stdout.split("\n").filter((line) => line.includes("\"ToolFinished\""))
  expect(outcomes.map((line) => line.match(/a\.ts:\d+:\d+: error typescript \d+/g) ?? [])).toEqual([["a.ts:2:14: error typescript 2322"], []])
})
