/** Runs the slash commands of `SlashList` that the screen does not run itself. */
import * as Effect from "effect/Effect"
import * as Session from "../../domain/session/Session.ts"
import { Agent } from "../../services/Agent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import type { Failure } from "../process/ExitCode.ts"
import * as ContextLines from "../render/text/ContextLines.ts"
import * as StatusLine from "../render/text/StatusLine.ts"
import { changes } from "../render/view/Quantity.ts"
import type { Remote } from "../render/terminal/SlashList.ts"
import * as ScreenStore from "./ScreenStore.ts"
import { login, logout } from "./slash/auth.ts"
import { config } from "./slash/config.ts"
import { copy } from "./slash/copy.ts"
import { diff } from "./slash/diff.ts"
import { exportSession, reportBug } from "./slash/export.ts"
import { mode } from "./slash/mode.ts"
import { effort, model } from "./slash/model.ts"
import { permissions } from "./slash/permissions.ts"
import { resume } from "./slash/resume.ts"
import { rewind, undo } from "./slash/rewind.ts"
import { deepPlan, memory } from "./slash/knowledge.ts"
import { init, newRule } from "./slash/rules.ts"
import { sessionId, type SlashContext, type SlashHandler, type SlashServices } from "./slash/SlashContext.ts"
import { status } from "./slash/status.ts"
import { todo } from "./slash/todo.ts"
import { subcommand } from "./slash/subcommand.ts"

const handlers: Readonly<Record<Remote, SlashHandler>> = {
  agents: (context) => subcommand(context, ["agents"]),
  checkpoint: Effect.fnUntraced(function*(context) {
    const list = yield* (yield* Checkpoints).list(yield* sessionId(context))
    yield* ScreenStore.note(
      context.store,
      list.slice(-20).map(({ counts, seq, why }) => `event ${seq}: ${changes(counts)}, ${why}`).join("\n") || "No checkpoints yet."
    )
  }),
  compact: Effect.fnUntraced(function*(context, args) {
    const agent = yield* Agent
    const id = yield* sessionId(context)
    yield* agent.compact(id, args)
    yield* agent.settled(id)
  }),
  config,
  context: Effect.fnUntraced(function*(context) {
    const session = yield* (yield* Agent).state(yield* sessionId(context))
    const report = yield* (yield* ContextWindow).report(session, Session.activeModel(session).model)
    yield* ScreenStore.note(context.store, ContextLines.lines(report, false).join("\n"))
  }),
  continue: Effect.fnUntraced(function*(context) {
    yield* (yield* Agent).resume(yield* sessionId(context), { overrides: {}, shouldContinue: true })
  }),
  copy,
  cost: Effect.fnUntraced(function*(context) {
    const session = yield* (yield* Agent).state(yield* sessionId(context))
    yield* ScreenStore.note(context.store, StatusLine.lines(session).join("\n"))
  }),
  deepplan: deepPlan,
  diff,
  doctor: (context) => subcommand(context, ["doctor"]),
  effort,
  export: exportSession,
  init,
  login,
  logout,
  mcp: (context) => subcommand(context, ["mcp", "list"]),
  memory,
  mode,
  model,
  new: Effect.fnUntraced(function*({ conversation, say, store }, prompt) {
    yield* conversation.startNew
    yield* ScreenStore.note(store, "Started a new session. /resume goes back to the last one.")
    if (prompt !== "") yield* say(prompt)
  }),
  newrule: newRule,
  permissions,
  ps: ({ chooseCommand }) => chooseCommand,
  reportbug: reportBug,
  resume,
  review: ({ say }, instructions) =>
    say(
      "Review the uncommitted changes of this repository (git status, git diff, git diff --staged; without any, the last commit). " +
        "Report bugs, risks and missing tests, the most serious first, each with file and line. Change nothing." +
        (instructions === "" ? "" : `\n\n${instructions}`)
    ),
  rewind,
  skills: (context) => subcommand(context, ["skills"]),
  stats: (context) => subcommand(context, ["stats"]),
  status,
  todo,
  undo
}

/** The commands, to be run by name. */
export const make = (context: SlashContext) =>
  Effect.map(
    Effect.context<SlashServices>(),
    (services) => (name: Remote, args: string): Effect.Effect<void, Failure> =>
      Effect.suspend(() => Effect.provide(handlers[name](context, args), services))
  )
