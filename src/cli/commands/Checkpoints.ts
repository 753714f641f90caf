/** `efferent checkpoints list|diff|restore`: a session's files as they were. */
import * as Effect from "effect/Effect"
import type { Change, Checkpoint } from "../../domain/workspace/Checkpoint.ts"
import * as UserRepository from "../../layers/workspace/UserRepository.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { Given, Run } from "../Commands.ts"
import { InputError, UsageError } from "../CliError.ts"
import { endings, type Failure } from "../ExitCode.ts"
import * as Folder from "../Folder.ts"
import { Host } from "../Host.ts"
import * as Diff from "../render/Diff.ts"
import * as Json from "../render/Json.ts"
import * as Theme from "../render/Theme.ts"
import * as View from "../render/View.ts"
import * as Runtime from "../Runtime.ts"
import * as SessionNames from "../SessionNames.ts"
import { Wiring } from "../Wiring.ts"

/** The checkpoints of one session, and the folder that they are of. */
interface Saved {
  readonly given: Given
  readonly cwd: string
  readonly list: ReadonlyArray<Checkpoint>
}

type Action = (saved: Saved, words: ReadonlyArray<string>) => Effect.Effect<number, Failure, Checkpoints | Host>

export const run: Run = Effect.fnUntraced(function*(given) {
  const { cd, session } = given.values
  const [action = "list", ...words] = given.words
  const host = yield* Host
  const { records } = yield* Wiring
  const here = yield* Folder.open(host.cwd, cd)
  const perform = actions[action]
  if (perform === undefined) {
    return yield* new UsageError({ message: `\`efferent checkpoints\` knows list, diff and restore; "${action}" is none of them.` })
  }
  const { cwd, id } = yield* Effect.provide(SessionNames.find(session ?? "latest", session === undefined ? here : undefined), records)
  const work = Effect.gen(function*() {
    const checkpoints = yield* Checkpoints
    return yield* perform({ given, cwd, list: yield* checkpoints.list(id) }, words)
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(yield* Folder.open(cwd, undefined)))
})

const isText = ({ values: { outputFormat } }: Given): boolean => outputFormat === undefined || outputFormat === "text"

const show: Action = Effect.fnUntraced(function*({ given, list }) {
  const { stdout } = yield* Host
  yield* stdout.write(isText(given) ? list.map(row).join("") || "This session has no checkpoint.\n" : Json.line(list))
  return 0
})

const row = ({ counts, id, seq, time, why }: Checkpoint): string =>
  `${id.slice(0, 10)}  ${new Date(time).toISOString().slice(0, 19).replace("T", " ")}  event ${`${seq}`.padEnd(5)} ` +
  `${counts.files} files +${counts.added} -${counts.removed}  ${View.text(why).replaceAll("\n", " ")}\n`

/** The checkpoint that a word names: the start of its id is enough. */
const named = Effect.fnUntraced(function*({ list }: Saved, word: string | undefined) {
  if (word === undefined) return yield* new UsageError({ message: "Name a checkpoint; `efferent checkpoints list` shows them." })
  const found = list.filter(({ id }) => id.startsWith(word))
  if (found.length === 1) return found[0]!
  return yield* new InputError({
    message: found.length === 0 ? `This session has no checkpoint ${word}.` : `${found.length} checkpoints begin with ${word}.`
  })
})

const diff: Action = Effect.fnUntraced(function*(saved, [from, to]) {
  const { environment, stdout } = yield* Host
  const checkpoints = yield* Checkpoints
  const { id } = yield* named(saved, from)
  const compared = to === undefined ? yield* checkpoints.diff(id) : yield* checkpoints.diff(id, (yield* named(saved, to)).id)
  const theme = Theme.of(saved.given.values.color ?? "auto", stdout.tty, environment.variables)
  const patch = View.text(compared.patch)
  yield* stdout.write(!isText(saved.given) ? Json.line(compared) : patch === "" ? "" : `${Diff.lines(patch, theme).join("\n")}\n`)
  return 0
})

/** What is there now is saved before, so going back can be undone; on another branch or commit it must be confirmed. */
const restore: Action = Effect.fnUntraced(function*(saved, [word]) {
  const { stderr, stdout } = yield* Host
  const { remove = [], yes } = saved.given.values
  const checkpoints = yield* Checkpoints
  const { branch, head, id } = yield* named(saved, word)
  const now = UserRepository.position(saved.cwd)
  if (yes !== true && (now.branch !== branch || now.head !== head)) {
    yield* Effect.ignore(stderr.write(
      `efferent: this checkpoint was saved on ${place(branch, head)}, and you are on ${place(now.branch, now.head)}. Nothing is changed: --yes restores it all the same.\n`
    ))
    return endings.approval.exit
  }
  const kept = (yield* checkpoints.preview(id)).filter(({ kind, path }) => kind === "deleted" && !remove.includes(path))
  const changes = yield* checkpoints.restore(id, { remove })
  yield* stdout.write(isText(saved.given)
    ? [
      ...changes.map(line),
      ...kept.map(({ path }) => line({ path, kind: "kept" })),
      ...(kept.length === 0 ? [] : ["Files made since are kept; --remove deletes those that it names.\n"]),
      `Checkpoint ${id.slice(0, 10)} is restored: ${changes.length} files changed.\n`
    ].join("")
    : Json.line({ checkpoint: id, changes, kept: kept.map(({ path }) => path) }))
  return 0
})

const place = (branch: string | null, head: string | null): string =>
  head === null && branch === null ? "no branch" : View.text(`${branch ?? "no branch"} at ${head?.slice(0, 10) ?? "no commit"}`)

const line = ({ kind, path }: { readonly path: string; readonly kind: Change["kind"] | "kept" }): string =>
  `${kind.padEnd(9)} ${View.text(path).replaceAll("\n", "␤")}\n`

const actions: Readonly<Record<string, Action>> = { list: show, diff, restore }
