/** Agent profiles as JSON, as programs of the Claude Agent SDK define subagents: `{ "<name>": { "description", "prompt", … } }`. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import { Mode } from "../approval/Mode.ts"
import type { AgentProfile } from "./AgentProfile.ts"

const names = Schema.optionalKey(Schema.Array(Schema.String))

const Definition = Schema.Struct({
  description: Schema.String,
  prompt: Schema.String,
  tools: names,
  disallowedTools: names,
  model: Schema.optionalKey(Schema.String),
  permissionMode: Schema.optionalKey(Mode)
})

const decode = Schema.decodeUnknownResult(Schema.Record(Schema.String, Definition))

/** Keys that limit what an agent does: without them it would do more than the program allows. */
const guards: ReadonlySet<string> = new Set(["hooks", "maxTurns"])

/** The profiles, and a sentence for each key that has no effect. A failure says what can't be honoured. */
export const parse = (
  json: unknown
): Result.Result<{ readonly profiles: ReadonlyArray<AgentProfile>; readonly notes: ReadonlyArray<string> }, string> =>
  Result.flatMap(
    Result.mapError(decode(json), ({ message }) => message.replaceAll(/\s*\n\s*/g, " ")),
    (definitions) => {
      const invalid = Object.keys(definitions).find((name) => !/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
      if (invalid !== undefined) return Result.fail(`the name ${JSON.stringify(invalid.slice(0, 80))} is not valid`)
      const extra = Object.entries(json as Readonly<Record<string, object>>).flatMap(([name, definition]) =>
        Object.keys(definition).filter((key) => !(key in Definition.fields)).map((key) => ({ name, key }))
      )
      const guard = extra.find(({ key }) => guards.has(key))
      if (guard !== undefined) return Result.fail(`${guard.key} of ${guard.name} limits the agent, and is not supported`)
      return Result.succeed({
        profiles: Object.entries(definitions).map((
          [name, { description, disallowedTools = [], model, permissionMode, prompt, tools }]
        ) => ({
          name,
          description,
          prompt: prompt.trim(),
          disallowedTools: disallowedTools.map(withoutSpec),
          permissions: [],
          mode: "subagent" as const,
          ...optional({ tools: tools?.includes("*") === true ? undefined : tools?.map(withoutSpec), permissionMode }),
          ...(model === undefined || model === "inherit" ? {} : { model })
        })),
        notes: extra.map(({ key, name }) => `${key} of the agent ${name} has no effect.`)
      })
    }
  )

/** The tool's name; rules cover a specification in brackets. */
const withoutSpec = (tool: string): string => tool.replace(/\(.*\)$/, "")
