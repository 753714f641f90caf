/** What is computed from what the log holds, the same in every composition; it asks the world to gather facts and to run tools. */
import * as Layer from "effect/Layer"
import type { Any } from "../services/Tool.ts"
import type { Approver } from "../services/Approver.ts"
import type { Browser } from "../services/Browser.ts"
import type { Diff } from "../services/Diff.ts"
import type { Jobs } from "../services/BackgroundCommands.ts"
import type { Shell } from "../services/Shell.ts"
import type { Skills } from "../services/Skills.ts"
import type { Storage } from "../services/Storage.ts"
import type { Web } from "../services/Web.ts"
import type { Workspace } from "../services/Workspace.ts"
import * as ApprovalLive from "./approval/ApprovalLive.ts"
import * as ContextWindowLive from "./context/ContextWindowLive.ts"
import * as IntakeLive from "./context/IntakeLive.ts"
import * as SkillsLive from "./context/SkillsLive.ts"
import * as DiffLive from "./diff/DiffLive.ts"
import * as ParserLive from "./parser/ParserLive.ts"
import * as ToolsLive from "./tool/ToolsLive.ts"
import * as TreeSitter from "./definitions/TreeSitter.ts"
import * as JobsLive from "./workspace/shell/BackgroundCommandsLive.ts"

/** A tool of an embedder: it may use what ours use. */
export type OwnTool = Any<Approver | Browser | Diff | Jobs | Shell | Skills | Storage | Web | Workspace>

/** `tools` stand beside the built-in ones; of two with one name the later one counts. */
export const layer = (tools: ReadonlyArray<OwnTool> = []) =>
  Layer.mergeAll(ContextWindowLive.layer, ParserLive.layer, IntakeLive.layer).pipe(
    Layer.provideMerge(ApprovalLive.layer),
    Layer.provideMerge(ToolsLive.layer(...tools)),
    Layer.provideMerge(Layer.mergeAll(DiffLive.layer, JobsLive.layer, SkillsLive.layer, TreeSitter.layer))
  )
