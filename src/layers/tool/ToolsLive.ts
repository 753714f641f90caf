/** The tools of every session: `builtin` and additional ones, in one table of names. */
import { resolve } from "node:path"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { optional } from "../../domain/Optional.ts"
import * as BrowserReach from "../../domain/approval/BrowserReach.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import * as Naming from "../../domain/mcp/Naming.ts"
import type { ToolCall } from "../../domain/message/Message.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Access } from "../../domain/tool/Access.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import * as EditIntent from "../../domain/tool/EditIntent.ts"
import * as Nearness from "../../domain/tool/Nearness.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as Params from "../../domain/tool/Params.ts"
import * as ToolSpec from "../../domain/tool/ToolSpec.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import { Browser } from "../../services/Browser.ts"
import { Approval } from "../../services/Approval.ts"
import { CustomTools } from "../../services/extension/CustomTools.ts"
import { Plugins, type PluginService } from "../../services/extension/Plugins.ts"
import { Mcp, type Servers } from "../../services/Mcp.ts"
import { ReadPolicy } from "../../services/ReadPolicy.ts"
import { Shell } from "../../services/Shell.ts"
import { type Any, type Services, ToolContext } from "../../services/Tool.ts"
import { Tools, type ResolvedCall } from "../../services/Tools.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as ReadAccess from "../approval/ReadAccess.ts"
import * as SessionRules from "../approval/SessionRules.ts"
import { builtin } from "./builtin.ts"
import * as AfterEditHooks from "./AfterEditHooks.ts"
import { resolveLookups } from "./ResolveLookups.ts"
import * as CrashReports from "../../services/process/CrashReports.ts"
import { resolveAccess } from "./ResolveAccess.ts"
import * as AvailableTools from "./AvailableTools.ts"
import * as ToolResults from "./ToolResults.ts"

/** The limit on one result's text in characters, in addition to each tool's own limits. */
const maxCharacters = 60_000

interface Call<R> extends AvailableTools.Entry<R> {
  readonly params: unknown
  readonly unknown: ReadonlyArray<string>
}

type Requirements<T extends ReadonlyArray<Any<unknown>>> =
  | Approval
  | AfterEditHooks.Requirements
  | Services<(typeof builtin)[number] | T[number]>

/** `extra` follows `builtin`; of two tools with the same name the later one wins. */
export const layer = <const T extends ReadonlyArray<Any<unknown>> = []>(...extra: T): Layer.Layer<Tools, never, Requirements<T>> =>
  Layer.effect(
    Tools,
    Effect.gen(function*() {
      const services = yield* Effect.context<Requirements<T>>()
      const tools: ReadonlyArray<Any<unknown>> = [...builtin, ...extra]
      const mcp = yield* Mcp
      const refresh = AvailableTools.refresher(mcp, yield* CustomTools)
      return make<Requirements<T>>(tools as ReadonlyArray<Any<Requirements<T>>>, services, {
        refresh,
        plugins: yield* Plugins,
        hasBrowser: yield* (yield* Browser).isInstalled
      })
    })
  )

type Specs = Pick<AvailableTools.Entry<unknown>, "concise" | "spec">
const cachedSpecs = new WeakMap<object, Specs>()

/** How a tool is described to models; computed once, however many agents have it. */
const specsOf = <R>(tool: Any<R>): Specs => {
  const cached = cachedSpecs.get(tool)
  if (cached !== undefined) return cached
  const spec = ToolSpec.fromParams(tool)
  const specs = { spec, concise: ToolSpec.concise(spec, tool.plain) }
  cachedSpecs.set(tool, specs)
  return specs
}

