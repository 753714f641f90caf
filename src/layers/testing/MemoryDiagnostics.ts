/** Diagnostics that a test defines: the problems of each file by its current text. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Problem from "../../domain/diagnostics/Problem.ts"
import { Diagnostics } from "../../services/lookup/Diagnostics.ts"
import { Workspace } from "../../services/Workspace.ts"

/** What is wrong with a text. */
export type Judge = (path: string, text: string) => ReadonlyArray<Omit<Problem.Problem, "path">>

/** A missing file has no problems. */
export const layer = (judge: Judge): Layer.Layer<never, never, Workspace> =>
  Layer.effect(
    Diagnostics,
    Effect.gen(function*() {
      const { readText } = yield* Workspace
      const problemsOf = (paths: ReadonlyArray<string>) =>
        Effect.map(
          Effect.forEach(paths, (path) =>
            readText(path).pipe(
              Effect.map(({ text }) => judge(path, text).map((problem) => ({ ...problem, path }))),
              Effect.orElseSucceed(() => [])
            )),
          (lists) => lists.flat()
        )
      return {
        around: Effect.fnUntraced(function*(_, paths, edit) {
          const before = yield* problemsOf(paths)
          const result = yield* edit
          return { result, report: Problem.render(Problem.added(before, yield* problemsOf(paths))) }
        }),
        current: (session) => Effect.map(problemsOf([...session.files.keys()]), (problems) => ({ problems, checks: [], notes: [] }))
      }
    })
  )
