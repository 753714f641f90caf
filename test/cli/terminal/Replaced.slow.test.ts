/** A session whose program files are replaced while it runs, as an update does. */
import { expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../support/Process.ts"
import * as Tmux from "../support/Tmux.ts"

it("a command whose file is gone says so, and one that fails inside names its report; the conversation continues", async () => {
  using place = Process.place()
  const hook = join(place.root, "hook.cjs")
  writeFileSync(hook, [
    "const fs = require('node:fs')",
    "const read = fs.readFileSync",
    "fs.readFileSync = (file, ...rest) => {",
    "  if (/chunks.Skills-/.test(file)) throw new Error('The disk is on fire')",
    "  return read(typeof file === 'string' ? file.replace(/(?<=chunks.)Doctor-/, 'Gone-') : file, ...rest)",
    "}"
  ].join("\n"))
  using terminal = Tmux.open(place, ["--model", place.script({ text: "Still here." })], { NODE_OPTIONS: `--require ${hook}` })
  await terminal.shows("Enter to send")
  terminal.type("/doctor ")
  terminal.press("Enter")
  await terminal.shows("updated while it ran")
  terminal.press("Up", "Enter")
  await terminal.shows(/updated while it ran[^]*updated while it ran/)
  terminal.type("/skills ")
  terminal.press("Enter")
  await terminal.shows(/Internal error: The disk is on fire\. A crash report is/)
  terminal.type("hello")
  terminal.press("Enter")
  expect(await terminal.shows("Still here.")).not.toContain("left with")
})
