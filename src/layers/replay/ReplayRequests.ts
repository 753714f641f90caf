/** The requests of a replayed session: what each contains and what came back is answered from the log. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/Optional.ts"
import { ProviderError, type ProviderReason } from "../../domain/provider/ProviderError.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { SessionSettings, Settled } from "../../domain/session/SessionEvent.ts"
import * as RecordedPrompt from "../../domain/context/RecordedPrompt.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as ToolSpec from "../../domain/tool/ToolSpec.ts"
import { ContextWindow, type RecordedTexts } from "../../services/ContextWindow.ts"
import { Provider } from "../../services/Provider.ts"
import * as ResolveSettings from "../agent/ResolveSettings.ts"
import * as BodyBytes from "../provider/BodyBytes.ts"
import * as CustomRoutes from "../provider/CustomRoutes.ts"
import { prepareWith } from "../provider/ProviderLive.ts"
import * as Recording from "./Recording.ts"
import { isConcurrent, type ReplayLog } from "./ReplayLog.ts"
import type { GetBlob } from "./ReplayLayers.ts"

const decoder = new TextDecoder()

/** The result of an attempt; a summary request ends with the compaction, a synthesis with its end event. */
type OutcomeEvent = Extract<
  Settled,
  { readonly _tag: "ContextCompacted" | "ModelFailed" | "ModelResponded" | "ModelRetrying" | "SynthesisEnded" }
>
const outcomeTags: ReadonlySet<Settled["_tag"]> = new Set([
  "ContextCompacted",
  "ModelFailed",
  "ModelResponded",
  "ModelRetrying",
  "SynthesisEnded"
])

const isUnknown = ({ reason }: ProviderError): boolean => reason._tag === "UnknownModel"

/** The digest of the next request to a model, as it was logged. */
const recordedRequest = ({ events }: ReplayLog, head: number, model: Model.Model, { purpose }: ModelRequest): string | undefined => {
  const tag = purpose === "summary" ? "SummaryRequested" : purpose === "synthesis" ? "SynthesisRequested" : "ModelRequested"
  const next = events.slice(head + 1).find(({ event }) => event._tag === tag && event.model === Model.title(model))?.event
  return next !== undefined && "request" in next ? next.request : undefined
}

/** The settings' description of the model of this name. */
const recordedModel = (settings: SessionSettings, name: string): Model.Model =>
  ResolveSettings.models(settings).find((one) => Model.nameWithEffort(one) === name) ?? settings.model

export const provider = (log: ReplayLog, getBlob: GetBlob) =>
  Layer.effect(
    Provider,
    Effect.gen(function*() {
      const live = yield* Provider
      /** The recording of a response. */
      const replayChunks = (recording: string | null) =>
        recording === null
          ? Stream.empty
          : Stream.fromIterableEffect(Effect.orDie(Effect.flatMap(getBlob(recording), (bytes) => Recording.decode("", bytes))))
      const error = (settings: SessionSettings["model"], message: string, reason: ProviderReason) =>
        new ProviderError({ provider: settings.provider, message, reason })
      return Provider.of({
        // The settings, the plugin or the program that named the provider may be gone, or name another wire: the recorded one counts.
        prepare: (model, request) =>
          Effect.flatMap(log.head, (head) => {
            const hasFailed = log.events[head + 1]?.event._tag === "TaskFailed"
            const encoder = hasFailed ? undefined : CustomRoutes.recordedEncoder(model)
            const prepared = encoder === undefined ? live.prepare(model, request)
              : Effect.map(encoder, (encoder) => prepareWith(encoder, model, request))
            return hasFailed ? prepared : Effect.catchIf(prepared, isUnknown, (error) => {
              const recorded = recordedRequest(log, head, model, request)
              if (recorded === undefined) return Effect.fail(error)
              log.programProviders.add(model.provider)
              return Effect.succeed(prepareWith({ encode: () => BodyBytes.ofDigest(recorded) }, model, request))
            })
          }),
        describe: (name) =>
          Effect.map(log.head, (head) => {
            const event = log.events[head + 1]?.event
            return event !== undefined && "settings" in event ? recordedModel(event.settings, name) : Model.unknown
          }),
        stream: ({ model, request }) =>
          Stream.unwrap(Effect.gen(function*() {
            const outcome = yield* log.answer(
              (event) => outcomeTags.has(event._tag) ? event as OutcomeEvent : undefined,
              request.purpose === "synthesis" ? isConcurrent : undefined
            )
            switch (outcome._tag) {
              case "ContextCompacted":
              case "SynthesisEnded":
                return outcome.recording === undefined
                  ? Stream.fail(error(model, outcome.failed ?? "", { _tag: "BadRequest" }))
                  : replayChunks(outcome.recording)
              case "ModelResponded":
                return replayChunks(outcome.recording)
              case "ModelRetrying":
                return Stream.concat(replayChunks(outcome.draft ?? null), Stream.fail(error(model, outcome.message, outcome.reason)))
              case "ModelFailed":
                return outcome.reason._tag === "Interrupted" || outcome.reason._tag === "Crashed" ? Stream.never : Stream.concat(
                  replayChunks(outcome.draft),
                  Stream.fail(
                    new ProviderError({
                      provider: outcome.provider,
                      message: outcome.message,
                      reason: outcome.reason,
                      ...optional({ status: outcome.status, requestId: outcome.requestId })
                    })
                  )
                )
            }
          }))
      })
    })
  )

