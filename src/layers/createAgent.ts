/** The agent for programs without Effect: promises, async iterables and abort signals over the live composition. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { Session } from "../domain/session/Session.ts"
import type { Delivery, Followed } from "../domain/session/SessionEvent.ts"
import { Agent, type Back, type Wanted, type WentBack } from "../services/Agent.ts"
import { type Answer, Approver, type Question } from "../services/Approver.ts"
import * as Live from "./Live.ts"

/**
 * - `cwd`: the folder to work in, absolute. `model`: `provider/model`.
 * - `approve` answers what no rule allows: `"allow"`, `"deny"` or a whole Answer; left out, it is denied.
 * - `answer` answers a question of the model; left out or undefined, nobody is there.
 */
export interface AgentOptions extends Wanted, Pick<Live.Options<never, never>, "baseUrl" | "mcpServers" | "routes" | "tools"> {
  readonly approve?: (question: Question, signal: AbortSignal) => Decision | Promise<Decision>
  readonly answer?: (question: string, options: ReadonlyArray<string>, signal: AbortSignal) => string | undefined | Promise<string | undefined>
}

/** A decision for this once, or a whole answer. */
export type Decision = Answer["decision"] | Answer

/** How a task ended. `result` is what it came to, or why it failed; `cost` in USD and `usage` in tokens are the session's. */
export interface Ended extends Pick<Session, "cost" | "usage"> {
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
  readonly run: (prompt: string, options?: RunOptions) => Promise<Ended>
  /** Runs a task and gives its events as they come; leaving the loop early interrupts the task. */
  readonly stream: (prompt: string, options?: RunOptions) => AsyncGenerator<Followed, Ended, void>
  /** Steers the running task, or waits for its end. */
  readonly say: (text: string, delivery: Exclude<Delivery, "task">) => Promise<void>
  readonly interrupt: (why: string) => Promise<void>
  /** Back to the moment after event `to`: the files, the conversation, or both (left out: both). Can be undone by another. */
  readonly rewind: (back: Pick<Back, "to"> & Partial<Back>) => Promise<WentBack>
  /** A new session that begins with this one's events up to `at` (its last); its files stay where they are. */
  readonly fork: (at?: number) => Promise<AgentSession>
  /** What the session has come to. */
  readonly state: () => Promise<Session>
}

/** The agent without Effect: its services live until it is closed. */
export interface PromiseAgent extends AsyncDisposable {
  /** A new session; with an id that one again, its unfinished task left as it is. */
  readonly session: (id?: string) => Promise<AgentSession>
  /** Interrupts what runs, closes everything. */
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
export const createAgent = ({ answer, approve, baseUrl, mcpServers, routes, tools, ...wanted }: AgentOptions): PromiseAgent => {
  const runtime = ManagedRuntime.make(Live.layer({
    roots: [wanted.cwd],
    approver: approver(approve, answer),
    ...(tools === undefined ? {} : { tools }),
    ...(routes === undefined ? {} : { routes }),
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(baseUrl === undefined ? {} : { baseUrl })
  }))
  const close = () => runtime.dispose()
  return {
    session: async (id) => {
      if (id === undefined) return session(runtime, wanted, await runtime.runPromise(Effect.flatMap(Agent, (agent) => agent.start(wanted))))
      await runtime.runPromise(Effect.flatMap(Agent, (agent) => agent.resume(id, { wanted, goOn: false })))
      return session(runtime, wanted, id)
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

const session = <E>(runtime: ManagedRuntime.ManagedRuntime<Agent, E>, wanted: Wanted, id: string): AgentSession => {
  const ask = <A, F>(use: (agent: Agent["Service"]) => Effect.Effect<A, F>): Promise<A> => runtime.runPromise(Effect.flatMap(Agent, use))

  const stream: AgentSession["stream"] = async function*(prompt, { signal } = {}) {
    signal?.throwIfAborted()
    const { seq } = await ask((agent) => agent.state(id))
    const stop = () => ask((agent) => agent.interrupt(id, "The program that runs it aborted it."))
    signal?.addEventListener("abort", stop, { once: true })
    let over = false
    try {
      const events = Stream.unwrap(Effect.map(Agent, (agent) => agent.follow(id, seq + 1)))
      await ask((agent) => agent.say(id, prompt, "task"))
      for await (const followed of Stream.toAsyncIterableWith(events, await runtime.context())) {
        yield followed
        over = isEnd(followed)
        if (over) break
      }
      return ended(await ask((agent) => agent.settled(id)))
    } finally {
      signal?.removeEventListener("abort", stop)
      if (!over) await stop()
    }
  }

  return {
    id,
    stream,
    run: async (prompt, options) => {
      const events = stream(prompt, options)
      for (let next = await events.next();; next = await events.next()) if (next.done === true) return next.value
    },
    say: (text, delivery) => ask((agent) => agent.say(id, text, delivery)),
    interrupt: (why) => ask((agent) => agent.interrupt(id, why)),
    rewind: (back) => ask((agent) => agent.rewind(id, { files: true, conversation: true, remove: [], ...back })),
    fork: async (at) => session(runtime, wanted, await ask((agent) => agent.fork(id, { wanted, ...(at === undefined ? {} : { at }) }))),
    state: () => ask((agent) => agent.state(id))
  }
}

const ends: ReadonlySet<string> = new Set(["TaskFinished", "TaskFailed", "Interrupted"])
const isEnd = (followed: Followed): boolean => followed._tag === "Settled" && ends.has(followed.at.event._tag)

const ended = ({ cost, task: { result, state, turns }, usage }: Session): Ended => ({ state, result, turns, cost, usage })

const approver = (approve: AgentOptions["approve"] = () => "deny", answer: AgentOptions["answer"] = () => undefined) =>
  Layer.succeed(Approver, {
    ask: (question) =>
      Effect.map(
        Effect.promise(async (signal) => approve(question, signal)),
        (said): Answer => typeof said === "string" ? { decision: said, scope: "once", by: "user" } : said
      ),
    question: (text, options) =>
      Effect.map(
        Effect.promise(async (signal) => answer(text, options, signal)),
        (words) => words === undefined ? { by: "nobody" } : { by: "user", words }
      )
  })
