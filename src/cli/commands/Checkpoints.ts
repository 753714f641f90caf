/** `efferent checkpoints list|diff|restore`: a session's files as they were. */
import * as Effect from "effect/Effect"
import type { Change, Checkpoint } from "../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { Storage } from "../../services/Storage.ts"
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

export const run: Run = Effect.fnUntraced(function*(given) {
  const [action = "list", ...words] = given.words
  const host = yield* Host
  const cwd = yield* Folder.open(host.cwd, given.values.cd)
  const perform = actions[action]
  if (perform === undefined) {
    return yield* new UsageError({ message: `\`efferent checkpoints\` knows list, diff and restore; "${action}" is none of them.` })
  }
  return yield* Effect.provide(perform(given, cwd, words), yield* Runtime.unattended(cwd))
})

const isText = ({ values: { outputFormat } }: Given): boolean => outputFormat === undefined || outputFormat === "text"

const saved = Effect.fnUntraced(function*({ values }: Given, cwd: string) {
  const checkpoints = yield* Checkpoints
  const { id } = yield* SessionNames.find(values.session ?? "latest", values.session === undefined ? cwd : undefined)
  return yield* checkpoints.list(id)
})

const list = Effect.fnUntraced(function*(given: Given, cwd: string) {
  const { stdout } = yield* Host
  const found = yield* saved(given, cwd)
  yield* stdout.write(isText(given) ? found.map(row).join("") || "This session has no checkpoint.\n" : Json.line(found))
  return 0
})

const row = ({ counts, id, seq, time, why }: Checkpoint): string =>
  `${id.slice(0, 10)}  ${new Date(time).toISOString().slice(0, 19).replace("T", " ")}  event ${`${seq}`.padEnd(5)} ` +
  `${counts.files} files +${counts.added} -${counts.removed}  ${View.text(why).replaceAll("\n", " ")}\n`

/** The checkpoint that a word names: the start of its id is enough. */
const named = Effect.fnUntraced(function*(given: Given, cwd: string, word: string | undefined) {
  if (word === undefined) return yield* new UsageError({ message: "Name a checkpoint; `efferent checkpoints list` shows them." })
  const found = (yield* saved(given, cwd)).filter(({ id }) => id.startsWith(word))
  if (found.length === 1) return found[0]!.id
  return yield* new InputError({
    message: found.length === 0 ? `This session has no checkpoint ${word}.` : `${found.length} checkpoints begin with ${word}.`
  })
})

const diff = Effect.fnUntraced(function*(given: Given, cwd: string, [from, to]: ReadonlyArray<string>) {
  const { environment, stdout } = yield* Host
  const checkpoints = yield* Checkpoints
  const older = yield* named(given, cwd, from)
  const compared = to === undefined ? yield* checkpoints.diff(older) : yield* checkpoints.diff(older, yield* named(given, cwd, to))
  const theme = Theme.of(given.values.color ?? "auto", stdout.tty, environment.variables)
  const patch = View.text(compared.patch)
  yield* stdout.write(!isText(given) ? Json.line(compared) : patch === "" ? "" : `${Diff.lines(patch, theme).join("\n")}\n`)
  return 0
})

/** Says what it would change before it changes anything, and does it only when told so. */
const restore = Effect.fnUntraced(function*(given: Given, cwd: string, [word]: ReadonlyArray<string>) {
  const { stderr, stdout } = yield* Host
  const checkpoints = yield* Checkpoints
  const id = yield* named(given, cwd, word)
  const remove = given.values.remove ?? []
  if (given.values.yes !== true) {
    const changes = yield* checkpoints.preview(id)
    yield* stdout.write(isText(given) ? preview(changes, remove) : Json.line({ checkpoint: id, restored: false, changes }))
    if (changes.length === 0) return 0
    yield* Effect.ignore(stderr.write("Nothing is changed yet: say --yes to do it.\n"))
    return endings.approval.exit
  }
  const changes = yield* checkpoints.restore(id, { remove })
  yield* stdout.write(isText(given)
    ? `${changes.map(line).join("")}Checkpoint ${id.slice(0, 10)} is restored: ${changes.length} files changed.\n`
    : Json.line({ checkpoint: id, restored: true, changes }))
  return 0
})

const line = ({ kind, path }: Change): string => `${kind.padEnd(9)} ${View.text(path).replaceAll("\n", " ")}\n`

const preview = (changes: ReadonlyArray<Change>, remove: ReadonlyArray<string>): string =>
  changes.length === 0
    ? "The files are as they were then.\n"
    : changes.map((change) =>
      change.kind === "deleted" && !remove.includes(change.path)
        ? line(change).replace("\n", "  (made since: stays unless --remove names it)\n")
        : line(change)
    ).join("")

type Action = (given: Given, cwd: string, words: ReadonlyArray<string>) => Effect.Effect<number, Failure, Checkpoints | Host | Storage>

const actions: Readonly<Record<string, Action>> = { list, diff, restore }
