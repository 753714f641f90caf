/**
 * Everything computed from the log's content, the same in every composition; it depends on effects for gathering facts
 * and running tools.
 */
import * as Layer from "effect/Layer"
import type { Any } from "../services/Tool.ts"
import type { Approver } from "../services/Approver.ts"
import type { Browser } from "../services/Browser.ts"
import type { Diff } from "../services/Diff.ts"
import type { BackgroundCommands } from "../services/BackgroundCommands.ts"
import type { Shell } from "../services/Shell.ts"
import type { Skills } from "../services/Skills.ts"
import type { Storage } from "../services/Storage.ts"
import type { Web } from "../services/Web.ts"
import type { Workspace } from "../services/Workspace.ts"
import * as ApprovalLive from "./approval/ApprovalLive.ts"
import * as ContextWindowLive from "./context/ContextWindowLive.ts"
import * as IntakeLive from "./context/IntakeLive.ts"
import * as SmallFile from "./context/sources/SmallFile.ts"
import * as SkillsLive from "./context/SkillsLive.ts"
import * as DiffLive from "./diff/DiffLive.ts"
import * as HooksLive from "./extension/HooksLive.ts"
import * as ParserLive from "./parser/ParserLive.ts"
import * as ToolsLive from "./tool/ToolsLive.ts"
import * as TreeSitter from "./definitions/TreeSitter.ts"
import * as BackgroundCommandsLive from "./workspace/shell/BackgroundCommandsLive.ts"

/** An embedder's tool: it may use what ours use. */
export type CustomTool = Any<Approver | Browser | Diff | BackgroundCommands | Shell | Skills | Storage | Web | Workspace>

/** `tools` are added to the built-in ones; of two with the same name the later one wins. */
export const layer = (tools: ReadonlyArray<CustomTool> = []) =>
  Layer.mergeAll(ContextWindowLive.layer, ParserLive.layer, IntakeLive.layer).pipe(
    Layer.provideMerge(ToolsLive.layer(...tools)),
    Layer.provideMerge(
      Layer.mergeAll(ApprovalLive.layer, DiffLive.layer, BackgroundCommandsLive.layer, HooksLive.layer, SkillsLive.layer, TreeSitter.layer)
    ),
    Layer.provideMerge(SmallFile.layer)
  )
