/**
 * Everything computed from the log's content, the same in every composition; it depends on effects for gathering facts
 * and running tools.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings, SettingsSnapshot } from "../services/Settings.ts"
import type { Any } from "../services/Tool.ts"
import * as AgentLive from "./agent/AgentLive.ts"
import * as BudgetLive from "./agent/BudgetLive.ts"
import * as ApprovalLive from "./approval/ApprovalLive.ts"
import type * as Composition from "./Composition.ts"
import * as ContextWindowLive from "./context/ContextWindowLive.ts"
import * as IntakeLive from "./context/IntakeLive.ts"
import * as SmallFile from "./context/sources/SmallFile.ts"
import * as SkillsLive from "./context/SkillsLive.ts"
import * as TreeSitter from "./definitions/TreeSitter.ts"
import * as DiffLive from "./diff/DiffLive.ts"
import * as CustomToolsLive from "./extension/CustomToolsLive.ts"
import * as HooksLive from "./extension/HooksLive.ts"
import * as ParserLive from "./parser/ParserLive.ts"
import * as SubagentsLive from "./subagent/SubagentsLive.ts"
import * as ToolsLive from "./tool/ToolsLive.ts"
import * as BackgroundCommandsLive from "./workspace/shell/BackgroundCommandsLive.ts"

/**
 * Without the agent itself, for what inspects or replays. `tools` are added to the built-in ones; of two with the same
 * name the later one wins.
 */
export const parts = <const T extends ReadonlyArray<Any<unknown>> = []>(tools?: T) =>
  ({
    approval: ApprovalLive.layer,
    backgroundCommands: BackgroundCommandsLive.layer,
    contextWindow: ContextWindowLive.layer,
    customTools: CustomToolsLive.layer,
    definitions: TreeSitter.layer,
    diff: DiffLive.layer,
    hooks: HooksLive.layer,
    intake: IntakeLive.layer,
    parser: ParserLive.layer,
    skills: SkillsLive.layer,
    smallFiles: SmallFile.layer,
    toolset: ToolsLive.layer<T>(...tools ?? [] as never)
  }) satisfies Partial<Composition.Parts>

/** The agent, its subagents and its budget. */
export const agent = {
  agent: AgentLive.layer,
  budget: BudgetLive.layer,
  subagents: SubagentsLive.layer
} satisfies Partial<Composition.Parts>

/** Settings of a folder, loaded once for all that is built from them. */
export const settingsSnapshot = (cwd: string) => Layer.effect(SettingsSnapshot, Effect.flatMap(Settings, ({ load }) => load(cwd)))
