/** The agent for programs without Effect: promises, async iterables and abort signals over the live composition. */
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ImageError } from "../domain/message/ImageError.ts"
import * as UserMessage from "../domain/message/UserMessage.ts"
import * as Model from "../domain/provider/Model.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Delivery, Followed } from "../domain/session/SessionEvent.ts"
import * as FileKind from "../domain/workspace/FileKind.ts"
import { Agent, type RewindOptions, type SessionOptions, type RewindResult } from "../services/Agent.ts"
import type { ProviderKey } from "../services/Keys.ts"
import type { Route } from "../services/Route.ts"
import { Bare, SettingsSnapshot } from "../services/Settings.ts"
import type { Shell } from "../services/Shell.ts"
import { Storage } from "../services/Storage.ts"
import type * as Tool from "../services/Tool.ts"
import type { Workspace } from "../services/Workspace.ts"
import * as Callbacks from "./Callbacks.ts"
import * as CheckOptions from "./CheckOptions.ts"
import * as Composition from "./Composition.ts"
import * as Live from "./Live.ts"
import { builtin as providers } from "./provider/builtin.ts"
import * as EnvironmentLive from "./settings/EnvironmentLive.ts"
import * as Digest from "./storage/Digest.ts"

/**
 * - `cwd`: the folder to work in, absolute. `model`: `provider/model`.
 * - `approve` decides on what no rule allows: `"allow"`, `"deny"` or an Answer, such as `{ decision: "deny", words: "Use npm ci." }`; by
 *   default it is denied.
 * - `answer` answers a question of the model; if it is absent or returns undefined, the run is headless.
 * - `apiKey` is the key of the model's provider, in place of the environment's and the saved one.
 * - `storage`: `"memory"` saves no sessions; by default they are in the user's store. `home` is the folder of all that is
 *   saved, like DACAPO_HOME. `bare`: without the settings, rules, skills and MCP servers of the machine's user.
 * - `shell` runs the commands: a function, or a layer. `workspace` is a layer with the files.
 */
export interface AgentOptions extends SessionOptions, Pick<Live.Defaults, "baseUrl" | "mcpServers" | "routes" | "sandbox"> {
  readonly tools?: ReadonlyArray<Tool.Any<Composition.Below<"toolset">>>
  readonly approve?: Callbacks.Approve
  readonly answer?: Callbacks.AnswerQuestion
  readonly apiKey?: string
  readonly storage?: "memory" | Layer.Layer<Storage, unknown, Composition.Below<"storage">>
  readonly shell?: Callbacks.RunCommand | Layer.Layer<Shell, unknown, Composition.Below<"shell">>
  readonly workspace?: Layer.Layer<Workspace, unknown, Composition.Below<"workspace">>
  readonly home?: string
  readonly bare?: boolean
}

/**
 * How a task ended. `result` is its outcome, or why it failed; `cost` in USD and `usage` in tokens are the session's.
 * `value` is the outcome as the run's schema decodes it; absent without a schema, or if the task did not finish.
 */
export interface RunResult<A = never> extends Pick<Session, "cost" | "usage"> {
  readonly state: Session["task"]["state"]
  readonly result: string
  readonly turns: number
  readonly value?: A
}

/** No response conformed to the schema, although the model was asked to correct it. */
export class ResultError extends Data.TaggedError("ResultError")<{ readonly message: string; readonly result: string }> {}

/** The agent was closed before or while its promise was pending. */
export class ClosedError extends Data.TaggedError("ClosedError")<{ readonly message: string; readonly cause: unknown }> {}

/** How one task runs. */
export interface RunOptions {
  /** Interrupts the task, which then ends as `interrupted`: every call has an outcome and no process is left. */
  readonly signal?: AbortSignal
  /** Images that belong to the prompt: the bytes of PNG, JPEG, GIF or WebP files. */
  readonly images?: ReadonlyArray<Uint8Array>
}

