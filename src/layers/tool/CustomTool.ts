/**
 * A tool of a file or a plugin, as a tool of ours. A command is judged as run_command would be with the same
 * arguments; what a plugin's code does is unknown, so it counts like an MCP tool.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Definition from "../../domain/extension/CustomTool.ts"
import * as Message from "../../domain/message/Message.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as JsonCheck from "../../domain/tool/JsonCheck.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as ParamSchema from "../../domain/tool/ParamSchema.ts"
import type { Approver } from "../../services/Approver.ts"
import type { BackgroundCommands } from "../../services/BackgroundCommands.ts"
import type { Storage } from "../../services/Storage.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { define, type Tool } from "../../services/Tool.ts"
import * as AttachView from "../extension/AttachView.ts"
import * as RunCommand from "./command/RunCommand.ts"

type Requirements = Approver | BackgroundCommands | Storage

export const of = (definition: Definition.CustomTool): Tool<Schema.JsonObject, Requirements> => {
  const { description, name, run, schema } = definition
  const common = {
    name,
    description,
    params: JsonCheck.codec(schema),
    schema,
    kind: "command",
    destructive: true,
    openWorld: true
  } as const
  return run._tag === "Command"
    ? define<Schema.JsonObject, Requirements>({
      ...common,
      readsInPlanMode: true,
      tags: ["command"],
      access: (input) => [Access.command(Definition.commandLine(definition as Definition.CommandTool, input))],
      run: (input) => runCommand(definition as Definition.CommandTool, input)
    })
    : define<Schema.JsonObject, Requirements>({
      ...common,
      tags: ["plugin"],
      access: (input) => [Access.other(name, input)],
      run: (input) =>
        Effect.flatMap(Plugins, (plugins) => plugins.run(definition, input)).pipe(
          Effect.flatMap(({ outcome, view }) => view === undefined ? Effect.succeed(outcome) : AttachView.attach(outcome, view))
        )
    })
}

const runCommand = Effect.fnUntraced(
  function*({ run: { command, plugin, result, timeout }, schema }: Definition.CommandTool, input: Schema.JsonObject) {
    const variables = Definition.environment(input)
    if (Result.isFailure(variables)) return Outcome.mistaken(variables.failure)
    const root = plugin === undefined ? undefined : (yield* (yield* Plugins).find(plugin.name))?.root
    if (root !== plugin?.root) return Outcome.failed(`The plugin ${plugin?.name} changed or is not active any more. Call the tool again.`)
    const outcome = yield* RunCommand.execute({
      command,
      timeout,
      input: `${JSON.stringify(input)}\n`,
      // An argument that is missing is empty, whatever the user's own environment holds under that name.
      variables: {
        ...Definition.noArguments(schema),
        ...variables.success,
        ...(root === undefined ? {} : Object.fromEntries(Definition.rootVariables.map((name) => [name, root])))
      }
    })
    return result === "view" && outcome.status === "succeeded" ? yield* withView(outcome) : outcome
  }
)

/** The output of a command that prints a view as JSON: the view itself, or `{ "text": …, "view": … }`. */
const withView = (outcome: Outcome.Outcome) => {
  const output = Message.text(outcome.content)
  const parsed = Result.try(() => JSON.parse(output.slice(output.indexOf("\n"))) as unknown)
  if (Result.isFailure(parsed)) {
    const note = "[The tool is defined with `result: view`, but its output is not JSON.]"
    return Effect.succeed({ ...outcome, content: [...outcome.content, { _tag: "Text" as const, text: note }] })
  }
  const { text, view = parsed.success } = ParamSchema.isObject(parsed.success) ? parsed.success : {}
  return AttachView.attach({ ...outcome, content: typeof text === "string" ? [{ _tag: "Text", text }] : [] }, view)
}
