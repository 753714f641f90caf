/**
 * Hooks: programs of the user that run at named moments of a session. The shape of settings is Claude Code's; the names
 * of events that Gemini CLI and Codex use are accepted too.
 */
import * as Result from "effect/Result"
import * as Table from "../Table.ts"
import * as Schema from "effect/Schema"

/** The moments, by Claude Code's names. */
export const HookEvent = Schema.Literals([
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "Stop",
  "Notification"
])
export type HookEvent = typeof HookEvent.Type

/** Gemini CLI's names. Its timeouts are in ms, Claude Code's in seconds. */
const geminiNames: Readonly<Record<string, HookEvent>> = {
  BeforeAgent: "UserPromptSubmit",
  AfterAgent: "Stop",
  BeforeTool: "PreToolUse",
  AfterTool: "PostToolUse",
  PreCompress: "PreCompact"
}

/** Names of Codex, and of older settings: the same moments in snake case. */
const eventName = (name: string): HookEvent | undefined => {
  const title = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Table.entry(geminiNames, name) ?? HookEvent.literals.find((event) => event === title)
}

const Seconds = Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))

/** `name`, `description` and `statusMessage` are what other agents show. */
const common = {
  timeout: Schema.optionalKey(Seconds),
  failureMode: Schema.optionalKey(Schema.Literals(["open", "closed"])),
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  statusMessage: Schema.optionalKey(Schema.String)
}

/** A command for bash, or an address that gets the same JSON by POST. */
const Action = Schema.Union([
  Schema.Struct({ type: Schema.Literal("command"), command: Schema.String, ...common }),
  Schema.Struct({
    type: Schema.Literal("http"),
    url: Schema.String.pipe(Schema.check(Schema.isPattern(/^https?:\/\/[^/$\s]+(?:\/|$)/))),
    headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    ...common
  })
])
type Action = typeof Action.Type

/** Tool names, or for other events a source or trigger: separated by `|`, with `.*` or `*` for any characters; or one as `^name$`. */
const Matcher = Schema.String.pipe(Schema.check(Schema.isPattern(/^(?:(?:[\w-]|\.?\*|\|)*|\^(?:[\w-]|\.?\*)*\$)$/)))

/** Gemini CLI's names of tools, for matchers under its names of events. */
const geminiTools: Readonly<Record<string, string>> = {
  glob: "list_files",
  grep_search: "search_files",
  list_directory: "list_files",
  read_many_files: "read_file",
  replace: "edit_file",
  run_shell_command: "run_command",
  search_file_content: "search_files",
  web_fetch: "fetch_url",
  write_todos: "update_todo"
}

const editingTools: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "Write", "edit_file", "write_file"])

/** A matcher in our terms: what guards edits guards patches too, as in Codex. */
const matcherOf = (matcher: string, tools: Readonly<Record<string, string>> = {}): string => {
  const names = matcher.replace(/^\^(.*)\$$/, "$1").split("|").map((name) => Table.entry(tools, name) ?? name)
  return [...names, ...names.some((name) => editingTools.has(name)) && !names.includes("apply_patch") ? ["apply_patch"] : []].join("|")
}

const Group = Schema.Struct({ matcher: Schema.optionalKey(Matcher), hooks: Schema.Array(Action) })

/** The setting `hooks`: groups by event. */
export const HookSettings = Schema.Record(Schema.String, Schema.Array(Group)).pipe(
  Schema.check(Schema.makeFilter((groups) => {
    const unknown = Object.keys(groups).find((name) => eventName(name) === undefined)
    return unknown === undefined || `${unknown} is not a hook event; expected one of ${HookEvent.literals.join(", ")}`
  }))
).annotate({ identifier: "Hooks" })
export type HookSettings = typeof HookSettings.Type

/**
 * One hook of a session. `isProject`: it comes from the repository. `plugin`: the plugin that brought it. `mayAllow`: the
 * user permits it to allow what would be asked. When it fails, a `closed` hook blocks and an `open` one is ignored with a
 * notice.
 */
export const Hook = Schema.Struct({
  event: HookEvent,
  matcher: Schema.optionalKey(Matcher),
  run: Schema.Union([
    Schema.TaggedStruct("Command", { command: Schema.String }),
    Schema.TaggedStruct("Http", { url: Schema.String, headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)) }),
    Schema.TaggedStruct("Program", { callback: Schema.String })
  ]),
  timeoutMs: Schema.Finite,
  failureMode: Schema.Literals(["open", "closed"]),
  isProject: Schema.optionalKey(Schema.Boolean),
  plugin: Schema.optionalKey(Schema.String),
  mayAllow: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Hook" })
export type Hook = typeof Hook.Type

/** A guard that fails to answer must not let anything through. */
const guards: ReadonlySet<HookEvent> = new Set(["PreToolUse", "PermissionRequest"])

const defaultTimeoutMs = 60_000