/** One conversation. Its promises reject with the agent's typed errors, which carry a `_tag` and a sentence. */
export interface AgentSession {
  readonly id: string
  /**
   * Runs a task to its end; while another one runs, it waits for that. With a `schema` the result is JSON that it
   * decodes: an invalid result is corrected by the model, and rejects with a ResultError after three corrections.
   */
  readonly run: <A = never>(
    prompt: string,
    options?: RunOptions & { readonly schema?: Schema.Codec<A, unknown> }
  ) => Promise<RunResult<A>>
  /** Runs a task, after those that run already, and yields its events as they come; leaving the loop early interrupts it. */
  readonly stream: (prompt: string, options?: RunOptions) => AsyncGenerator<Followed, RunResult, void>
  /** Steers the running task, or waits for its end. */
  readonly say: (text: string, delivery: Exclude<Delivery, "task">) => Promise<void>
  readonly interrupt: (why: string) => Promise<void>
  /** Rewinds to the moment after event `to`: the files, the conversation, or both (the default). Another rewind can undo it. */
  readonly rewind: (options: Pick<RewindOptions, "to"> & Partial<RewindOptions>) => Promise<RewindResult>
  /** A new session that begins with this one's events up to `at` (default: its last); the files stay as they are. */
  readonly fork: (at?: number) => Promise<AgentSession>
  /** The current state of the session. */
  readonly state: () => Promise<Session>
}

/** The agent without Effect: its services live until it is closed. */
export interface PromiseAgent extends AsyncDisposable {
  /** A new session; with an id, that one resumed, its unfinished task left as it is. */
  readonly session: (id?: string) => Promise<AgentSession>
  /** Interrupts whatever runs and closes everything. */
  readonly close: () => Promise<void>
}

/**
 * An agent for programs without Effect.
 *
 * ```ts
 * await using agent = createAgent({ cwd: process.cwd(), model: "anthropic/claude-sonnet-4-6", mode: "acceptEdits" })
 * const session = await agent.session()
 * const { result, cost } = await session.run("Why does the build fail?")
 * ```
 */
