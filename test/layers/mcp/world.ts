/** The servers' layer over a folder of its own, with real processes. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type * as Schema from "effect/Schema"
import * as Message from "../../../src/domain/message/Message.ts"
import type { ServerTools } from "../../../src/domain/mcp/ServerTools.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import * as ApprovalLive from "../../../src/layers/approval/ApprovalLive.ts"
import * as McpLive from "../../../src/layers/mcp/McpLive.ts"
import * as JsonFilesLive from "../../../src/layers/settings/JsonFilesLive.ts"
import * as SettingsLive from "../../../src/layers/settings/SettingsLive.ts"
import * as TrustLive from "../../../src/layers/settings/TrustLive.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import * as ScriptedApprover from "../../../src/layers/testing/ScriptedApprover.ts"
import { Approver, type Question } from "../../../src/services/Approver.ts"
import { Budget } from "../../../src/services/Budget.ts"
import { Ids } from "../../../src/services/Ids.ts"
import { EventLog } from "../../../src/services/EventLog.ts"
import { Provider } from "../../../src/services/Provider.ts"
import { Environment } from "../../../src/services/Environment.ts"
import { Mcp, type Servers } from "../../../src/services/Mcp.ts"
import { ToolContext } from "../../../src/services/Tool.ts"
import { Workspace } from "../../../src/services/Workspace.ts"

const faulty = fileURLToPath(new URL("servers/faulty.mjs", import.meta.url))

/** The entry of a server that behaves in this way; it notes in a file of its name what it hears. */
export const server = (how: string, folder = ""): { readonly command: string; readonly args: ReadonlyArray<string> } =>
  ({ command: process.execPath, args: [faulty, how, ...(folder === "" ? [] : [join(folder, how)])] })

export interface World {
  readonly folder: string
  readonly mcp: Servers
  /** A session that allows everything, and knows this of the servers. */
  readonly session: (offer?: ServerTools) => Session.Session
  /** Calls a tool and gives the status and the words of its outcome, and what it showed meanwhile. */
  readonly call: (server: string, tool: string, input?: Schema.JsonObject) => Effect.Effect<{ readonly status: string; readonly text: string; readonly shown: string }>
  /** What the user was asked, in order. */
  readonly questions: ReadonlyArray<Question>
  /** The lines that a server noted, once there is one that begins so. */
  readonly noted: (how: string, line: string) => Effect.Effect<ReadonlyArray<string>>
}

export interface Given {
  readonly servers: (folder: string) => Readonly<Record<string, Schema.Json>>
  readonly answers?: ReadonlyArray<ScriptedApprover.ScriptedAnswer>
  readonly words?: ReadonlyArray<string>
  readonly rules?: Partial<Session.Session["settings"]["rules"]>
  readonly mode?: Session.Session["settings"]["mode"]
  readonly options?: Pick<McpLive.Options, "sandbox" | "wires">
  /** What a program finds in its environment besides. */
  readonly variables?: (folder: string) => Readonly<Record<string, string>>
}

export const within = <A, E>(given: Given, body: (world: World) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-mcp-"))),
    (folder) => {
      const questions: Array<Question> = []
      return Effect.flatMap(Mcp, (mcp) => body({ ...world(folder, mcp, given), questions })).pipe(Effect.provide(layer(folder, given, questions)))
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  )

/** The scripted answers, and what they were given to. */
const approver = (answers: ReadonlyArray<ScriptedApprover.ScriptedAnswer>, words: ReadonlyArray<string>, questions: Array<Question>) =>
  Layer.effect(Approver, Effect.map(Approver, (scripted) => Approver.of({ ...scripted, ask: (question) => (questions.push(question), scripted.ask(question)) }))).pipe(
    Layer.provide(ScriptedApprover.layer(answers, words))
  )

const layer = (folder: string, { answers = [], options = {}, servers, variables = () => ({}), words = [] }: Given, questions: Array<Question>) =>
  McpLive.layer({ servers: servers(folder), ...options }).pipe(
    Layer.provide([Layer.mock(Budget)({}), Layer.mock(EventLog)({}), Layer.mock(Ids)({}), Layer.mock(Provider)({})]),
    Layer.provide([ApprovalLive.layer, SettingsLive.layer, MemoryStorage.layer, approver(answers, words, questions), Layer.mock(Workspace)({ roots: [folder] })]),
    Layer.provide(TrustLive.layer),
    Layer.provide(JsonFilesLive.layer),
    Layer.provide(Layer.succeed(Environment, {
      variables: { PATH: process.env["PATH"], HOME: folder, MY_API_KEY: "a-secret", ...variables(folder) },
      folders: { home: folder, config: join(folder, "c"), data: join(folder, "d"), state: join(folder, "s"), cache: join(folder, "x") },
      platform: "linux",
      version: "0.0.0"
    }))
  )

const world = (folder: string, mcp: Servers, { mode = "bypassPermissions", rules = {} }: Given): Omit<World, "questions"> => ({
  folder,
  mcp,
  session: (offer = Session.empty.offer) => ({
    ...Session.empty,
    id: "session",
    cwd: folder,
    home: folder,
    offer,
    settings: { ...Session.empty.settings, mode, rules: { allow: [], ask: [], deny: [], ...rules } }
  }),
  call: (server, tool, input = {}) => {
    let shown = ""
    const context = ToolContext.of({
      session: "session",
      call: "call",
      cwd: folder,
      files: new Map(),
      offer: Session.empty.offer,
      isReadOnly: true,
      isHostAllowed: () => false,
      reach: { namesHost: () => false, refusal: () => "nothing is reached" },
      output: (text) => void (shown += text)
    })
    return mcp.call(server, tool, input).pipe(
      Effect.provideService(ToolContext, context),
      Effect.map(({ content, status }) => ({ status, text: Message.text(content), shown }))
    )
  },
  noted: (how, line) =>
    Effect.promise(async () => {
      for (let tries = 0; tries < 400; tries++) {
        const lines = read(join(folder, how)).split("\n").filter((one) => one !== "")
        if (lines.some((one) => one.startsWith(line))) return lines
        await setTimeout(25)
      }
      throw new Error(`${how} never noted ${line}`)
    })
})

/** Returns when a process is no more; one that was killed is there until its parent has heard of it. */
export const gone = (pid: number): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let tries = 0; tries < 200; tries++) {
      try {
        process.kill(pid, 0)
      } catch {
        return
      }
      await setTimeout(25)
    }
    throw new Error(`The process ${pid} is still there`)
  })

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