/** The hooks of one settings file, in its order. */
export const fromSettings = (
  settings: HookSettings,
  { isProject, mayAllow, plugin }: { readonly isProject: boolean; readonly mayAllow: boolean; readonly plugin?: string | undefined }
): ReadonlyArray<Hook> =>
  Object.entries(settings).flatMap(([name, groups]) =>
    groups.flatMap(({ hooks, matcher }) =>
      hooks.map((action): Hook => {
        const event = eventName(name)!
        const isGemini = name in geminiNames
        return {
          event,
          ...(matcher === undefined ? {} : { matcher: matcherOf(matcher, isGemini ? geminiTools : {}) }),
          run: target(action),
          timeoutMs: action.timeout === undefined ? defaultTimeoutMs : action.timeout * (isGemini ? 1 : 1000),
          failureMode: action.failureMode ?? (guards.has(event) ? "closed" : "open"),
          ...(isProject ? { isProject } : {}),
          ...(plugin === undefined ? {} : { plugin }),
          ...(mayAllow ? { mayAllow } : {})
        }
      })
    )
  )

const target = (action: Action): Hook["run"] =>
  action.type === "command"
    ? { _tag: "Command", command: action.command }
    : { _tag: "Http", url: action.url, ...(action.headers === undefined ? {} : { headers: action.headers }) }

/** Hooks that a program registers for its session: callbacks by event. Times in seconds. */
export const ProgramHooks = Schema.Record(
  Schema.String,
  Schema.Array(Schema.Struct({
    matcher: Schema.optional(Schema.NullOr(Schema.String)),
    hookCallbackIds: Schema.Array(Schema.String),
    timeout: Schema.optional(Schema.NullOr(Seconds)),
    onFailure: Schema.optional(Schema.NullOr(Schema.String))
  }))
).annotate({ identifier: "ProgramHooks" })
export type ProgramHooks = typeof ProgramHooks.Type

/** Events of Claude Code that never occur in dacapo: a hook for one has nothing to guard. */
const absentEvents: ReadonlySet<string> = new Set([
  "CwdChanged",
  "DirectoryAdded",
  "Elicitation",
  "ElicitationResult",
  "InstructionsLoaded",
  "MessageDisplay",
  "PermissionDenied",
  "Setup",
  "StopFailure",
  "TaskCompleted",
  "TaskCreated",
  "TeammateIdle"
])

const isMatcher = Schema.is(Matcher)

/**
 * The hooks of a program, and one sentence for each event that never occurs. A failure names what can't be kept: a guard must not
 * be lost. `mayAllow`: the program also answers the permission prompts.
 */
export const fromProgram = (
  events: ProgramHooks,
  { mayAllow }: { readonly mayAllow: boolean }
): Result.Result<{ readonly hooks: ReadonlyArray<Hook>; readonly notes: ReadonlyArray<string> }, string> =>
  Result.gen(function*() {
    const hooks: Array<Hook> = []
    const notes: Array<string> = []
    for (const [name, groups] of Object.entries(events)) {
      const event = HookEvent.literals.find((literal) => literal === name)
      if (event === undefined) {
        if (!absentEvents.has(name)) return yield* Result.fail(`the hook event ${name} is not supported`)
        notes.push(`The hook for ${name} never runs: this event does not occur in dacapo.`)
        continue
      }
      for (const { hookCallbackIds, matcher, onFailure, timeout } of groups) {
        if (matcher != null && !isMatcher(matcher)) {
          return yield* Result.fail(`the matcher ${JSON.stringify(matcher)} is not supported; expected names, separated by | and with *`)
        }
        hooks.push(...hookCallbackIds.map((callback): Hook => ({
          event,
          ...(matcher == null ? {} : { matcher: matcherOf(matcher) }),
          run: { _tag: "Program", callback },
          timeoutMs: timeout == null ? defaultTimeoutMs : timeout * 1000,
          failureMode: guards.has(event) || (onFailure != null && onFailure !== "continue") ? "closed" : "open",
          ...(mayAllow ? { mayAllow } : {})
        })))
      }
    }
    return { hooks, notes }
  })

/** The hooks of a session without those of the program that started it: another one has callbacks of its own, or none. */
export const withoutProgram = (hooks: ReadonlyArray<Hook>): ReadonlyArray<Hook> => hooks.filter(({ run }) => run._tag !== "Program")

/** What a message calls a hook. */
export const title = ({ run }: Hook): string =>
  run._tag === "Command" ? run.command : run._tag === "Http" ? run.url : `of the program (${run.callback})`

/** Whether a hook's matcher accepts one of these names; without a matcher it accepts all. */
export const matches = ({ matcher = "" }: Hook, names: ReadonlyArray<string>): boolean => {
  if (matcher === "" || matcher === "*" || matcher === ".*") return true
  const pattern = new RegExp(`^(?:${matcher.replaceAll(/\.?\*/g, ".*")})$`)
  return names.some((name) => pattern.test(name))
}
