/** Automatically included files: candidates are inspected, scored purely, and only the chosen ones are read. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { relative, resolve } from "node:path"
import { optional } from "../../domain/Optional.ts"
import * as AutoInclude from "../../domain/context/AutoInclude.ts"
import * as ToolCalls from "../../domain/session/ToolCalls.ts"
import * as SessionFiles from "../../domain/session/SessionFiles.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts, IncludedFile } from "../../domain/session/SessionEvent.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as FileState from "../../domain/workspace/FileState.ts"
import { ReadPolicy } from "../../services/ReadPolicy.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as PastSessionFiles from "./PastSessionFiles.ts"
import * as GitStatus from "./GitStatus.ts"

/** Limits: candidates to inspect, the most important first; bytes of one; how many at once. */
const limits = { candidates: 300, bytes: 256 * 1024, concurrency: 16 }

/** Bytes per token, before the file is read: a low estimate. */
const bytesOfToken = 3

/** What is known of a file without reading it, and its definitions once these were needed. */
interface FileSnapshot {
  readonly path: string
  readonly stamp: string
  readonly bytes: number
  /** ms since the epoch. */
  readonly time: number
}

/** Includes files for one process: git's status and file definitions are cached. */
export const make = Effect.gen(function*() {
  const relatedFiles = yield* PastSessionFiles.make
  const definitions = new Map<string, { readonly stamp: string; readonly names: ReadonlySet<string> }>()
  let lastStatus: { readonly task: string; readonly changed: ReadonlyArray<string> } = { task: "", changed: [] }

  const changedForGit = Effect.fnUntraced(function*({ cwd, id, task }: Session) {
    const key = `${id} ${task.startedAt}`
    if (lastStatus.task !== key) lastStatus = { task: key, changed: yield* GitStatus.changedFiles(cwd) }
    return lastStatus.changed
  })

  const snapshot = (path: string): Effect.Effect<Option.Option<FileSnapshot>, never, Workspace> =>
    Effect.flatMap(Workspace, ({ stat }) => stat(path)).pipe(
      Effect.map(({ kind, modified, size, version }) =>
        kind !== "file" || size > limits.bytes ? Option.none() : Option.some({ path, stamp: version, bytes: size, time: modified })
      ),
      Effect.orElseSucceed(() => Option.none())
    )

  /** Only files that may be read without asking, and hold no settings or secrets, are ever included automatically. */
  const canRead = ({ cwd }: Session) =>
    Effect.fnUntraced(function*(path: string) {
      const { resolve: follow } = yield* Workspace
      const { refusal } = yield* ReadPolicy
      return yield* Effect.match(follow(path), {
        onFailure: () => false,
        onSuccess: (target) => {
          const absolute = resolve(cwd, path)
          return !AutoInclude.isPrivate(relative(cwd, absolute), absolute) && !AutoInclude.isPrivate(relative(cwd, target), target) &&
            refusal(absolute, target) === undefined
        }
      })
    })

  /** Whether a file defines one of these names; each version of it is read once for that. */
  const definesSymbol = Effect.fnUntraced(function*({ path, stamp }: FileSnapshot, symbols: ReadonlyArray<string>) {
    if (symbols.length === 0) return false
    let entry = definitions.get(path)
    if (entry?.stamp !== stamp) {
      const text = yield* Effect.orElseSucceed(
        Effect.flatMap(Workspace, ({ readText }) => Effect.map(readText(path), ({ text }) => text)),
        () => ""
      )
      entry = { stamp, names: AutoInclude.defines(text) }
      definitions.set(path, entry)
    }
    return symbols.some((symbol) => entry.names.has(symbol))
  })

  /** Files whose current content the model has not seen: those of this session, and those that git reports as changed. */
  const candidates = Effect.fnUntraced(function*(session: Session, facts: Facts) {
    const { fileStates } = session
    const inView = AutoInclude.visiblePaths(session)
    const changed = new Map((facts.changed ?? []).map((one) => [one.path, one]))
    const isUnseen = (path: string): boolean =>
      changed.has(path) ? changed.get(path)!.kind === "modified" : !inView.has(path) && session.files.get(path) !== null
    const newest = [...fileStates].sort(([, a], [, b]) => (FileState.lastTouch(b) ?? 0) - (FileState.lastTouch(a) ?? 0)).map(([path]) =>
      path
    )
    const gitPaths = facts.git === null ? [] : yield* changedForGit(session)
    const paths = [...new Set([...newest, ...gitPaths])].filter(isUnseen).slice(0, limits.candidates)
    if (paths.length === 0) return []
    const newestText = AutoInclude.latestUserText(session)
    const errors = AutoInclude.errors(session)
    const symbols = AutoInclude.symbols(newestText)
    const related = yield* relatedFiles(session)
    const hasCommands = ToolCalls.hasRunCommand(session.calls)
    /** What one of our commands has just changed is not an edit of the user's. */
    const editTime = ({ path, time }: FileSnapshot): number | undefined => {
      const change = changed.get(path)
      const isFresh = change !== undefined && !SessionFiles.isReported(session.facts?.changed, change)
      return isFresh ? (hasCommands ? undefined : time) : fileStates.get(path)?.user ?? (fileStates.has(path) ? undefined : time)
    }
    const readable = yield* Effect.filter(paths, canRead(session), { concurrency: limits.concurrency })
    const snapshots = yield* Effect.forEach(readable, (path) => snapshot(path), { concurrency: limits.concurrency })
    return yield* Effect.forEach(
      snapshots.flatMap(Option.toArray),
      Effect.fnUntraced(function*(file) {
        const { bytes, path, time } = file
        const state = fileStates.get(path)
        const touchTime = Math.max(
          state === undefined ? 0 : FileState.lastTouch(state) ?? 0,
          state === undefined || changed.has(path) ? time : 0
        )
        const since = editTime(file)
        return {
          path,
          tokens: Math.ceil(bytes / bytesOfToken),
          touchedAt: touchTime,
          useCount: state?.useCount ?? 0,
          ...optional({ editedAt: since }),
          isFailing: AutoInclude.names(errors, path),
          isNamed: AutoInclude.names(newestText, path) || (yield* definesSymbol(file, symbols)),
          isRelated: related.has(path)
        } satisfies AutoInclude.Candidate
      })
    )
  })

  /** The file as a message shows it; none for non-text files and very long ones. */
  const load = ({ candidate: { path }, score, why }: AutoInclude.ScoredFile) =>
    Effect.flatMap(Workspace, ({ readText }) => readText(path)).pipe(
      Effect.map(({ hash, text }): ReadonlyArray<IncludedFile> => {
        const page = TextPage.of(text, { from: 1, to: Infinity })
        return page.extent === "all" && text.trim() !== "" ? [{ path, hash, text: page.text, score, why }] : []
      }),
      Effect.orElseSucceed(() => [])
    )

  /** `room` is computed only where there is something to include. */
  return Effect.fnUntraced(function*(session: Session, facts: Facts, availableTokens: () => number) {
    const candidateFiles = yield* candidates(session, facts)
    if (candidateFiles.length === 0) return []
    const now = yield* Clock.currentTimeMillis
    const selection = AutoInclude.choose(candidateFiles, now, availableTokens())
    return (yield* Effect.forEach(selection, load, { concurrency: limits.concurrency })).flat()
  })
})