/** The service for a list of tools whose needs `services` provides. */
const make = <R>(
  tools: ReadonlyArray<Any<R>>,
  services: Context.Context<R | Approval | AfterEditHooks.Requirements>,
  { hasBrowser, plugins, refresh }: {
    readonly refresh: Servers["refresh"]
    readonly plugins: PluginService
    readonly hasBrowser: boolean
  }
): Tools["Service"] => {
  const workspace = Context.get(services as Context.Context<Workspace>, Workspace)
  const locate = resolveAccess(workspace, Context.get(services as Context.Context<Shell>, Shell))
  const follow = resolveLookups(workspace)
  const entries = new Map(tools.map((tool) => [tool.name, { tool, ...specsOf(tool) } satisfies AvailableTools.Entry<R>]))
  const names = new Map(
    [...entries.values()].flatMap(({ tool }) => (tool.aliases ?? []).map((alias) => [alias, tool.name] as const))
  )

  const findEntry = (name: string, session: Session): AvailableTools.Entry<R> | undefined => {
    const builtin = entries.get(name) ?? entries.get(names.get(name) ?? "")
    return builtin !== undefined && AvailableTools.isEnabled(builtin.tool, session) ? builtin
      : AvailableTools.serverTools(session.offer).get(name) ?? AvailableTools.customTools(session.offer).get(name)
  }

  const find = (call: ToolCall, session: Session): Result.Result<Call<R>, string> =>
    Result.flatMap(Naming.resolveAlias(call, session.offer), ({ name, params }) => {
      const entry = findEntry(name, session)
      if (entry === undefined) return Result.fail(unknownTool(name, specs(session)))
      const refusal = AvailableTools.refusal(entry.tool, session)
      if (refusal !== undefined) return Result.fail(refusal)
      return decode(call, entry, params)
    })

  const decodedCalls = new WeakMap<ToolCall, { readonly entry: AvailableTools.Entry<R>; readonly result: Result.Result<Call<R>, string> }>()

  /** Once for each call, from judging to the end of its run: a call that the user edits is another one. */
  const decode = (call: ToolCall, entry: AvailableTools.Entry<R>, params: ToolCall["params"]): Result.Result<Call<R>, string> => {
    const cached = decodedCalls.get(call)
    if (cached?.entry === entry) return cached.result
    const result = Result.flatMap(
      Result.try({
        try: () => Params.decode(entry.tool, entry.spec, params),
        catch: (defect) => defectMessage(entry.tool.name, defect)
      }),
      Result.map((decoded): Call<R> => ({ ...entry, ...decoded }))
    )
    decodedCalls.set(call, { entry, result })
    return result
  }

  const specs = AvailableTools.specs([...entries.values()], { hasBrowser })

  /** What the code of a plugin declares besides the call itself. */
  const withPluginAccess = (session: Session) => (call: Call<R>) => {
    const definition = session.offer.custom?.find(({ name, run }) => name === call.tool.name && run._tag === "Code")
    return Result.map(
      definition === undefined ? Result.succeed([]) : plugins.access(definition, call.params as Schema.JsonObject, session),
      (declared) => ({ ...call, declared })
    )
  }

  /** What a plugin shows people instead of the result, unless the tool itself has something to show. */
  const rendered = (tool: string, { params }: ToolCall, outcome: Outcome.Outcome) =>
    outcome.display !== undefined ? Effect.succeed(outcome)
      : Effect.map(plugins.render(tool, params, outcome), (display) => display === undefined ? outcome : { ...outcome, display })

  const judgedAccess = (call: ToolCall, session: Session) => session.calls.find((one) => one.call.id === call.id)?.proposal?.access

  const declaredAccess = (call: ToolCall, session: Session) =>
    Result.getOrElse(Result.map(find(call, session), ({ params, tool }) => tool.access(params, session)), () => [])

  /** A call's accesses as they were judged; before that, its declared ones. */
  const accessOf = (call: ToolCall, session: Session) => judgedAccess(call, session) ?? declaredAccess(call, session)

  /** The same with what they lead to. What was judged is not followed again: a link that was changed since then was not approved. */
  const locatedAccess = (call: ToolCall, session: Session) => {
    const judged = judgedAccess(call, session)
    return judged === undefined ? Effect.forEach(declaredAccess(call, session), locate) : Effect.succeed(judged)
  }

  /** `grantOf`: what the call may read; by default what it was approved with. */
  const withContext = (
    call: ToolCall,
    session: Session,
    output: (text: string) => void,
    grantOf: typeof ReadAccess.ofCall = ReadAccess.ofCall
  ) => {
    const rules = SessionRules.of(session)
    const context = ToolContext.of({
      session: session.id,
      call: call.id,
      cwd: session.cwd,
      output,
      ...(session.parent === undefined ? {} : { from: session.title }),
      files: session.files,
      offer: session.offer,
      ...optional({ search: session.settings.search }),
      isReadOnly: session.calls.every((one) =>
        one.call.id !== call.id || (one.proposal?.decision === "allow" && one.proposal.rule === undefined)
      ),
      isHostAllowed: (url) => Rule.namesPrivateHost(rules, url),
      reach: BrowserReach.of(rules)
    })
    return <A, E>(effect: Effect.Effect<A, E, R | Approval | AfterEditHooks.Requirements | ToolContext>): Effect.Effect<A, E> =>
      Effect.flatMap(
        locatedAccess(call, session),
        (access) =>
          ReadAccess.withReadPolicy(
            session,
            findEntry(call.name, session)?.tool.name ?? call.name,
            (approval) => ({
              ...grantOf(approval, session, call.name, access),
              ...(mayRun(call, session) ? {} : { outside: [] })
            })
          )(effect)
      ).pipe(
        Effect.provide(Context.add(services, ToolContext, context))
      )
  }

  return Tools.of({
    specs,
    refresh,

    resolve: (call, session) =>
      Result.flatMap(Result.flatMap(find(call, session), withPluginAccess(session)), ({ declared, params, tool }) =>
        Result.try({
          try: (): ResolvedCall => ({
            name: tool.name,
            kind: tool.kindOf?.(params) ?? tool.kind,
            tags: tool.tags,
            access: [...ToolResults.accessOf(tool.access(params, session)), ...declared],
            requestsApproval: tool.requestsApproval?.(params) ?? false,
            ...optional({ hasNoOtherEffects: tool.hasNoOtherEffects })
          }),
          catch: (defect) => defectMessage(tool.name, defect)
        })),

    locate: (_, access, session) => Effect.forEach(access, (one) => Effect.flatMap(locate(one), (one) => follow(one, session))),

    preview: (call, session) =>
      Result.match(find(call, session), {
        onFailure: () => Effect.succeed(null),
        onSuccess: ({ params, tool }) =>
          tool.preview === undefined ? Effect.succeed(null) : ToolResults.effectOf("preview", () => tool.preview!(params)).pipe(
            Effect.map((diff) => diff === "" ? null : diff),
            Effect.catchDefect(() => Effect.succeed(null)),
            withContext(call, session, () => {})
          )
      }),

    failure: (call, session) =>
      Result.match(find(call, session), {
        onFailure: () => Effect.succeed(undefined),
        onSuccess: ({ params, tool }) =>
          tool.failure === undefined ? Effect.succeed(undefined) : Effect.flatMap(ReadPolicy, (policy) =>
            // A failure may quote the file.
            accessOf(call, session).some((one) => isClosed(one, session, policy)) ? Effect.succeed(undefined)
              : ToolResults.effectOf("failure", () => tool.failure!(params))).pipe(
              Effect.catchDefect(() => Effect.succeed(undefined)),
              withContext(call, session, () => {}, () => ReadAccess.unattended)
            )
      }),

    editIntents: (call, session) =>
      Result.match(find(call, session), {
        onFailure: () => Effect.succeed([]),
        onSuccess: ({ params, tool }) =>
          tool.intends === undefined ? Effect.succeed([]) : ToolResults.effectOf("intends", () => tool.intends!(params)).pipe(
            Effect.catchDefect(() => Effect.succeed([])),
            withContext(call, session, () => {})
          )
      }),

    probe: (_, intends) =>
      Effect.forEach(intends, ({ path }) => Effect.map(hashNow(workspace, path), (hash) => [path, hash] as const)).pipe(
        Effect.map((current) => EditIntent.compare(intends, new Map(current))),
        Effect.orElseSucceed(() => "other" as const)
      ),

    changes: (name, session) => {
      const tool = findEntry(name, session)?.tool
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
          ToolResults.effectOf("run", () => tool.run(params)).pipe(
            Effect.flatMap(ToolResults.outcomeOf),
            Effect.catchDefect((defect) => defectOutcome(tool.name, defect)),
            (run) =>
              tool.kind === "edit"
                ? AfterEditHooks.withDiagnostics(
                  session,
                  accessOf(call, session),
                  Effect.flatMap(run, (outcome) => AfterEditHooks.runHooks(outcome, { session, call: call.id, output }))
                )
                : run,
            Effect.flatMap((outcome) => rendered(tool.name, call, outcome)),
            Effect.map((outcome) => truncateText(unknown.length === 0 ? outcome : withIgnoredParams(outcome, unknown))),
            Effect.withSpan("execute_tool", { attributes: { "gen_ai.tool.name": tool.name, "gen_ai.tool.call.id": call.id } }),
            withContext(call, session, output),
            Effect.ensuring(Effect.sync(() => decodedCalls.delete(call)))
          )
      })
  })
}

