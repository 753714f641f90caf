/** Files that go along by themselves: candidates are looked at, scored purely, and only what is chosen is read. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Inclusion from "../../domain/context/AutoInclude.ts"
import * as InPlay from "../../domain/context/InPlay.ts"
import * as Calls from "../../domain/session/ToolCalls.ts"
import * as Files from "../../domain/session/SessionFiles.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts, Included } from "../../domain/session/SessionEvent.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as FileState from "../../domain/workspace/FileState.ts"
import { Approval } from "../../services/Approval.ts"
import { Workspace } from "../../services/Workspace.ts"
import { located } from "../tool/ResolveAccess.ts"
import * as EarlierSessions from "./PastSessionFiles.ts"
import * as GitStatus from "./GitStatus.ts"

/** Files that are looked at, those that matter most first; bytes of one; how many at once. */
const limits = { candidates: 300, bytes: 256 * 1024, concurrency: 16 }

/** Bytes of a token, before the file is read: rather too few. */
const bytesOfToken = 3

/** What is known of a file without reading it, and what it defines once that was asked. */
interface Looked {
  readonly path: string
  readonly stamp: string
  readonly bytes: number
  /** ms since the epoch. */
  readonly time: number
}

/** Includes files for one process: what git says and what files define is remembered. */
export const make = Effect.gen(function*() {
  const approval = yield* Approval
  const files = yield* FileSystem.FileSystem
  const workspace = yield* Workspace
  const together = yield* EarlierSessions.make
  const definitions = new Map<string, { readonly stamp: string; readonly names: ReadonlySet<string> }>()
  let asked: { readonly task: string; readonly changed: ReadonlyArray<string> } = { task: "", changed: [] }

  const changedForGit = Effect.fnUntraced(function*({ cwd, id, task }: Session) {
    const key = `${id} ${task.since}`
    if (asked.task !== key) asked = { task: key, changed: yield* GitStatus.changed(cwd) }
    return asked.changed
  })

  const look = (cwd: string, path: string): Effect.Effect<Option.Option<Looked>> =>
    files.stat(path.startsWith("/") ? path : `${cwd}/${path}`).pipe(
      Effect.map(({ ino, mtime, size, type }) => {
        const time = Option.match(mtime, { onNone: () => 0, onSome: (time) => time.getTime() })
        return type !== "File" || Number(size) > limits.bytes
          ? Option.none()
          : Option.some({ path, stamp: `${Option.getOrElse(ino, () => 0)} ${time} ${size}`, bytes: Number(size), time })
      }),
      Effect.orElseSucceed(() => Option.none())
    )

  /** Only what could be read without asking anyone goes anywhere by itself. */
  const mayRead = (session: Session) => (path: string) =>
    Effect.map(located(workspace)(Access.read(path)), (access) =>
      approval.judge({ name: "read_file", kind: "read", tags: ["read"], access: [access], asks: false }, session).decision === "allow")

  /** Whether a file defines one of these names; it is read for that once in each of its versions. */
  const defines = Effect.fnUntraced(function*({ path, stamp }: Looked, symbols: ReadonlyArray<string>) {
    if (symbols.length === 0) return false
    let known = definitions.get(path)
    if (known?.stamp !== stamp) {
      const text = yield* Effect.orElseSucceed(Effect.map(workspace.readText(path), ({ text }) => text), () => "")
      known = { stamp, names: InPlay.defines(text) }
      definitions.set(path, known)
    }
    return symbols.some((symbol) => known.names.has(symbol))
  })

  /** What the model does not see as it is now: files of this session, and those that git calls changed. */
  const candidates = Effect.fnUntraced(function*(session: Session, facts: Facts) {
    const { cwd, tracked } = session
    const inView = InPlay.inView(session)
    const changed = new Map((facts.changed ?? []).map((one) => [one.path, one]))
    const unseen = (path: string): boolean => changed.has(path) ? changed.get(path)!.kind === "modified" : !inView.has(path) && session.files.get(path) !== null
    const newest = [...tracked].sort(([, a], [, b]) => (FileState.last(b) ?? 0) - (FileState.last(a) ?? 0)).map(([path]) => path)
    const byGit = facts.git === null ? [] : yield* changedForGit(session)
    const paths = [...new Set([...newest, ...byGit])].filter(unseen).slice(0, limits.candidates)
    if (paths.length === 0) return []
    const said = InPlay.newest(session)
    const errors = InPlay.errors(session)
    const symbols = InPlay.symbols(said)
    const belonging = yield* together(session)
    const ours = Calls.commanded(session.calls)
    /** What a command of ours has just changed is no edit of the user's. */
    const edited = ({ path, time }: Looked): number | undefined => {
      const now = changed.get(path)
      const fresh = now !== undefined && !Files.isKnown(session.facts?.changed, now)
      return fresh ? (ours ? undefined : time) : tracked.get(path)?.user ?? (tracked.has(path) ? undefined : time)
    }
    const allowed = yield* Effect.filter(paths, mayRead(session), { concurrency: limits.concurrency })
    const looked = yield* Effect.forEach(allowed, (path) => look(cwd, path), { concurrency: limits.concurrency })
    return yield* Effect.forEach(looked.flatMap(Option.toArray), Effect.fnUntraced(function*(file) {
      const { bytes, path, time } = file
      const state = tracked.get(path)
      const touched = Math.max(state === undefined ? 0 : FileState.last(state) ?? 0, state === undefined || changed.has(path) ? time : 0)
      const since = edited(file)
      return {
        path,
        tokens: Math.ceil(bytes / bytesOfToken),
        touched,
        times: state?.times ?? 0,
        ...(since === undefined ? {} : { edited: since }),
        failing: InPlay.names(errors, path),
        named: InPlay.names(said, path) || (yield* defines(file, symbols)),
        together: belonging.has(path)
      } satisfies Inclusion.Candidate
    }))
  })

  /** The file as a message shows it; none for what is no text, or longer than one look at it. */
  const shown = ({ candidate: { path }, score, why }: Inclusion.Scored) =>
    workspace.readText(path).pipe(
      Effect.map(({ hash, text }): ReadonlyArray<Included> => {
        const page = TextPage.of(text, { from: 1, to: Infinity })
        return page.extent === "all" && text.trim() !== "" ? [{ path, hash, text: page.text, score, why }] : []
      }),
      Effect.orElseSucceed(() => [])
    )

  /** `room` is asked only where there is something to include: it weighs the request. */
  return Effect.fnUntraced(function*<E>(session: Session, facts: Facts, room: Effect.Effect<number, E>) {
    const found = yield* candidates(session, facts)
    if (found.length === 0) return []
    const now = yield* Clock.currentTimeMillis
    const chosen = Inclusion.choose(found, now, yield* room)
    return (yield* Effect.forEach(chosen, shown, { concurrency: limits.concurrency })).flat()
  })
})
