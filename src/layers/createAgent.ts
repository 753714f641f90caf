/** The agent for programs without Effect: promises, async iterables and abort signals over the live composition. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { Session } from "../domain/session/Session.ts"
import type { Delivery, Followed } from "../domain/session/SessionEvent.ts"
import { Agent, type RewindOptions, type SessionOptions, type RewindResult } from "../services/Agent.ts"
import { type Answer, Approver, type Question } from "../services/Approver.ts"
import type * as Tool from "../services/Tool.ts"
import type * as Composition from "./Composition.ts"
import * as Live from "./Live.ts"

/**
 * - `cwd`: the folder to work in, absolute. `model`: `provider/model`.
 * - `approve` decides on what no rule allows: `"allow"`, `"deny"` or a complete Answer; by default it is denied.
 * - `answer` answers a question of the model; if it is absent or returns undefined, the run is headless.
 */
export interface AgentOptions extends SessionOptions, Pick<Live.Defaults, "baseUrl" | "mcpServers" | "routes"> {
  readonly tools?: ReadonlyArray<Tool.Any<Composition.Below<"toolset">>>
  readonly approve?: (question: Question, signal: AbortSignal) => Decision | Promise<Decision>
  readonly answer?: (
    question: string,
    options: ReadonlyArray<string>,
    signal: AbortSignal
  ) => string | undefined | Promise<string | undefined>
}

/** A decision for this once, or a complete answer. */
export type Decision = Answer["decision"] | Answer

/** How a task ended. `result` is its outcome, or why it failed; `cost` in USD and `usage` in tokens are the session's. */
export interface RunResult extends Pick<Session, "cost" | "usage"> {
  readonly state: Session["task"]["state"]
  readonly result: string
  readonly turns: number
}

/** How one task runs. */
export interface RunOptions {
  /** Interrupts the task, which then ends as `interrupted`: every call has an outcome and no process is left. */
  readonly signal?: AbortSignal
}

/** One conversation. Its promises reject with the agent's typed errors, which carry a `_tag` and a sentence. */
export interface AgentSession {
  readonly id: string
  /** Runs a task to its end. */
  readonly run: (prompt: string, options?: RunOptions) => Promise<RunResult>
  /** Runs a task and yields its events as they come; leaving the loop early interrupts the task. */
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
export const createAgent = ({ answer, approve, baseUrl, mcpServers, routes, tools, ...sessionOptions }: AgentOptions): PromiseAgent => {
  const runtime = ManagedRuntime.make(Live.layer({
    roots: [sessionOptions.cwd],
    approver: approver(approve, answer),
    ...(tools === undefined ? {} : { tools }),
    ...(routes === undefined ? {} : { routes }),
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(baseUrl === undefined ? {} : { baseUrl })
  }))
  const close = () => runtime.dispose()
  return {
    session: async (id) => {
      if (id === undefined)
        return session(
          runtime,
          sessionOptions,
          await runtime.runPromise(Effect.flatMap(Agent, (agent) => agent.start(sessionOptions)))
        )
      await runtime.runPromise(Effect.flatMap(Agent, (agent) => agent.resume(id, { overrides: sessionOptions, shouldContinue: false })))
      return session(runtime, sessionOptions, id)
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

const session = <E>(runtime: ManagedRuntime.ManagedRuntime<Agent, E>, sessionOptions: SessionOptions, id: string): AgentSession => {
  const withAgent = <A, F>(use: (agent: Agent["Service"]) => Effect.Effect<A, F>): Promise<A> =>
    runtime.runPromise(Effect.flatMap(Agent, use))

  const stream: AgentSession["stream"] = async function*(prompt, { signal } = {}) {
    signal?.throwIfAborted()
    const { seq } = await withAgent((agent) => agent.state(id))
    const stop = () => withAgent((agent) => agent.interrupt(id, "Aborted by the calling program."))
    signal?.addEventListener("abort", stop, { once: true })
    let isFinished = false
    try {
      const events = Stream.unwrap(Effect.map(Agent, (agent) => agent.follow(id, seq + 1)))
      await withAgent((agent) => agent.say(id, prompt, "task"))
      for await (const item of Stream.toAsyncIterableWith(events, await runtime.context())) {
        yield item
        isFinished = isEnd(item)
        if (isFinished) break
      }
      return runResult(await withAgent((agent) => agent.settled(id)))
    } finally {
      signal?.removeEventListener("abort", stop)
      if (!isFinished) await stop()
    }
  }

  return {
    id,
    stream,
    run: async (prompt, options) => {
      const events = stream(prompt, options)
      for (let next = await events.next();; next = await events.next()) if (next.done === true) return next.value
    },
    say: (text, delivery) => withAgent((agent) => agent.say(id, text, delivery)),
    interrupt: (why) => withAgent((agent) => agent.interrupt(id, why)),
    rewind: (options) => withAgent((agent) => agent.rewind(id, { files: true, conversation: true, remove: [], ...options })),
    fork: async (at) =>
      session(
        runtime,
        sessionOptions,
        await withAgent((agent) => agent.fork(id, { overrides: sessionOptions, ...(at === undefined ? {} : { at }) }))
      ),
    state: () => withAgent((agent) => agent.state(id))
  }
}

const endTags: ReadonlySet<string> = new Set(["TaskFinished", "TaskFailed", "Interrupted"])
const isEnd = (item: Followed): boolean => item._tag === "Settled" && endTags.has(item.at.event._tag)

const runResult = ({ cost, task: { result, state, turns }, usage }: Session): RunResult => ({ state, result, turns, cost, usage })

const approver = (approve: AgentOptions["approve"] = () => "deny", answer: AgentOptions["answer"] = () => undefined) =>
  Layer.succeed(Approver, {
    ask: (question) =>
      Effect.map(
        Effect.promise(async (signal) => approve(question, signal)),
        (decision): Answer => typeof decision === "string" ? { decision: decision, scope: "once", by: "user" } : decision
      ),
    question: (text, options) =>
      Effect.map(
        Effect.promise(async (signal) => answer(text, options, signal)),
        (reply) => reply === undefined ? { by: "nobody" } : { by: "user", text: reply }
      )
  })
