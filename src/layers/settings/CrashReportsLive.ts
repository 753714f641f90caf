/** Crash reports as private files in the state folder, for bug reports. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as SafeText from "../../domain/message/SafeText.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import { Environment } from "../../services/Environment.ts"
import { CrashReports } from "../../services/process/CrashReports.ts"
import { Redactor } from "../../services/Redactor.ts"
import * as PrivateFolder from "../storage/PrivateFolder.ts"

const fileName = (time: number): string => `${DateTime.formatIso(DateTime.makeUnsafe(time)).replace(/[:.]/g, "-")}.txt`

/** A report is to be read and sent: of an error that quotes a whole response, both ends remain. */
const maxCharacters = 100_000

export const layer = Layer.effect(
  CrashReports,
  Effect.gen(function*() {
    const { folders, version } = yield* Environment
    const redactor = yield* Redactor
    return {
      save: Effect.fn("CrashReports.save")(function*(details) {
        const redact = yield* redactor.redact
        const now = yield* Clock.currentTimeMillis
        const folder = join(folders.state, "crashes")
        const file = join(folder, fileName(now))
        const text = `dacapo ${version}\n${Truncate.middle(details, maxCharacters)}`
        return yield* Effect.tryPromise(async () => {
          PrivateFolder.make(folder)
          await writeFile(file, `${SafeText.of(redact(text))}\n`, { mode: 0o600 })
          return file
        }).pipe(Effect.orElseSucceed(() => undefined))
      })
    }
  })
)
