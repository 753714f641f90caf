/**
 * Exports without a type annotation, whose inferred types reach the signatures of everything public. With `declaration`,
 * TypeScript writes these types down, so it must be able to name each of them through the package.
 */
import {
  Access,
  Agent,
  Approval,
  Approver,
  BackgroundCommands,
  Browser,
  Checkpoints,
  Composition,
  ContextWindow,
  createAgent,
  Diff,
  EffectAi,
  Environment,
  EventLog,
  Ids,
  JsonFiles,
  Limits,
  Live,
  Mcp,
  Outcome,
  Parser,
  Provider,
  Redactor,
  Replay,
  Settings,
  Shell,
  Storage,
  Tool,
  Tools,
  Trust,
  Web,
  Workspace
} from "dacapo"
import * as domain from "dacapo/domain"
import * as UnifiedDiff from "dacapo/domain/diff/UnifiedDiff"
import { Skills } from "dacapo/services/Skills"
import * as ai from "dacapo/ai"
import * as testing from "dacapo/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** The members of each service, spread so that every parameter and result is written out. */
export const services = {
  agent: Effect.map(Agent, (service) => ({ ...service })),
  approval: Effect.map(Approval, (service) => ({ ...service })),
  approver: Effect.map(Approver, (service) => ({ ...service })),
  backgroundCommands: Effect.map(BackgroundCommands, (service) => ({ ...service })),
  browser: Effect.map(Browser, (service) => ({ ...service })),
  checkpoints: Effect.map(Checkpoints, (service) => ({ ...service })),
  contextWindow: Effect.map(ContextWindow, (service) => ({ ...service })),
  diff: Effect.map(Diff, (service) => ({ ...service })),
  environment: Effect.map(Environment, (service) => ({ ...service })),
  eventLog: Effect.map(EventLog, (service) => ({ ...service })),
  ids: Effect.map(Ids, (service) => ({ ...service })),
  jsonFiles: Effect.map(JsonFiles, (service) => ({ ...service })),
  mcp: Effect.map(Mcp, (service) => ({ ...service })),
  parser: Parser.use((service) => Effect.succeed(service)),
  provider: Effect.map(Provider, (service) => ({ ...service })),
  redactor: Effect.map(Redactor, (service) => ({ ...service })),
  settings: Effect.map(Settings, (service) => ({ ...service })),
  shell: Effect.map(Shell, (service) => ({ ...service })),
  skills: Effect.map(Skills, (service) => ({ ...service })),
  storage: Effect.map(Storage, (service) => ({ ...service })),
  tools: Effect.map(Tools, (service) => ({ ...service })),
  trust: Effect.map(Trust, (service) => ({ ...service })),
  web: Effect.map(Web, (service) => ({ ...service })),
  workspace: Effect.map(Workspace, (service) => ({ ...service }))
}

export const approver = Layer.succeed(Approver, {
  ask: () => Effect.succeed({ decision: "deny", scope: "once", by: "nobody" }),
  question: () => Effect.succeed({ by: "nobody" })
})
export const live = Live.layer({ roots: ["/"], approver })
export const wrapped = <R extends Partial<Composition.Parts>>(replacements: R) => Live.layer({ roots: ["/"], approver, ...replacements })
export const inMemory = wrapped({ storage: testing.Memory.layer })
export const agent = createAgent({ cwd: "/", model: "scripted/none" })
export const started = Effect.flatMap(Agent, (service) => service.start({ cwd: "/", model: "scripted/none" }))
export const tool = Tool.define({
  name: "repeat",
  description: "Repeats a text.",
  params: Schema.Struct({ text: Schema.String }),
  kind: "read",
  tags: [],
  access: (params) => [Access.other("repeat", params)],
  run: ({ text }) => Effect.succeed(Outcome.succeeded(text))
})

const { verify } = Replay
export const functions = { parts: Live.parts, verify, layerOf: Live.layer, route: EffectAi.route, limits: Limits.defaults }

export const parts = domain.XmlTools.parse("", { tools: [] })
export const parsed = UnifiedDiff.parse("")
export const applied = domain.Apply.apply("", { format: "exact", files: [], warnings: [] })
export const step = domain.Step.next
export const fold = domain.Session.apply
export const compiled = domain.Rule.compile({ allow: [], ask: [], deny: [] })

export const world = testing.Test.layer({ tools: [tool], turns: [] })
export const memory = testing.Memory.layer
export const suites = {
  checkpoints: testing.CheckpointsConformance,
  contextWindow: testing.ContextWindowConformance,
  mcp: testing.McpConformance,
  parser: testing.ParserConformance,
  provider: testing.ProviderConformance,
  route: testing.RouteConformance,
  source: testing.SourceConformance,
  storage: testing.StorageConformance,
  worktrees: testing.WorktreesConformance
}
export const fakes = testing.Test.layer({
  contextWindow: testing.ScriptedContext.layer(),
  diff: testing.ExactDiff.layer,
  mcp: testing.ScriptedMcp.layer({}),
  parser: testing.ScriptedParser.layer(),
  worktrees: testing.MemoryWorktrees.layer(new Map())
})
export const toolkit = ai.AgentToolkit.toolkit
export const handlers = ai.AgentToolkit.layer({ cwd: "/", model: "a/b" })
export const languageModel = ai.AgentLanguageModel.layer({ cwd: "/", model: "a/b" })
export const sdkRoute = (model: ai.AiSdk.LanguageModel) => ai.AiSdk.route(model)
export const cassette = testing.Cassette.layer