/** The logged facts on which a request or a compaction was based. */
const factTags: ReadonlySet<Settled["_tag"]> = new Set(["ContextCompacted", "ContextPlanned", "FallbackTaken", "SummaryRequested"])
const hasFacts = (event: Settled): boolean =>
  factTags.has(event._tag) || event._tag === "TaskFailed" && (event.reason === "context" || event.reason === "provider")

export const context = (log: ReplayLog, getBlob: GetBlob) =>
  Layer.effect(
    ContextWindow,
    Effect.gen(function*() {
      const live = yield* ContextWindow
      const text = (hash: string) => Effect.orDie(Effect.map(getBlob(hash), (bytes) => decoder.decode(bytes)))
      const plannedAfter = (session: Session) => {
        const next = log.events.slice(session.seq + 1).find((at) => at.event._tag === "ContextPlanned" || log.isStart(at))?.event
        return next?._tag === "ContextPlanned" ? next : undefined
      }
      const factsAfter = (session: Session) => log.events.slice(session.seq + 1).find((at) => hasFacts(at.event) || log.isStart(at))?.event
      /** The texts of the next request; undefined if the log has none, because it is older or ended before. */
      const texts = Effect.fnUntraced(function*(session: Session) {
        const planned = plannedAfter(session)
        const { system = session.system, tools = session.tools } = planned ?? {}
        if (system === undefined || tools === undefined) return undefined
        return {
          system: yield* text(system),
          tools: yield* toolsOf(tools),
          ...optional({ current: planned?.current })
        } satisfies RecordedTexts
      })
      const lists = new Map<string, ReadonlyArray<ToolSpec.ToolSpec>>()
      const toolsOf = Effect.fnUntraced(function*(hash: string) {
        const specs = lists.get(hash) ?? (yield* Effect.orDie(Effect.flatMap(text(hash), ToolSpec.decode)))
        lists.set(hash, specs)
        return specs
      })
      return ContextWindow.of({
        weigh: (session, facts, model) => Effect.flatMap(texts(session), (recorded) => live.weigh(session, facts, model, recorded)),
        plan: live.plan,
        prompt: Effect.fnUntraced(function*(session, request, call) {
          const next = log.events.slice(session.seq + 1).find(({ event }) =>
            event._tag === "SummaryRequested" ? request.purpose === "summary" : event._tag === "SynthesisRequested" && event.call === call
          )?.event
          if (next === undefined || !("prompt" in next) || next.prompt === undefined) return request
          return { ...request, ...(yield* Effect.orDie(Effect.flatMap(text(next.prompt), RecordedPrompt.decode))) }
        }),
        report: live.report,
        include: ({ input: { session } }) =>
          Effect.sync(() => {
            const next = log.events[session.seq + 1]?.event
            return next?._tag === "ContextPlanned" ? next.included ?? [] : []
          }),
        gather: (session) =>
          log.answer((event) => {
            // A request that did not fit has no plan of its own: its facts are those of the larger model's. Before a compaction
            // that hooks precede, facts are gathered twice and logged once.
            const source = event._tag === "FallbackTaken" ? plannedAfter(session) ?? event
              : isCompactionHook(event) ? factsAfter(session) ?? event
              : event
            return hasFacts(event) || isCompactionHook(event)
              ? FactsChange.merge(session.facts, "facts" in source ? source.facts : undefined) : undefined
          })
      })
    })
  )

/** Hooks that run once a request has turned out to be too large. */
const isCompactionHook = (event: Settled): boolean => event._tag === "HookRan" && event.hook === "PreCompact"
