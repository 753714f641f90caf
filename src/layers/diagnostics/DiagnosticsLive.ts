/**
 * Diagnostics of language servers and checkers. Both run code that a project chooses: only in a trusted folder, judged as the commands
 * that they are, and in the sandbox if there is one. After an edit nobody is asked: a server runs then if a rule, the mode or an earlier
 * answer allows it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as LanguageServers from "../../domain/diagnostics/LanguageServers.ts"
import * as Problem from "../../domain/diagnostics/Problem.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Access from "../../domain/tool/Access.ts"
import type * as Sandbox from "../../domain/tool/Sandbox.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import { Approval } from "../../services/Approval.ts"
import { Approver } from "../../services/Approver.ts"
import { Environment } from "../../services/Environment.ts"
import { Diagnostics, type DiagnosticsReport } from "../../services/lookup/Diagnostics.ts"
import { ReadPolicy } from "../../services/ReadPolicy.ts"
import { Shell } from "../../services/Shell.ts"
import { Trust } from "../../services/Trust.ts"
import { Workspace } from "../../services/Workspace.ts"
import { ofJson } from "../storage/Digest.ts"
import * as Programs from "../workspace/Programs.ts"
import * as ProcessTree from "../workspace/shell/ProcessTree.ts"
import * as SandboxedShell from "../workspace/shell/SandboxedShell.ts"
import * as GitStatus from "../context/GitStatus.ts"
import { SmallFiles } from "../context/sources/SmallFile.ts"
import type { LanguageServer } from "./LanguageServer.ts"
import * as Quote from "../../domain/tool/shell/Quote.ts"

export interface Options {
  readonly servers?: LanguageServers.LanguageServerSettings
  readonly checkers?: ReadonlyArray<string>
  readonly sandbox: Sandbox.SandboxOptions
}

/** Files of one report, ms and characters of a checker, starts of a server that keeps ending, failures in a row until it is left alone. */
const limits = { files: 30, checkMs: 120_000, check: 12_000, starts: 3, failures: 2 }

type Requirements = Approval | Approver | Environment | Shell | SmallFiles | Trust | Workspace

/** A command line for people and rules, as the server is started. */
interface InstalledServer {
  readonly server: LanguageServers.LanguageServer
  readonly argv: ReadonlyArray<string>
  readonly command: string
}

