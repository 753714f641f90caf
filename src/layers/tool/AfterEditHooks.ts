/** After an edit: the formatter and the checks that the user configured for its files, if they were approved with it. */
import * as Effect from "effect/Effect"
import type { Session } from "../../domain/session/Session.ts"
import * as FollowUps from "../../domain/tool/FollowUps.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import * as CommandTimeout from "../../domain/tool/CommandTimeout.ts"
import type { Access } from "../../domain/tool/Access.ts"
import { Diagnostics } from "../../services/lookup/Diagnostics.ts"
import { Diff } from "../../services/Diff.ts"
import { Shell } from "../../services/Shell.ts"
import { Workspace } from "../../services/Workspace.ts"

/** Limits in characters: a formatter's changes, and a command's output. */
const limits = { diff: 8_000, output: 12_000 }

/** The services it uses. */
export type Requirements = Diff | Shell | Workspace

/** What follows a call that was an edit; `left` are commands without approval. */
const plan = (session: Session, callId: string) => {
  const proposal = session.calls.find((one) => one.call.id === callId)?.proposal
  if (proposal?.kind !== "edit") return { follows: [], left: [] }
  const approvedCommands = new Set(proposal.access.flatMap((one) => one._tag === "Command" ? [one.command] : []))
  const all = FollowUps.followUps(session.settings.afterEdit ?? [], proposal.access, session.cwd)
  return {
    follows: all.filter(({ command }) => approvedCommands.has(command.command)),
    left: all.filter(({ command }) => !approvedCommands.has(command.command)).map(({ command }) => command.command)
  }
}

/** The outcome of an edit with the results of the hooks; unchanged if there are none. */
export const runHooks = Effect.fn("FollowEdit.followed")(function*(
  outcome: Outcome,
  { call, output, session }: { readonly session: Session; readonly call: string; readonly output: (text: string) => void }
): Effect.fn.Return<Outcome, never, Requirements> {
  const { follows, left: unapproved } = plan(session, call)
  if (outcome.status !== "succeeded" || !(outcome.touched ?? []).some(({ hash, kind }) => kind !== "read" && hash !== null)) return outcome
  const run = (command: string) => runCommand(command, session.cwd, output)
  let after = outcome
  for (const { command: { command }, kind, path } of follows) {
    after = kind === "format" ? yield* applyFormatter(after, path, run(command)) : addCheck(after, yield* run(command))
  }
  return unapproved.length === 0 ? after
    : appendText(
      after,
      `[Not run after the edit, because no rule allows it and no user is available to approve it: ${unapproved.join("; ")}]`
    )
})

/** The outcome of an edit with the problems that it adds to its files, once: the next edit is compared with what is there then. */
export const withDiagnostics = <R>(session: Session, access: ReadonlyArray<Access>, edit: Effect.Effect<Outcome, never, R>) =>
  Effect.gen(function*() {
    const diagnostics = yield* Diagnostics
    const paths = access.flatMap((one) => one._tag === "Edit" && one.kind !== "delete" ? [one.path] : [])
    const { report, result } = yield* diagnostics.around(session, paths, edit)
    return report === "" || result.status !== "succeeded" ? result
      : appendText(result, report.startsWith("[") ? report : `New problems in the files of this edit:\n${report}`)
  })

interface RunReport {
  readonly text: string
  readonly isSuccess: boolean
}

/** Runs a command, and reports its output. */
const runCommand = (command: string, cwd: string, onOutput: (text: string) => void) =>
  Effect.flatMap(
    Shell,
    (shell) =>
      shell.run({
        command,
        cwd,
        reads: true,
        timeoutMs: CommandTimeout.timeoutSeconds(command) * 1000,
        maxOutputCharacters: limits.output,
        onOutput
      })
  ).pipe(
    Effect.map(({ code, output, signal, hasTimedOut }): RunReport => {
      const how = hasTimedOut ? "timed out" : signal !== null ? `ended by ${signal}` : `exit code ${code}`
      return { text: `$ ${command}\n(${how})\n${output.trimEnd()}`.trimEnd(), isSuccess: code === 0 }
    }),
    Effect.catch(({ message }) => Effect.succeed<RunReport>({ text: `$ ${command}\n(not started: ${message})`, isSuccess: false }))
  )

/** Runs a formatter on a file, and shows its changes. */
const applyFormatter = Effect.fnUntraced(function*(outcome: Outcome, path: string, run: Effect.Effect<RunReport, never, Shell>) {
  const read = Effect.flatMap(Workspace, ({ readText }) => Effect.option(readText(path)))
  const before = yield* read
  const report = yield* run
  const after = yield* read
  const result = report.isSuccess ? outcome : appendText(outcome, `The formatter failed:\n${report.text}`)
  if (before._tag === "None" || after._tag === "None" || before.value.hash === after.value.hash) return result
  const changes = (yield* Diff).print(path, before.value.text, after.value.text)
  return appendText(
    { ...result, touched: withHash(result, path, after.value.hash) },
    `The formatter changed ${path}, so it differs from what you wrote:\n${Truncate.middle(changes, limits.diff)}`
  )
})

/** The file's current state; what the call showed of it is outdated. */
const withHash = ({ touched = [] }: Outcome, path: string, hash: string) =>
  touched.map((touch) => {
    const { content: _, ...rest } = touch
    return touch.path === path && touch.hash !== null ? { ...rest, hash } : touch
  })

const addCheck = (outcome: Outcome, { text, isSuccess }: RunReport): Outcome => ({
  ...appendText(outcome, isSuccess ? `The check passed: ${text.split("\n", 1)[0]}` : `The check failed:\n${text}`),
  checked: outcome.checked === undefined ? text : `${outcome.checked}\n${text}`
})

const appendText = (outcome: Outcome, text: string): Outcome => ({ ...outcome, content: [...outcome.content, { _tag: "Text", text }] })
