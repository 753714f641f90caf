/** The tools of every session: `builtin` and what is given beside them, behind one table of names. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Reach from "../../domain/approval/BrowserReach.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import * as Aliases from "../../domain/mcp/Aliases.ts"
import type { ToolCall } from "../../domain/message/Message.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import * as Intent from "../../domain/tool/EditIntent.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as Params from "../../domain/tool/Params.ts"
import * as ToolSpec from "../../domain/tool/ToolSpec.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import { Mcp, type Servers } from "../../services/Mcp.ts"
import { type Any, type Services, ToolContext } from "../../services/Tool.ts"
import { Tools, type Understood } from "../../services/Tools.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as SessionRules from "../approval/SessionRules.ts"
import { builtin } from "./builtin.ts"
import * as FollowEdit from "./AfterEditHooks.ts"
import { located } from "./ResolveAccess.ts"
import * as Offered from "./AvailableTools.ts"

/** Characters of text that one result may hold, above what each tool limits by itself. */
const most = 60_000

interface Call<R> extends Offered.Entry<R> {
  readonly params: unknown
  readonly unknown: ReadonlyArray<string>
}

type Needs<T extends ReadonlyArray<Any>> = FollowEdit.Needs | Services<(typeof builtin)[number] | T[number]>

/** `extra` stands after `builtin`; of two tools with one name the later one is used. */
export const layer = <const T extends ReadonlyArray<Any> = []>(...extra: T): Layer.Layer<Tools, never, Needs<T>> =>
  Layer.effect(
    Tools,
    Effect.gen(function*() {
      const services = yield* Effect.context<Needs<T>>()
      return make<Needs<T>>([...builtin, ...extra], services, yield* Mcp)
    })
  )

