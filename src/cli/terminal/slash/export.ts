/** `/export` and `/reportbug`: the session as a file. */
import * as Effect from "effect/Effect"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, extname, join, resolve } from "node:path"
import * as Session from "../../../domain/session/Session.ts"
import { Environment } from "../../../services/Environment.ts"
import { Redactor } from "../../../services/Redactor.ts"
import { Storage } from "../../../services/Storage.ts"
import { InputError } from "../../process/CliError.ts"
import * as ScreenStore from "../ScreenStore.ts"
import { sessionId, type SlashContext } from "./SlashContext.ts"

const sessionFile = Effect.promise(() => import("../../../layers/storage/SessionFile.ts"))

/** Writes the session: as Markdown, or in the format that the extension of the file names. */
export const exportSession = Effect.fnUntraced(function*(context: SlashContext, name: string) {
  const { cwd, store } = context
  const id = yield* sessionId(context)
  const { folders } = yield* Environment
  const file = name === "" ? join(folders.data, "exports", `${id}.md`) : resolve(cwd, name)
  const [Document, File] = [yield* Effect.promise(() => import("../../render/text/SessionDocument.ts")), yield* sessionFile]
  const exported = yield* gather(id)
  const session = Session.fold(exported.events)
  const format = extname(file)
  const content = format === ".jsonl" ? File.write(exported)
    : format === ".html" ? Document.html(session, exported.events)
    : Document.markdown(session, exported.events)
  yield* save(file, content)
  yield* ScreenStore.note(store, `Exported this session to ${file}.`, "good")
})

/** Writes the session without secrets to a folder of dacapo's own: a report is no part of the project. */
export const reportBug = Effect.fnUntraced(function*(context: SlashContext) {
  const id = yield* sessionId(context)
  const { folders } = yield* Environment
  const File = yield* sessionFile
  const { redactSession } = yield* Effect.promise(() => import("../../../layers/replay/RedactSession.ts"))
  const { redact } = yield* Redactor
  const redacted = yield* redactSession(yield* gather(id), yield* redact)
  const file = join(folders.state, "reports", `dacapo-bug-${id.slice(0, 8)}.jsonl`)
  yield* save(file, File.write(redacted))
  yield* ScreenStore.note(
    context.store,
    `Saved this session without secrets to ${file}. Review it and attach it to your report; \`dacapo replay\` replays it.`,
    "good"
  )
})

const gather = Effect.fnUntraced(function*(id: string) {
  const storage = yield* Storage
  return yield* (yield* sessionFile).gather(id, yield* storage.read(id, 0), storage.getBlob)
})

const save = (file: string, content: string): Effect.Effect<void, InputError> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content, { mode: 0o600 })
    },
    catch: (error) => new InputError({ message: `Could not write ${file}: ${(error as NodeJS.ErrnoException).code}.` })
  })