export const createAgent = (agentOptions: AgentOptions): PromiseAgent => {
  const problem = CheckOptions.problem(agentOptions)
  if (problem !== undefined) throw new TypeError(problem)
  const { answer, apiKey, approve, bare, baseUrl, home, mcpServers, routes, sandbox, shell, storage, tools, workspace, ...sessionOptions } =
    agentOptions
  const key = apiKey === undefined ? undefined : keyOf(sessionOptions.model, apiKey)
  const live = Live.layer({
    roots: [sessionOptions.cwd],
    approver: Callbacks.approver(approve, answer),
    environment: EnvironmentLive.layerWith({
      ...(home === undefined ? {} : { DACAPO_HOME: home }),
      ...(key === undefined ? {} : keyVariable([...providers, ...routes ?? []], key))
    }),
    ...(key === undefined || Redacted.value(key.key) === "" ? {} : { apiKey: key }),
    ...(bare === true ? { settings: memorySettings } : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(routes === undefined ? {} : { routes }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(shell === undefined ? {} : { shell: typeof shell === "function" ? Callbacks.shell(shell) : shell }),
    ...(storage === undefined ? {} : { storage: storage === "memory" ? memoryStorage : storage }),
    ...(tools === undefined ? {} : { tools }),
    ...(workspace === undefined ? {} : { workspace })
  })
  // The standard output is the program's.
  const references = Layer.merge(Layer.succeed(Bare, bare === true), Layer.succeed(References.LogToStderr, true))
  const managed = ManagedRuntime.make(Layer.provideMerge(live, references))
  let isClosed = false
  const close = () => {
    isClosed = true
    return managed.dispose()
  }
  const orClosed = <A>(promise: Promise<A>): Promise<A> =>
    promise.catch((error: unknown) => {
      throw isClosed ? new ClosedError({ message: "The agent is closed.", cause: error }) : error
    })
  const runtime: Runtime = {
    context: () => orClosed(managed.context()),
    runPromise: (effect) => orClosed(managed.runPromise(effect))
  }
  const sessions = new Map<string, AgentSession>()
  const open = (id: string): AgentSession => {
    const existing = sessions.get(id)
    if (existing !== undefined) return existing
    const opened = session({ runtime, sessionOptions, open, id })
    sessions.set(id, opened)
    return opened
  }
  /** A mistake in the settings of providers would show as a missing model, or not at all. */
  const checkProviders = Effect.gen(function*() {
    const { providers } = yield* SettingsSnapshot
    const { fault } = yield* Effect.promise(() => import("./provider/CustomRoutes.ts"))
    yield* fault(providers, routes) ?? Effect.void
  })
  return {
    session: async (id) => {
      if (id !== undefined && typeof id !== "string") throw new TypeError("The id of a session must be a text.")
      await runtime.runPromise(checkProviders)
      if (id === undefined) return open(await runtime.runPromise(Effect.flatMap(Agent, (agent) => agent.start(sessionOptions))))
      await runtime.runPromise(Effect.flatMap(Agent, (agent) => agent.resume(id, { overrides: sessionOptions, shouldContinue: false })))
      return open(id)
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

/** The agent's services. Its promises reject with a ClosedError once the agent is closed. */
interface Runtime {
  readonly context: () => Promise<Context.Context<Composition.All>>
  readonly runPromise: <A, E>(effect: Effect.Effect<A, E, Composition.All>) => Promise<A>
}

/** What a session of an agent is made of. */
interface SessionParts {
  readonly runtime: Runtime
  readonly sessionOptions: SessionOptions
  readonly open: (id: string) => AgentSession
  readonly id: string
}

const session = ({ id, open, runtime, sessionOptions }: SessionParts): AgentSession => {
  const withAgent = <A, F>(use: (agent: Agent["Service"]) => Effect.Effect<A, F>): Promise<A> =>
    runtime.runPromise(Effect.flatMap(Agent, use))

  /** Settled when no task runs and none waits. */
  let lastRun: Promise<unknown> = Promise.resolve()

  /** Runs what sends prompts after the runs before it: none begins until it has ended. */
  const inTurn = async function*<A>(method: "run" | "stream", options: RunOptions, tasks: () => AsyncGenerator<Followed, A, void>) {
    const problem = CheckOptions.runProblem(method, options)
    if (problem !== undefined) throw new TypeError(problem)
    const { signal } = options
    signal?.throwIfAborted()
    const previousRun = lastRun
    const ended = Promise.withResolvers<void>()
    lastRun = Promise.all([previousRun, ended.promise])
    try {
      await (signal === undefined ? previousRun : Promise.race([previousRun, rejection(signal)]))
      return yield* tasks()
    } finally {
      ended.resolve()
    }
  }

  const runTask = async function*(prompt: string, { images = [], signal }: RunOptions) {
    if (typeof prompt !== "string" || (prompt.trim() === "" && images.length === 0)) throw new TypeError("The prompt must be a text.")
    const attachments = await runtime.runPromise(Effect.forEach(images, storeImage))
    const { taskEvents } = await import("./TaskEvents.ts")
    const { seq } = await withAgent((agent) => agent.state(id))
    const stop = () => withAgent((agent) => agent.interrupt(id, "Aborted by the calling program."))
    // If it fails, so does the task, whose promise rejects.
    const onAbort = () => void stop().catch(() => {})
    signal?.addEventListener("abort", onAbort, { once: true })
    let isFinished = false
    try {
      await withAgent((agent) => agent.say(id, [prompt, ...attachments].join(" "), "task"))
      // Aborted before there was a task to interrupt.
      if (signal?.aborted === true) await stop()
      for await (const item of taskEvents(id, seq + 1, await runtime.context())) {
        yield item
        isFinished = isEnd(item)
        if (isFinished) break
      }
      isFinished = true
      return runResult(await withAgent((agent) => agent.settled(id)))
    } finally {
      signal?.removeEventListener("abort", onAbort)
      if (!isFinished) await stop()
    }
  }

  /** A task whose result a schema decodes, and those in which the model corrects it. */
  const runDecoded = async function*<A>(prompt: string, schema: Schema.Codec<A, unknown>, options: RunOptions) {
    const StructuredResult = await import("../domain/session/StructuredResult.ts")
    const document = Schema.toJsonSchemaDocument(schema)
    const decode = Schema.decodeUnknownResult(Schema.toCodecJson(schema))
    const instructions = StructuredResult.instructions({ ...document.schema, $defs: document.definitions })
    let result = yield* runTask(`${prompt}\n\n${instructions}`, options)
    for (let retries = 0; result.state === "finished"; retries++) {
      const decoded = Result.flatMap(
        StructuredResult.parse(result.result),
        (value) => Result.mapError(decode(value), ({ message }) => message.replaceAll("\n", " "))
      )
      if (Result.isSuccess(decoded)) return { ...result, value: decoded.success }
      if (retries === StructuredResult.maxRetries)
        throw new ResultError({ message: `The result does not conform to the schema: ${decoded.failure}.`, result: result.result })
      result = yield* runTask(StructuredResult.correctionPrompt(decoded.failure), { ...options, images: [] })
    }
    return result
  }

  const stream: AgentSession["stream"] = (prompt, options = {}) => inTurn("stream", options, () => runTask(prompt, options))

  const run: AgentSession["run"] = async <A>(
    prompt: string,
    options: RunOptions & { readonly schema?: Schema.Codec<A, unknown> } = {}
  ): Promise<RunResult<A>> => {
    const events = inTurn<RunResult<A>>(
      "run",
      options,
      () => options.schema === undefined ? runTask(prompt, options) : runDecoded(prompt, options.schema, options)
    )
    for (let next = await events.next();; next = await events.next()) if (next.done === true) return next.value
  }

  return {
    id,
    stream,
    run,
    say: async (text, delivery) => {
      if (typeof text !== "string") throw new TypeError("The message must be a text.")
      await withAgent((agent) => agent.say(id, text, delivery))
    },
    interrupt: (why) => withAgent((agent) => agent.interrupt(id, why)),
    rewind: (options) => withAgent((agent) => agent.rewind(id, { files: true, conversation: true, remove: [], ...options })),
    fork: async (at) =>
      open(await withAgent((agent) => agent.fork(id, { overrides: sessionOptions, ...(at === undefined ? {} : { at }) }))),
    state: () => withAgent((agent) => agent.state(id))
  }
}

/** Rejects when the signal is aborted. */
const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))

/** Stores an image for its mention in a prompt. What no model could be shown is an error, before a task begins. */
const storeImage = Effect.fnUntraced(function*(original: Uint8Array) {
  const kind = original instanceof Uint8Array ? FileKind.of("", original) : undefined
  if (kind?._tag !== "Image")
    return yield* new ImageError({ reason: "Damaged", message: "An image in the prompt is not a PNG, JPEG, GIF or WebP file." })
  const { fit } = yield* Effect.promise(() => import("./image/FitImage.ts"))
  const { bytes } = yield* fit({ bytes: original, mediaType: kind.mediaType })
  const { putBlob } = yield* Storage
  const blob = Digest.sha256(bytes)
  yield* putBlob(blob, bytes)
  return `@${UserMessage.path(blob)}`
})

const keyOf = (model: string, apiKey: string): ProviderKey => {
  const { provider } = Model.parseName(model)
  return { provider, key: Redacted.make(apiKey.trim(), { label: provider }) }
}

/** The variable in which others that use the model's provider, such as the web search, look for its key first. */
const keyVariable = (routes: ReadonlyArray<Route>, { key, provider }: ProviderKey): Readonly<Record<string, string>> => {
  const name = routes.findLast((route) => route.name === provider)?.keys[0]
  return name === undefined ? {} : { [name]: Redacted.value(key) }
}

const memorySettings = Composition.lazy(() => import("./settings/MemorySettings.ts").then(({ layer }) => layer()))
const memoryStorage = Composition.lazy(() => import("./storage/MemoryStorage.ts").then(({ layer }) => layer))
const endTags: ReadonlySet<string> = new Set(["TaskFinished", "TaskFailed", "Interrupted"])
const isEnd = (item: Followed): boolean => item._tag === "Settled" && endTags.has(item.at.event._tag)

const runResult = ({ cost, task: { result, state, turns }, usage }: Session): RunResult => ({ state, result, turns, cost, usage })
