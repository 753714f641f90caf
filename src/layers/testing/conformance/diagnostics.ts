/**
 * The contract of every Diagnostics, as cases that any test runner can run: a case fails with an assertion. The implementation must
 * report a problem at each `BAD` in a file `*.ts` of the workspace, and none in `*.txt`.
 *
 *     for (const { name, run } of DiagnosticsConformance.cases(MyDiagnostics.layer, session)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Session } from "../../../domain/session/Session.ts"
import { Diagnostics, type DiagnosticsService } from "../../../services/lookup/Diagnostics.ts"
import { Workspace } from "../../../services/Workspace.ts"
import type { Case } from "./ServiceCase.ts"

/** The diagnostics of one case, and what writes a file of its workspace. */
interface World extends DiagnosticsService {
  readonly write: (path: string, text: string) => Effect.Effect<void>
}

/** `session` works in the workspace's folder, and commands of its servers are allowed. `layer` is built for each case. */
export const cases = <E>(layer: Layer.Layer<Workspace, E>, session: Session): ReadonlyArray<Case> => {
  const check = (name: string, body: (world: World) => Effect.Effect<void, unknown>): Case => ({
    name,
    run: Effect.gen(function*() {
      const { writeText } = yield* Workspace
      const write = (path: string, text: string) => Effect.orDie(Effect.asVoid(writeText(path, text)))
      yield* write("a.ts", "export const one = 1\nexport const old = BAD\n")
      yield* write("notes.txt", "BAD\n")
      return yield* body({ ...yield* Diagnostics, write })
    }).pipe(Effect.provide(Layer.fresh(layer)), Effect.scoped)
  })
  return [
    check("runs an edit once, and reports the problem that it adds", ({ around, write }) =>
      Effect.gen(function*() {
        let edits = 0
        const edit = Effect.suspend(
          () => (edits++, Effect.as(write("a.ts", "export const one = BAD1\nexport const old = BAD\n"), "edited"))
        )
        const { report, result } = yield* around(session, ["a.ts"], edit)
        assert.equal(result, "edited")
        assert.equal(edits, 1)
        assert.match(report, /^a\.ts:1:\d+: error/m)
        assert.doesNotMatch(report, /^a\.ts:2:/m)
      })),
    check("reports nothing about an edit that adds no problem", ({ around, write }) =>
      Effect.gen(function*() {
        const moved = yield* around(session, ["a.ts"], write("a.ts", "export const one = 1\n\nexport const old = BAD\n"))
        assert.equal(moved.report, "")
        assert.equal((yield* around(session, ["a.ts"], write("a.ts", "export const one = 1\n"))).report, "")
      })),
    check(
      "reports nothing about other files",
      ({ around, write }) =>
        Effect.map(around(session, ["notes.txt"], write("notes.txt", "BAD\nBAD\n")), ({ report }) => assert.equal(report, ""))
    ),
    check(
      "lets an edit fail",
      ({ around }) => Effect.map(Effect.exit(around(session, ["a.ts"], Effect.die("broken"))), (exit) => assert.ok(Exit.isFailure(exit)))
    ),
    check("lists the current problems of the session's files", ({ current }) =>
      Effect.gen(function*() {
        const { problems } = yield* current({ ...session, files: new Map([["a.ts", "hash"]]) })
        assert.deepEqual(problems.map(({ line, path, severity }) => ({ path, line, severity })), [{
          path: "a.ts",
          line: 2,
          severity: "error"
        }])
        assert.ok(problems.every(({ column, message }) => column >= 1 && message !== ""))
      }))
  ]
}