/** The service over a list of tools whose needs `services` answers. */
const make = <R>(tools: ReadonlyArray<Any<R>>, services: Context.Context<R | FollowEdit.Needs>, mcp: Servers): Tools["Service"] => {
  const workspace = Context.get(services as Context.Context<Workspace>, Workspace)
  const locate = located(workspace)
  const entries = new Map(tools.map((tool) => [tool.name, { tool, spec: ToolSpec.fromParams(tool) } satisfies Offered.Entry<R>]))
  const names = new Map(
    [...entries.values()].flatMap(({ tool }) => (tool.aliases ?? []).map((alias) => [alias, tool.name] as const))
  )

  const named = (name: string, { offer }: Session) => entries.get(name) ?? entries.get(names.get(name) ?? "") ?? Offered.served(offer).get(name)

  const find = (call: ToolCall, session: Session): Result.Result<Call<R>, string> =>
    Result.flatMap(Aliases.direct(call, session.offer), ({ name, params }) => {
      const entry = named(name, session)
      if (entry === undefined) return Result.fail(unknownTool(name, specs(session)))
      const refused = Offered.refusal(entry.tool, session)
      if (refused !== undefined) return Result.fail(refused)
      return Result.map(Params.decode(entry.tool, entry.spec, params), (decoded) => ({ ...entry, ...decoded }))
    })

  const specs = Offered.specs([...entries.values()])

  const inContext = (call: ToolCall, session: Session, output: (text: string) => void) => {
    const rules = SessionRules.of(session)
    const context = ToolContext.of({
      session: session.id,
      call: call.id,
      cwd: session.cwd,
      output,
      ...(session.parent === undefined ? {} : { from: session.title }),
      files: session.files,
      offer: session.offer,
      named: (url) => Rule.namesHost(rules, url),
      reach: Reach.of(rules)
    })
    return Effect.provide(Context.add(services, ToolContext, context))
  }

  return Tools.of({
    specs,
    renewed: mcp.renewed,

    understand: (call, session) =>
      Result.map(find(call, session), ({ params, tool }): Understood => ({
        name: tool.name,
        kind: tool.kindOf?.(params) ?? tool.kind,
        tags: tool.tags,
        access: tool.access(params, session),
        asks: tool.asks?.(params) ?? false,
        ...(tool.quiet === undefined ? {} : { quiet: tool.quiet })
      })),

    locate: (_, access) => Effect.forEach(access, locate),

    preview: (call, session) =>
      Result.match(find(call, session), {
        onFailure: () => Effect.succeed(null),
        onSuccess: ({ params, tool }) =>
          tool.preview === undefined ? Effect.succeed(null) : tool.preview(params).pipe(
            Effect.map((diff) => diff === "" ? null : diff),
            Effect.catchDefect(() => Effect.succeed(null)),
            inContext(call, session, () => {})
          )
      }),

    intend: (call, session) =>
      Result.match(find(call, session), {
        onFailure: () => Effect.succeed([]),
        onSuccess: ({ params, tool }) =>
          tool.intends === undefined ? Effect.succeed([]) : tool.intends(params).pipe(
            Effect.catchDefect(() => Effect.succeed([])),
            inContext(call, session, () => {})
          )
      }),

    probe: (_, intends) =>
      Effect.forEach(intends, ({ path }) => Effect.map(hashNow(workspace, path), (hash) => [path, hash] as const)).pipe(
        Effect.map((now) => Intent.compare(intends, new Map(now))),
        Effect.orElseSucceed(() => "other" as const)
      ),

    changes: (name, session) => {
      const tool = named(name, session)?.tool
      return tool === undefined || tool.kind !== "read" || tool.kindOf !== undefined
    },

    tasks: (call, session) =>
      Result.match(find(call, session), {
        onFailure: () => [],
        onSuccess: ({ params, tool }) => tool.tasks?.(params) ?? []
      }),

    run: (call, session, output) =>
      Result.match(find(call, session), {
        onFailure: (report) => Effect.succeed(Outcome.mistaken(report)),
        onSuccess: ({ params, tool, unknown }) =>
          tool.run(params).pipe(
            Effect.catchDefect((defect) => broken(tool.name, defect)),
            Effect.flatMap((outcome) => tool.kind === "edit" ? FollowEdit.followed(outcome, { session, call: call.id, output }) : Effect.succeed(outcome)),
            Effect.map((outcome) => withinLimits(unknown.length === 0 ? outcome : ignoring(outcome, unknown))),
            Effect.withSpan("execute_tool", { attributes: { "gen_ai.tool.name": tool.name, "gen_ai.tool.call.id": call.id } }),
            inContext(call, session, output)
          )
      })
  })
}

/** The SHA-256 of a file, null where it is not there. */
const hashNow = (workspace: Workspace["Service"], path: string): Effect.Effect<string | null, FileError> =>
  workspace.readText(path).pipe(
    Effect.map(({ hash }) => hash),
    Effect.catch((error) => error.reason === "NotFound" ? Effect.succeed(null) : Effect.fail(error))
  )

const unknownTool = (name: string, specs: ReadonlyArray<ToolSpec.ToolSpec>): string =>
  `There is no tool ${name === "" ? "without a name" : JSON.stringify(name)}. The tools are: ${specs.map((spec) => spec.name).join(", ")}.`

/** A defect is a fault of the tool, not of the model: it is reported where people look, and told in one line. */
const broken = (name: string, defect: unknown): Effect.Effect<Outcome.Outcome> =>
  Effect.logError(`The tool ${name} is broken`, Cause.die(defect)).pipe(
    Effect.as(Outcome.failed(
      `${name} failed by a fault of its own: ${Clip.line(defect instanceof Error ? defect.message : String(defect), 500)}\nTry another way.`
    ))
  )

const ignoring = (outcome: Outcome.Outcome, unknown: ReadonlyArray<string>): Outcome.Outcome => ({
  ...outcome,
  content: [...outcome.content, { _tag: "Text", text: `[Unknown parameters, ignored: ${unknown.join(", ")}.]` }]
})

const withinLimits = (outcome: Outcome.Outcome): Outcome.Outcome => ({
  ...outcome,
  content: outcome.content.map((part) => part._tag === "Text" ? { ...part, text: Clip.middle(part.text, most) } : part)
})