export const layer = ({ checkers = [], sandbox, servers: settings }: Options): Layer.Layer<never, Sandbox.SandboxError, Requirements> =>
  Layer.effect(
    Diagnostics,
    Effect.gen(function*() {
      const services = yield* Effect.context<Requirements>()
      const environment = Context.get(services, Environment)
      const workspace = Context.get(services, Workspace)
      const scope = yield* Effect.scope
      const servers = LanguageServers.configured(settings)
      const lock = yield* Semaphore.make(1)
      const running = new Map<string, LanguageServer>()
      const starts = new Map<string, number>()
      const allowed = new Set<string>()
      const failures = new Map<string, number>()
      const reportedFailures = new Set<string>()
      const confined = yield* Effect.cached(
        SandboxedShell.open(sandbox, workspace.roots, environment).pipe(Effect.provideService(Scope.Scope, scope))
      )

      /** The first of a server's commands that the user has installed, outside of the folder. */
      const installed = (server: LanguageServers.LanguageServer): InstalledServer | undefined => {
        const path = Programs.searchPath(environment, workspace.roots)
        for (const [name = "", ...args] of server.commands) {
          const program = name.startsWith("/") ? name : name.includes("/") ? undefined : Programs.find(path, name)
          if (program !== undefined) return { server, argv: [program, ...args], command: [name, ...args].map(Quote.ifNeeded).join(" ") }
        }
        return undefined
      }

      /** Why a session may not run this command now; undefined if it may. */
      const refusal = Effect.fnUntraced(function*(session: Session, command: string, canAsk: boolean) {
        if (!(yield* Effect.orElseSucceed((yield* Trust).isTrusted(session.cwd), () => false)))
          return `${command} was not started: this folder is not trusted. Run \`dacapo trust\` to trust it.`
        const access = [{ ...Access.command(command, session.cwd), ...(yield* (yield* Shell).inspect(command, session.cwd)) }]
        const verdict = (yield* Approval).judge(
          { name: "run_command", kind: "command", tags: ["command"], access, requestsApproval: false },
          session
        )
        const key = `${session.parent ?? session.id} ${command}`
        if (verdict.decision === "deny") return `${command} was not started: ${verdict.reason}`
        if (verdict.decision === "allow" || allowed.has(key)) return undefined
        if (!canAsk) return `${command} was not started, because no rule allows it.`
        const { decision, words = "it was not allowed" } = yield* (yield* Approver).ask({
          session: session.id,
          call: { _tag: "ToolCall", id: "", name: "run_command", params: { command } },
          action: ofJson(["run_command", { command }, access]),
          access,
          risk: verdict.risk,
          reason: verdict.reason,
          offer: verdict.offer
        })
        if (decision === "deny") return `${command} was not started: ${words}`
        allowed.add(key)
        return undefined
      }, Effect.provide(services))

      /** A running server: started when first needed, again if it has ended, but not forever. */
      const connect = Effect.fnUntraced(function*({ argv, command, server: { name, options } }: InstalledServer, cwd: string) {
        const key = `${command} ${cwd}`
        const current = running.get(key)
        if (current !== undefined && !current.hasEnded()) return current
        const count = starts.get(key) ?? 0
        if (count >= limits.starts)
          return yield* new LanguageServers.LanguageServerError({ message: `${command} ended ${count} times, and is not started again.` })
        starts.set(key, count + 1)
        const confine = yield* Effect.mapError(confined, ({ message }) => new LanguageServers.LanguageServerError({ message }))
        const argvConfined = confine === undefined ? argv : yield* confine(argv, cwd)
        const { open } = yield* Effect.promise(() => import("./LanguageServer.ts"))
        const serverScope = yield* Scope.fork(scope)
        const server = yield* open({
          name,
          argv: argvConfined,
          cwd,
          env: Programs.variables(environment, workspace.roots),
          marker: ProcessTree.marker(environment.variables),
          ...(options === undefined ? {} : { options })
        }).pipe(Effect.provideService(Scope.Scope, serverScope), Effect.onError(() => Scope.close(serverScope, Exit.void)))
        running.set(key, server)
        return server
      }, Effect.provideService(Scope.Scope, scope))

      /** The problems of files; a file of no server has none. */
      const problemsOf = Effect.fnUntraced(function*(session: Session, paths: ReadonlyArray<string>, canAsk: boolean) {
        const policy = yield* ReadPolicy
        const problems: Array<Problem.Problem> = []
        const notes = new Set<string>()
        const failureNotes = new Set<string>()
        for (const path of [...new Set(paths)].slice(0, limits.files)) {
          const match = LanguageServers.serverOf(servers, path)
          const server = match === undefined ? undefined : installed(match.server)
          if (match === undefined || server === undefined || (failures.get(server.command) ?? 0) >= limits.failures) continue
          const why = yield* refusal(session, server.command, canAsk)
          if (why !== undefined) {
            notes.add(why)
            continue
          }
          const absolute = path.startsWith("/") ? path : `${session.cwd}/${path}`
          const file = yield* Effect.result(Effect.zip(workspace.resolve(path), workspace.readText(path)))
          if (Result.isFailure(file) || policy.refusal(absolute, file.success[0]) !== undefined) continue
          const response = yield* Effect.result(
            Effect.flatMap(connect(server, session.cwd), (server) => server.problems(absolute, match.language, file.success[1].text))
          )
          failures.set(server.command, Result.isFailure(response) ? (failures.get(server.command) ?? 0) + 1 : 0)
          if (Result.isFailure(response)) failureNotes.add(response.failure.message)
          else problems.push(...response.success.map((problem) => ({ ...problem, path })).filter(Problem.isShown))
        }
        return { problems, notes: [...notes], failures: [...failureNotes] }
      }, lock.withPermits(1))

      const runChecker = (session: Session) => (command: string) =>
        Effect.gen(function*() {
          const why = yield* refusal(session, command, true)
          if (why !== undefined) return { note: why }
          const { code, output } = yield* (yield* Shell).run({
            command,
            cwd: session.cwd,
            timeoutMs: limits.checkMs,
            maxOutputCharacters: limits.check,
            onOutput: () => {}
          })
          return { check: `$ ${command}\n(exit code ${code ?? "none"})\n${output.trimEnd()}`.trimEnd() }
        }).pipe(Effect.catch(({ message }) => Effect.succeed({ note: `${command} could not run: ${message}` })), Effect.provide(services))

      return {
        around: Effect.fnUntraced(function*(session, paths, edit) {
          const before = yield* problemsOf(session, paths, false)
          const result = yield* edit
          const usable = paths.filter((path) => LanguageServers.serverOf(servers, path) !== undefined)
          if (usable.length === 0 || before.notes.length > 0) return { result, report: "" }
          const after = before.failures.length > 0 ? before : yield* problemsOf(session, usable, false)
          const failure = after.failures.find((note) => !reportedFailures.has(note))
          if (failure !== undefined) reportedFailures.add(failure)
          const problems = after.failures.length > 0 ? [] : Problem.added(before.problems, after.problems)
          return { result, report: failure !== undefined ? `[${failure}]` : problems.length === 0 ? "" : Problem.render(problems) }
        }),
        current: Effect.fn("Diagnostics.current")(function*(session) {
          const seen = [...session.files].flatMap(([path, hash]) => hash === null ? [] : [path]).reverse()
          const changed = yield* GitStatus.changedFiles(session.cwd).pipe(Effect.provide(services))
          const { failures, notes, problems } = yield* problemsOf(session, [...changed, ...seen], true)
          const checks: ReadonlyArray<{ readonly note?: string; readonly check?: string }> = yield* Effect.forEach(
            checkers,
            runChecker(session)
          )
          return {
            problems,
            checks: checks.flatMap(({ check }) => check === undefined ? [] : [Truncate.middle(check, limits.check)]),
            notes: [...notes, ...failures, ...checks.flatMap(({ note }) => note === undefined ? [] : [note])]
          } satisfies DiagnosticsReport
        })
      }
    })
  )
