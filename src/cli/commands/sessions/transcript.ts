/** `dacapo sessions import` of another agent's session: a new session whose first message is that conversation. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import * as ForeignTranscript from "../../../domain/message/ForeignTranscript.ts"
import { optional } from "../../../domain/Optional.ts"
import { Agent } from "../../../services/Agent.ts"
import { EventLog } from "../../../services/EventLog.ts"
import { SettingsSnapshot } from "../../../services/Settings.ts"
import type { Values } from "../../args/Flags.ts"
import { InputError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"
import * as SessionOptions from "../../start/SessionOptions.ts"

const titles: Readonly<Record<ForeignTranscript.Transcript["agent"], string>> = { claude: "Claude Code", codex: "Codex" }

/**
 * Stores the conversation as a message that was interrupted before the model saw it: nothing is sent until the user continues. It
 * works in the folder that the conversation was about, if that exists.
 */
export const store = Effect.fnUntraced(function*(values: Values, transcript: ForeignTranscript.Transcript, hostCwd: string) {
  const { environment } = yield* Host
  if (transcript.entries.length === 0) return yield* new InputError({ message: "The file contains no messages." })
  const cwd = transcript.cwd !== undefined && existsSync(transcript.cwd) ? transcript.cwd : hostCwd
  const { omitted, text } = ForeignTranscript.render(transcript)
  const work = Effect.gen(function*() {
    const settings = yield* SettingsSnapshot
    const model = values.model ?? (settings.model === undefined ? transcript.model : undefined)
    const id = yield* (yield* Agent).start(
      yield* SessionOptions.resolve({ ...values, ...optional({ model }) }, "headless", environment, { cwd, settings })
    )
    const log = yield* (yield* EventLog).open(id)
    const intro = `This conversation began in ${
      titles[transcript.agent]
    }. Its tools had other names. Continue from it when I say what to do next.`
    yield* log.append([
      {
        _tag: "UserSaid",
        text: intro,
        delivery: "task",
        parts: [{ _tag: "Text", text: `<conversation>\n${text}\n</conversation>`, origin: "mention" }]
      },
      { _tag: "Interrupted", why: `imported from ${titles[transcript.agent]}` },
      { _tag: "SessionNamed", name: `${titles[transcript.agent]} ${transcript.id.slice(0, 8)}` }
    ])
    return { id, entries: transcript.entries.length, omitted, unreadLines: transcript.unreadLines, cwd }
  }).pipe(Effect.scoped)
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})