/** Whether reading the file of an edit needs an approval of its own. */
const isClosed = (access: Access, { cwd }: Session, { refusal }: ReadPolicy): boolean => {
  if (access._tag !== "Edit") return false
  const path = resolve(cwd, access.path)
  return refusal(path, access.resolvedPath ?? path) !== undefined
}

const mayRun = ({ id }: ToolCall, { calls }: Session): boolean =>
  calls.some(({ call, state }) => call.id === id && (state === "allowed" || state === "running" || state === "lost"))

/** The SHA-256 of a file, null if it does not exist. */
const hashNow = (workspace: Workspace["Service"], path: string): Effect.Effect<string | null, FileError> =>
  workspace.readText(path).pipe(
    Effect.map(({ hash }) => hash),
    Effect.catch((error) => error.reason === "NotFound" ? Effect.succeed(null) : Effect.fail(error))
  )

const unknownTool = (name: string, specs: ReadonlyArray<ToolSpec.ToolSpec>): string => {
  const names = specs.map((spec) => spec.name)
  return name === ""
    ? `The call names no tool. Available tools: ${names.join(", ")}.`
    : `Unknown tool ${JSON.stringify(name)}. Available tools: ${Nearness.nearestFirst(name, names).join(", ")}.`
}

/** A defect is the tool's fault, not the model's: it is reported to people, and to the model in one line. */
const defectOutcome = (name: string, defect: unknown): Effect.Effect<Outcome.Outcome> =>
  Effect.as(Effect.logError(`The tool ${name} is broken`, Cause.die(defect)), Outcome.failed(defectMessage(name, defect)))

const defectMessage = (name: string, defect: unknown): string =>
  `${name} failed with an internal error: ${Truncate.line(CrashReports.messageOf(defect), 500)}\nTry another approach.`

const withIgnoredParams = (outcome: Outcome.Outcome, unknown: ReadonlyArray<string>): Outcome.Outcome => ({
  ...outcome,
  content: [...outcome.content, { _tag: "Text", text: `[Ignored unknown parameters: ${unknown.join(", ")}.]` }]
})

/** The maximum number of parts in a result. */
const maxParts = 100

/** All texts of a result together are as long as one may be; further parts are counted. */
const truncateText = (outcome: Outcome.Outcome): Outcome.Outcome => {
  let remaining = maxCharacters
  const parts = outcome.content.slice(0, maxParts).map((part) => {
    if (part._tag !== "Text") return part
    const text = Truncate.middle(part.text, remaining)
    remaining = Math.max(minPartCharacters, remaining - text.length)
    return { ...part, text }
  })
  const omitted = outcome.content.length - parts.length
  return { ...outcome, content: omitted === 0 ? parts : [...parts, { _tag: "Text", text: `[${omitted} more parts were left out.]` }] }
}

/** What a text has room for when the others have reached the limit. */
const minPartCharacters = 200
