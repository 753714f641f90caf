/** What is kept when dacapo itself fails: a file for a bug report, and one sentence for the person. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Folder from "../../layers/storage/PrivateFolder.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Host } from "./Host.ts"

/** Writes the report into the state folder and gives the sentence; where it can't be written the sentence stands alone. */
export const write = Effect.fnUntraced(function*(defect: unknown) {
  const { args, environment: { folders, version } } = yield* Host
  const clean = yield* (yield* Redactor).redact
  const now = yield* Clock.currentTimeMillis
  const folder = join(folders.state, "crashes")
  const file = join(folder, `${new Date(now).toISOString().replace(/[:.]/g, "-")}.txt`)
  const text = [
    `dacapo ${version}`,
    `flags: ${args.filter((arg) => arg.startsWith("-")).map((arg) => arg.split("=")[0]).join(" ")}`,
    defect instanceof Error ? defect.stack ?? String(defect) : String(defect)
  ].join("\n")
  const kept = yield* Effect.isSuccess(Effect.tryPromise(async () => {
    Folder.make(folder)
    await writeFile(file, `${clean(text)}\n`, { mode: 0o600 })
  }))
  const what = (defect instanceof Error ? defect.message : String(defect)).split("\n", 1)[0]!.replace(/\.$/, "")
  return `A fault of dacapo itself: ${what}.${kept ? ` A report for us is in ${file}.` : ""}`
})
