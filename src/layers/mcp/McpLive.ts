/** The servers of this process: started when they are first needed, one of each, ended with this layer. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import * as Definition from "../../domain/mcp/Definition.ts"
import { McpError } from "../../domain/mcp/McpError.ts"
import type { Offer } from "../../domain/mcp/Offer.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Approval } from "../../services/Approval.ts"
import type { Approver } from "../../services/Approver.ts"
import type { Budget } from "../../services/Budget.ts"
import type { EventLog } from "../../services/EventLog.ts"
import type { Ids } from "../../services/Ids.ts"
import type { Provider } from "../../services/Provider.ts"
import { Environment } from "../../services/Environment.ts"
import { KeptFiles } from "../../services/KeptFiles.ts"
import { type Known, Mcp } from "../../services/Mcp.ts"
import { Settings } from "../../services/Settings.ts"
import type { Storage } from "../../services/Storage.ts"
import type { Trust } from "../../services/Trust.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as ProcessTree from "../workspace/ProcessTree.ts"
import * as Answers from "./Answers.ts"
import * as Definitions from "./Definitions.ts"
import * as Logins from "./Logins.ts"
import * as Permit from "./Permit.ts"
import * as Requests from "./Requests.ts"
import * as Sample from "./Sample.ts"
import * as Slot from "./Slot.ts"

/** `servers` stand beside those of settings and project, as if the user had written them there. */
export interface Options {
  readonly servers?: Readonly<Record<string, Schema.Json>>
}

/** ms that a person has to log in. */
const loginMs = 10 * 60_000

type Needs = Approval | Approver | Budget | EventLog | Ids | Provider | Environment | KeptFiles | Settings | Storage | Trust | Workspace

/** A model is asked for a call that a session made, and for nothing else. */
const sampled = (server: string, session: string | undefined, asked: Sample.Asked) =>
  session === undefined
    ? Effect.fail(new McpError({ server, reason: "Unwanted", message: "may not ask the model: no call of a session is open there" }))
    : Sample.sample(server, session, asked)

