/** The tools that are always available, alphabetical: adding one takes a file and a line here. */
import { ApplyPatch } from "./ApplyPatch.ts"
import { AskUser } from "./AskUser.ts"
import { Browser } from "./Browser.ts"
import { CommandInput } from "./command/CommandInput.ts"
import { CommandOutput } from "./command/CommandOutput.ts"
import { Delegate } from "./Delegate.ts"
import { EditFile } from "./EditFile.ts"
import { FetchUrl } from "./FetchUrl.ts"
import { Finish } from "./Finish.ts"
import { ListDefinitions } from "./ListDefinitions.ts"
import { ListFiles } from "./ListFiles.ts"
import { ListPrompts } from "./ListPrompts.ts"
import { McpGuide } from "./McpGuide.ts"
import { PresentPlan } from "./PresentPlan.ts"
import { ReadFile } from "./ReadFile.ts"
import { ReadResource } from "./ReadResource.ts"
import { ReadSkill } from "./ReadSkill.ts"
import { RunCommand } from "./command/RunCommand.ts"
import { SearchCode } from "./search/SearchCode.ts"
import { SearchFiles } from "./SearchFiles.ts"
import { SearchTools } from "./SearchTools.ts"
import { StopCommand } from "./command/StopCommand.ts"
import { UpdateTodo } from "./UpdateTodo.ts"
import { WebSearch } from "./search/WebSearch.ts"
import { WriteFile } from "./WriteFile.ts"

export const builtin = [
  ApplyPatch,
  AskUser,
  Browser,
  CommandInput,
  CommandOutput,
  Delegate,
  EditFile,
  FetchUrl,
  Finish,
  ListDefinitions,
  ListFiles,
  ListPrompts,
  McpGuide,
  PresentPlan,
  ReadFile,
  ReadResource,
  ReadSkill,
  RunCommand,
  SearchCode,
  SearchFiles,
  SearchTools,
  StopCommand,
  UpdateTodo,
  WebSearch,
  WriteFile
] as const
