/** `dacapo sessions restore-files`: the folder of a session, rebuilt from what its log carries. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { EventLog } from "../../../services/EventLog.ts"
import { Storage } from "../../../services/Storage.ts"
import type { Invocation } from "../../Command.ts"
import { UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as BlockLines from "../../render/text/BlockLines.ts"
import * as View from "../../render/view/View.ts"
import * as FindSession from "../../start/FindSession.ts"

/** In the folder that is named, or else in the session's own. */
export const restoreFiles = Effect.fnUntraced(function*({ values, args: [name, target] }: Invocation) {
  const { cwd, stdout } = yield* Host
  if (name === undefined) return yield* new UsageError({ message: "Name a session: `dacapo sessions restore-files <session> [folder]`." })
  const session = yield* FindSession.find(name)
  const folder = target === undefined ? session.cwd : resolve(cwd, target)
  const events = yield* (yield* EventLog).read(session.id)
  const { getBlob } = yield* Storage
  const { restore } = yield* Effect.promise(() => import("../../../layers/workspace/checkpoints/RestoreFiles.ts"))
  const { files, isCurrent, repository, seq } = yield* restore({ session: session.id, events, getBlob, folder })
  if (values.outputFormat !== undefined && values.outputFormat !== "text") {
    yield* stdout.write(StreamJson.line({
      session_id: session.id,
      folder,
      files,
      seq,
      is_current: isCurrent,
      ...(repository === undefined ? {} : { branch: repository.branch, head: repository.head })
    }))
    return 0
  }
  const commit = repository === undefined ? "" :
    `, ${repository.branch === null ? "" : `branch ${View.line(repository.branch)} `}at ${repository.head.slice(0, 12)}`
  yield* stdout.write(`Restored ${BlockLines.plural(files, "file")} of session ${session.id} in ${View.line(folder)}${commit}.\n`)
  if (!isCurrent) yield* stdout.write(`They are as of event ${seq}: later changes to the files were not stored.\n`)
  if (folder === session.cwd) yield* stdout.write(`Continue with \`dacapo --resume ${session.id.slice(0, 8)}\`.\n`)
  return 0
})