export const layer = ({ servers = {} }: Options = {}): Layer.Layer<never, never, Needs> => Layer.effect(Mcp, Effect.gen(function*() {
  const { variables } = yield* Environment
  const services = yield* Effect.context<Needs>()
  const { roots } = yield* Workspace
  // Closed side by side: one that takes its time holds up none.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const slots = new Map<string, Slot.Slot>()
  const making = yield* Semaphore.make(1)
  const asking = yield* Semaphore.make(1)
  /** What was said about starting a server: nobody is asked twice for the same command. */
  const answers = new Map<string, string | undefined>()
  /** Notes that a session was told. */
  const told = new Set<string>()
  const outer = variables[ProcessTree.variable]
  let started = 0
  const marker = () => [...(outer === undefined ? [] : [outer]), `${ProcessTree.owner()}.mcp${++started}`].join("/")

  const load = (cwd: string) => Effect.provide(Definitions.load(cwd, servers), services)

  /** The slot of a server as it is written down now; another one where that has changed. */
  const slotOf = (cwd: string, { definition }: Known, timeouts: Definitions.Loaded["timeouts"]) =>
    Effect.suspend(() => {
      const key = JSON.stringify([cwd, definition])
      const known = slots.get(key)
      if (known !== undefined) return Effect.succeed(known)
      const callers: Array<string> = []
      const prepare = Answers.prepare({
        server: definition.name,
        roots,
        run: (effect, signal) => Effect.runPromiseWith(services)(effect, { signal }),
        sample: (asked) => Effect.provide(sampled(definition.name, callers.at(-1), asked), services)
      })
      return Slot.make(
        { definition, cwd, variables, connectMs: definition.connectTimeout ?? timeouts.connect, capabilities: Answers.capabilities, prepare, login: (url) => Effect.provide(Logins.kept(definition, url), services) },
        { callMs: definition.timeout ?? timeouts.call, callers, marker }
      ).pipe(Scope.provide(scope), Effect.tap((slot) => Effect.sync(() => slots.set(key, slot))))
    }).pipe(making.withPermits(1))

  const asked = (session: string, { definition }: Known) => JSON.stringify([session, definition])

  const permitted = (known: Known, session: Session) =>
    Effect.suspend(() => {
      // What was said to a session holds for those that it starts.
      const key = asked(session.parent ?? session.id, known)
      const answer = answers.has(key) ? Effect.succeed(answers.get(key)) : Effect.provide(Permit.refusal(known, session), services)
      return Effect.tap(answer, (refusal) => Effect.sync(() => answers.set(key, refusal).set(asked(session.id, known), refusal)))
    }).pipe(asking.withPermits(1))

  /** What one server gives now, or what is to be told of it. */
  const given = Effect.fnUntraced(function*(slot: Slot.Slot) {
    if (yield* slot.resting) return Result.succeed(slot.last())
    return yield* Effect.result(Effect.flatMap(slot.connected, ({ given }) => given))
  })

  const renewed = Effect.fn("Mcp.renewed")(function*(session: Session) {
    const loaded = yield* Effect.result(load(session.cwd))
    if (Result.isFailure(loaded)) return undefined // settings that can't be read are told where they are needed
    const { notes, servers, timeouts } = loaded.success
    const news: Array<string> = [...notes]
    const wanted: Array<Slot.Slot> = []
    for (const known of servers.filter(({ definition }) => !definition.disabled)) {
      const refusal = yield* permitted(known, session)
      if (refusal === undefined) wanted.push(yield* slotOf(session.cwd, known, timeouts))
      else news.push(`The MCP server ${known.definition.name} is not started: ${refusal}.`)
    }
    const all = yield* Effect.forEach(wanted, given, { concurrency: "unbounded" })
    const found = all.flatMap((one) => Result.isSuccess(one) && one.success !== undefined ? [one.success] : [])
    news.push(...all.flatMap((one) => Result.isFailure(one) ? [`The MCP server ${one.failure.server} ${one.failure.message}. Its tools are not there.`] : []))
    const offer: Offer = { servers: found.map(({ server }) => server), tools: found.flatMap(({ tools }) => tools) }
    const untold = news.filter((note) => !told.has(`${session.parent ?? session.id} ${note}`))
    untold.forEach((note) => told.add(`${session.parent ?? session.id} ${note}`))
    return untold.length === 0 && JSON.stringify(offer) === JSON.stringify(session.offer) ? undefined : { offer, notes: untold }
  })

  /** A server by its name. */
  const named = Effect.fnUntraced(function*(cwd: string, name: string) {
    const { servers, timeouts } = yield* load(cwd)
    const known = servers.find(({ definition }) => definition.name === name)
    if (known !== undefined) return { known, timeouts }
    const others = servers.map(({ definition }) => definition.name).join(", ")
    return yield* new McpError({ server: name, reason: "Unknown", message: `is not there. ${others === "" ? "No MCP server is set up here" : `The servers are ${others}`}` })
  })

  /** A server at an address, its variables filled in. */
  const remote = Effect.fnUntraced(function*(cwd: string, name: string) {
    const { known: { definition } } = yield* named(cwd, name)
    const transport = Definition.filled(definition.transport, variables)
    if (Result.isFailure(transport)) return yield* new McpError({ server: name, reason: "NotStarted", message: `can't be reached: ${transport.failure}` })
    if (transport.success._tag === "Stdio") return yield* new McpError({ server: name, reason: "Unwanted", message: "is started here: there is nothing to log in to" })
    return { definition, transport: transport.success }
  })

  const found = (cwd: string, known: Known, timeouts: Definitions.Loaded["timeouts"]): Effect.Effect<Requests.Found> =>
    Effect.map(slotOf(cwd, known, timeouts), (slot) => ({ slot, callMs: known.definition.timeout ?? timeouts.call }))

  const may = (session: string, known: Known): boolean => answers.has(asked(session, known)) && answers.get(asked(session, known)) === undefined

  const running: Requests.Asked = {
    find: Effect.fnUntraced(function*(cwd, session, name) {
      const { known, timeouts } = yield* Effect.catchTag(named(cwd, name), "SettingsError", ({ message }) =>
        new McpError({ server: name, reason: "Unwanted", message: `can't be used: ${message}` }))
      if (!may(session, known)) return yield* new McpError({ server: name, reason: "Unwanted", message: "was not allowed to start" })
      return yield* found(cwd, known, timeouts)
    }),
    all: (cwd, session) =>
      Effect.flatMap(
        Effect.orElseSucceed(load(cwd), () => ({ servers: [], notes: [], timeouts: { connect: 0, call: 0 } }) satisfies Definitions.Loaded),
        ({ servers, timeouts }) => Effect.forEach(servers.filter((known) => may(session, known)), (known) => found(cwd, known, timeouts))
      )
  }

  /** Prompts with the server that has each. */
  const prompts = Effect.fnUntraced(function*(cwd: string, session: string) {
    const all = yield* running.all(cwd, session)
    const each = yield* Effect.forEach(all, ({ slot }) =>
      slot.connected.pipe(
        Effect.flatMap((connected) => Effect.map(Requests.prompts(slot, connected), (prompts) => prompts.map((prompt) => ({ prompt, slot, connected })))),
        Effect.orElseSucceed(() => [])
      ), { concurrency: "unbounded" })
    return each.flat()
  })

  return {
    ...Requests.make(running, services),
    renewed,
    write: Effect.fn("Mcp.write")(function*(cwd, where, name, entry) {
      if (where === "user") return yield* Context.get(services, Settings).set(cwd, ["mcpServers", name], entry)
      const file = join(cwd, Definitions.projectFile)
      const kept = yield* Context.get(services, KeptFiles).at(file)
      yield* kept.changeNow(["mcpServers", name], () => [undefined, entry])
      return file
    }),
    known: (cwd) => Effect.map(load(cwd), ({ notes, servers }) => ({ servers, notes })),
    test: Effect.fn("Mcp.test")(function*(cwd, name) {
      const { known, timeouts } = yield* named(cwd, name)
      const { connected } = yield* slotOf(cwd, known, timeouts)
      const { client, given } = yield* connected
      const { server, tools } = yield* given
      return { server, tools, protocol: client.getNegotiatedProtocolVersion() ?? "", version: client.getServerVersion()?.version ?? "" }
    }),
    login: Effect.fn("Mcp.login")(function*(cwd, name, visit) {
      const { definition, transport } = yield* remote(cwd, name)
      const [{ open }, { wrap }, Browser] = yield* Effect.promise(() => Promise.all([import("./Connection.ts"), import("./Auth.ts"), import("./Browser.ts")]))
      const login = yield* Browser.login(definition, transport.url, visit)
      let asked = false
      yield* open({
        definition,
        cwd,
        variables,
        marker: marker(),
        transport: { ...transport, guessed: false },
        connectMs: loginMs,
        capabilities: {},
        prepare: () => {},
        wrap: (fetch) => wrap(fetch, { ...login, visit: (to) => (asked = true, login.visit(to)) }),
        changed: () => {},
        closed: () => {}
      })
      return asked
    }, Effect.scoped, Effect.provide(services)),
    logout: Effect.fn("Mcp.logout")(function*(cwd, name) {
      const { definition, transport } = yield* remote(cwd, name)
      return yield* Logins.forget(definition.name, transport.url)
    }, Effect.provide(services)),
    prompts: (cwd, session) => Effect.map(prompts(cwd, session), (all) => all.map(({ prompt }) => prompt)),
    prompt: Effect.fn("Mcp.prompt")(function*(cwd, session, name, given) {
      const one = (yield* prompts(cwd, session)).find(({ prompt }) => prompt.name === name)
      return one === undefined ? undefined : yield* Effect.catch(
        Requests.written(one.slot, one.connected, one.prompt, given(one.prompt)),
        ({ message, server }) => Effect.succeed(`[The prompt ${name} could not be had: the MCP server ${server} ${message}.]`)
      )
    })
  }
}))
