/** After an edit: the formatter and the checks that the user set for its files, as far as they were approved with it. */
import * as Effect from "effect/Effect"
import type { Session } from "../../domain/session/Session.ts"
import * as AfterEdit from "../../domain/tool/AfterEdit.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import * as Patience from "../../domain/tool/CommandTimeout.ts"
import { Diff } from "../../services/Diff.ts"
import { Shell } from "../../services/Shell.ts"
import { Workspace } from "../../services/Workspace.ts"

/** Characters of what a formatter changed, and of what a command said. */
const limits = { diff: 8_000, output: 12_000 }

/** What it asks for. */
export type Needs = Diff | Shell | Workspace

/** What follows a call that was an edit; `left` are commands that nobody allowed. */
const planned = (session: Session, call: string) => {
  const proposed = session.calls.find((one) => one.call.id === call)?.proposed
  if (proposed?.kind !== "edit") return { follows: [], left: [] }
  const approved = new Set(proposed.access.flatMap((one) => one._tag === "Command" ? [one.command] : []))
  const all = AfterEdit.follows(session.settings.afterEdit ?? [], proposed.access, session.cwd)
  return {
    follows: all.filter(({ command }) => approved.has(command.command)),
    left: all.filter(({ command }) => !approved.has(command.command)).map(({ command }) => command.command)
  }
}

/** The outcome of an edit with what followed it; the same where nothing does. */
export const followed = Effect.fn("FollowEdit.followed")(function*(
  outcome: Outcome,
  { call, output, session }: { readonly session: Session; readonly call: string; readonly output: (text: string) => void }
): Effect.fn.Return<Outcome, never, Needs> {
  const { follows, left } = planned(session, call)
  if (outcome.status !== "succeeded" || !(outcome.touched ?? []).some(({ hash, kind }) => kind !== "read" && hash !== null)) return outcome
  const run = (command: string) => ran(command, session.cwd, output)
  let after = outcome
  for (const { command: { command }, kind, path } of follows) {
    after = kind === "format" ? yield* formatted(after, path, run(command)) : checked(after, yield* run(command))
  }
  return left.length === 0 ? after : say(after, `[Not run after the edit, for no rule allows it and nobody is there to ask: ${left.join("; ")}]`)
})

interface Said {
  readonly text: string
  readonly worked: boolean
}

/** Runs a command, and tells what it said. */
const ran = (command: string, cwd: string, onOutput: (text: string) => void) =>
  Effect.flatMap(Shell, (shell) => shell.run({ command, cwd, timeoutMs: Patience.seconds(command) * 1000, keep: limits.output, onOutput })).pipe(
    Effect.map(({ code, output, signal, timedOut }): Said => {
      const how = timedOut ? "it had not ended in time" : signal !== null ? `ended by ${signal}` : `exit code ${code}`
      return { text: `$ ${command}\n(${how})\n${output.trimEnd()}`.trimEnd(), worked: code === 0 }
    }),
    Effect.catch(({ message }) => Effect.succeed<Said>({ text: `$ ${command}\n(not started: ${message})`, worked: false }))
  )

/** Runs a formatter over a file, and shows what it changed. */
const formatted = Effect.fnUntraced(function*(outcome: Outcome, path: string, run: Effect.Effect<Said, never, Shell>) {
  const read = Effect.flatMap(Workspace, ({ readText }) => Effect.option(readText(path)))
  const before = yield* read
  const said = yield* run
  const after = yield* read
  const told = said.worked ? outcome : say(outcome, `The formatter failed:\n${said.text}`)
  if (before._tag === "None" || after._tag === "None" || before.value.hash === after.value.hash) return told
  const changes = (yield* Diff).print(path, before.value.text, after.value.text)
  return say({ ...told, touched: retouched(told, path, after.value.hash) }, `The formatter changed ${path}, which now differs from what you wrote:\n${Clip.middle(changes, limits.diff)}`)
})

/** The file as it now is; what the call shows of it is not that any more. */
const retouched = ({ touched = [] }: Outcome, path: string, hash: string) =>
  touched.map((touch) => {
    const { content: _, ...rest } = touch
    return touch.path === path && touch.hash !== null ? { ...rest, hash } : touch
  })

const checked = (outcome: Outcome, { text, worked }: Said): Outcome => ({
  ...say(outcome, worked ? `The check found nothing: ${text.split("\n", 1)[0]}` : `The check failed:\n${text}`),
  checked: outcome.checked === undefined ? text : `${outcome.checked}\n${text}`
})

const say = (outcome: Outcome, text: string): Outcome => ({ ...outcome, content: [...outcome.content, { _tag: "Text", text }] })
