/**
 * Everything computed from the log's content, the same in every composition; it depends on effects for gathering facts
 * and running tools. Each layer is loaded when it is built: a program that imports the library, or replaces a layer, does without.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings, SettingsSnapshot } from "../services/Settings.ts"
import type { Any } from "../services/Tool.ts"
import * as Composition from "./Composition.ts"

/**
 * Without the agent itself, for what inspects or replays. `tools` are added to the built-in ones; of two with the same
 * name the later one wins.
 */
export const parts = <const T extends ReadonlyArray<Any<unknown>> = []>(tools?: T) =>
  ({
    approval: Composition.lazy(() => import("./approval/ApprovalLive.ts").then(({ layer }) => layer)),
    backgroundCommands: Composition.lazy(() => import("./workspace/shell/BackgroundCommandsLive.ts").then(({ layer }) => layer)),
    contextWindow: Composition.lazy(() => import("./context/ContextWindowLive.ts").then(({ layer }) => layer)),
    customTools: Composition.lazy(() => import("./extension/CustomToolsLive.ts").then(({ layer }) => layer)),
    definitions: Composition.lazy(() => import("./definitions/TreeSitter.ts").then(({ layer }) => layer)),
    diff: Composition.lazy(() => import("./diff/DiffLive.ts").then(({ layer }) => layer)),
    hooks: Composition.lazy(() => import("./extension/HooksLive.ts").then(({ layer }) => layer)),
    intake: Composition.lazy(() => import("./context/IntakeLive.ts").then(({ layer }) => layer)),
    parser: Composition.lazy(() => import("./parser/ParserLive.ts").then(({ layer }) => layer)),
    skills: Composition.lazy(() => import("./context/SkillsLive.ts").then(({ layer }) => layer)),
    smallFiles: Composition.lazy(() => import("./context/sources/SmallFile.ts").then(({ layer }) => layer)),
    toolset: Composition.lazy(() => import("./tool/ToolsLive.ts").then(({ layer }) => layer<T>(...tools ?? [] as never)))
  }) satisfies Partial<Composition.Parts>

/** The agent, its subagents and its budget. */
export const agent = {
  agent: Composition.lazy(() => import("./agent/AgentLive.ts").then(({ layer }) => layer)),
  budget: Composition.lazy(() => import("./agent/BudgetLive.ts").then(({ layer }) => layer)),
  subagents: Composition.lazy(() => import("./subagent/SubagentsLive.ts").then(({ layer }) => layer))
} satisfies Partial<Composition.Parts>

/** Settings of a folder, loaded once for all that is built from them. */
export const settingsSnapshot = (cwd: string) => Layer.effect(SettingsSnapshot, Effect.flatMap(Settings, ({ load }) => load(cwd)))
