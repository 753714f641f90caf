/**
 * A regular expression from a model, which may be invalid, or never terminate. This is the only place that runs such an
 * expression: in a process that is killed when it takes too long, since V8 cannot be stopped while it compiles one.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import picomatch from "picomatch/posix.js"
import type { FileError } from "../../../domain/workspace/FileError.ts"
import * as Glob from "../../../domain/workspace/Glob.ts"
import * as Thread from "../../thread/Thread.ts"
import { fail } from "./FileFailure.ts"
import * as LineMatch from "./LineMatch.ts"
import type { MatchRequest } from "../patternWorker.ts"
import { withRealClock } from "../../../services/process/RealClock.ts"

/** Which lines of each of some texts match, by their index. Fails for an expression that takes too long. */
export type Pattern = (texts: ReadonlyArray<string>) => Effect.Effect<LineMatch.LineIndexes, FileError>

/** The total time limit in ms for all uses of one expression. */
export const LimitMs = Context.Reference<number>("dacapo/workspace/Pattern/LimitMs", { defaultValue: () => 10_000 })

/** JavaScript's dialect, with optional leading flags as in other dialects (`(?i)`). Fails for an invalid one. `path` is for errors. */
export const compile = (path: string, source: string): Effect.Effect<Pattern, FileError, Scope.Scope> =>
  Effect.flatMap(expression(path, source), (regex) => boundedPattern(path, regex, !/[*+?{|]/.test(regex.source)))

/** A file pattern, for texts that are names: a glob becomes an expression with many ways to match. */
export const glob = (path: string, pattern: string, options: { readonly dot: boolean }): Effect.Effect<Pattern, FileError, Scope.Scope> =>
  boundedPattern(
    path,
    picomatch.makeRe(Glob.finite(pattern), options),
    !pattern.includes("(") && (pattern.match(/\*+|\{/g)?.length ?? 0) <= wildcards
  )

/** How many wildcards and alternatives of a glob are still fast: the time grows exponentially with their number. */
const wildcards = 3

/** `isQuick`: nothing in it repeats or branches so that it could take long, and it needs no process. */
const boundedPattern = Effect.fnUntraced(function*(path: string, { flags, source }: RegExp, isQuick: boolean) {
  if (isQuick) {
    const matches = LineMatch.of(new RegExp(source, flags))
    return ((texts) => Effect.sync(() => matches(texts))) satisfies Pattern as Pattern
  }
  const thread = yield* Thread.make<MatchRequest, LineMatch.LineIndexes>({
    source: "workspace/patternWorker.ts",
    bundle: "pattern.js",
    kind: "process"
  })
  yield* thread.start
  let remainingMs = yield* LimitMs
  const timedMatch = (texts: ReadonlyArray<string>) =>
    Effect.timed(thread.request({ source, flags, texts }, Math.max(1, remainingMs))).pipe(
      withRealClock
    )
  return ((texts) =>
    timedMatch(texts).pipe(
      Effect.map(([elapsed, lines]) => {
        remainingMs -= Duration.toMillis(elapsed)
        return lines
      }),
      Effect.mapError(({ message, reason }) =>
        fail(
          path,
          "BadPattern",
          reason === "TooLong" ? "The expression takes too long on these files: simplify it." : `The expression is not valid: ${message}.`
        )
      )
    )) satisfies Pattern as Pattern
})

const expression = (path: string, source: string): Effect.Effect<RegExp, FileError> => {
  const [, flags = "", body = ""] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(source)!
  const tryParse = (flags: string) =>
    Effect.try({ try: () => new RegExp(body, flags), catch: (cause) => fail(path, "BadPattern", (cause as Error).message) })
  return Effect.catch(tryParse(`u${flags}`), () => tryParse(flags))
}
