/** How rooms are cut: how many files one holds, which rooms are parallel, and which small files stand alone. */

/** Files of one folder, those of its sub-folders not counted. */
export const maxFiles = 35

/** Rooms with a file for each entry of a list. */
const lists = [
  "src/cli/commands/",
  "src/cli/terminal/slash/",
  "src/domain/approval/",
  "src/layers/context/sources/",
  "src/layers/documents/",
  "src/layers/testing/",
  "src/layers/tool/",
  "src/web/view/panels/"
]

export const isEntry = (path: string): boolean => lists.some((room) => path.startsWith(room)) || /(?:[wW]orker|builtin)\.ts$/.test(path)

/**
 * Parallel rooms: a service and what it is about, a command and what it shows, a fake and the real thing, a wire in the domain and
 * its layer, the terminal and the page. Names may be shared between them, and within the rooms of commands.
 */
const rooms = ["src/services/", "src/cli/commands/mcp/", "src/cli/commands/sessions/", "src/cli/commands/", "src/cli/terminal/slash/", "src/layers/testing/", "src/layers/", "src/domain/", "src/web/"]
const roomOf = (path: string): string => rooms.find((room) => path.startsWith(room)) ?? path

/** A list of each room is called builtin.ts, an entry point index.ts. */
export const areParallel = (paths: ReadonlyArray<string>): boolean =>
  paths.every((path) => /\/(?:builtin|index)\.ts$/.test(path)) || new Set(paths.map(roomOf)).size === paths.length

/** Why a small file with one importer stands alone. */
export const reasons: Readonly<Record<string, string>> = {
  "src/cli/process/AgentLayersLive.ts": "the layer of a service, loaded late",
  "src/cli/process/CrashReport.ts": "loaded only after a crash",
  "src/cli/serve/ControlApi.ts": "the HTTP API as data, from which its document is made",
  "src/layers/cluster/PruneMessages.ts": "housekeeping in the cluster's own tables, apart from its messages",
  "src/layers/cluster/ShardOwnership.ts": "the trap of the store of locks, with its own tests against a real server",
  "src/layers/settings/SecretFolder.ts": "the secret store that a flag chooses; a program may have another one",
  "src/layers/settings/TenantKeys.ts": "keys of one tenant, which a program may use with a secret store of its own",
  "src/layers/cluster/RunnerSockets.ts": "stands in for a module of Effect until that one sets the option, with a test of its own",
  "src/cli/render/text/PlainText.ts": "one format of output",
  "src/cli/render/text/TerminalOutput.ts": "the only way to the terminal",
  "src/cli/render/terminal/EarlierMessages.ts": "a history that is read on demand, apart from the keys",
  "src/cli/render/view/ResultText.ts": "knows the texts of results, which the fold of the view does not",
  "src/cli/terminal/ListMessages.ts": "reads logs, which the screen does not",
  "src/cli/terminal/PromptReadiness.ts": "tried alone, in virtual time, with keys at random",
  "src/cli/start/AjvValidators.ts": "a library behind one file",
  "src/cli/start/McpConfigFlag.ts": "one flag",
  "src/cli/serve/PageLogin.ts": "a check of its own, read by itself",
  "src/cli/terminal/Notification.ts": "escape sequences of terminals",
  "src/cli/terminal/PasswordPrompt.ts": "one prompt",
  "src/cli/terminal/PlanEnding.ts": "one prompt",
  "src/domain/context/Skill.ts": "a file format",
  "src/domain/mcp/Changes.ts": "one text about servers",
  "src/domain/mcp/Guide.ts": "one text about servers",
  "src/domain/mcp/ToolSearch.ts": "a ranking, tested by itself",
  "src/domain/message/ImageError.ts": "an error of a service, which its layer and its users import by type",
  "src/domain/parser/xml/NearMiss.ts": "a heuristic of its own, tested by itself",
  "src/domain/provider/ImageSize.ts": "a library behind one file",
  "src/domain/provider/Unsupported.ts": "what a model cannot take, said once for all wires",
  "src/domain/session/Phase.ts": "the state that every front end shows",
  "src/domain/tool/OmittedCode.ts": "a pattern, tested by itself",
  "src/domain/tool/SecretPrompt.ts": "a pattern, tested by itself",
  "src/domain/tool/shell/Builtins.ts": "a table of programs",
  "src/domain/tool/shell/TreeOptions.ts": "a table of options",
  "src/domain/workspace/FileRole.ts": "a table of file names",
  "src/layers/TaskEvents.ts": "loaded with the first task",
  "src/layers/agent/ProbeEdit.ts": "one step of the loop, found by its name",
  "src/layers/agent/Recover.ts": "one step of the loop, found by its name",
  "src/layers/browser/Journal.ts": "what a page logged, apart from driving it",
  "src/layers/browser/Profile.ts": "the folder of a browser, apart from driving it",
  "src/layers/context/GitStatus.ts": "one question to git",
  "src/layers/mcp/client/CallOutcome.ts": "a translation, tested by itself",
  "src/layers/mcp/client/ProgramTransport.ts": "one transport, beside that of processes",
  "src/layers/parser/ParserLive.ts": "the layer of a service",
  "src/layers/provider/EffectAi.ts": "a public module, whose requests are loaded late",
  "src/layers/provider/routes/scripted.ts": "a route, whose connection is loaded late",
  "src/layers/provider/transport/RetryStaleConnection.ts": "one step of a request, found by its name",
  "src/layers/storage/EventTime.ts": "a clock that never goes back, tested by itself",
  "src/layers/telemetry/SessionTrace.ts": "reads what the fold of spans needs, for every front end",
  "src/layers/workspace/files/MoveFile.ts": "one file operation, tested by itself",
  "src/layers/workspace/git/TrackedFiles.ts": "one question to git",
  "src/web/model/Denial.ts": "tested without a browser",
  "src/web/start.tsx": "loaded after the first paint",
  "src/web/view/approvals/WaitingPage.tsx": "loaded when it is first shown",
  "src/web/view/Highlighter.ts": "a library behind one file, loaded late",
  "src/web/view/KeysHelp.tsx": "loaded when it is first shown"
}
