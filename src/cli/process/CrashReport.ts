/** Reports an internal error: a file for a bug report, and one sentence for the user. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as PrivateFolder from "../../layers/storage/PrivateFolder.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Host } from "./Host.ts"
import * as View from "../render/view/View.ts"

/** Writes the report to the state folder and returns the sentence, which names the file if it could be written. */
export const write = Effect.fnUntraced(function*(defect: unknown) {
  const { args, environment: { folders, version } } = yield* Host
  const redact = yield* (yield* Redactor).redact
  const now = yield* Clock.currentTimeMillis
  const folder = join(folders.state, "crashes")
  const file = join(folder, `${new Date(now).toISOString().replace(/[:.]/g, "-")}.txt`)
  const text = [
    `dacapo ${version}`,
    `flags: ${args.filter((arg) => arg.startsWith("-")).map((arg) => arg.split("=")[0]).join(" ")}`,
    defect instanceof Error ? defect.stack ?? String(defect) : String(defect)
  ].join("\n")
  const isSaved = yield* Effect.isSuccess(Effect.tryPromise(async () => {
    PrivateFolder.make(folder)
    await writeFile(file, `${View.text(redact(text))}\n`, { mode: 0o600 })
  }))
  const summary = (defect instanceof Error ? defect.message : String(defect)).split("\n", 1)[0]!.replace(/\.$/, "")
  return `Internal error: ${summary}.${isSaved ? ` A crash report is in ${file}; please attach it to a bug report.` : ""}`
})
