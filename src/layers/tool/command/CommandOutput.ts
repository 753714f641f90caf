/** command_output: the output of a background command, or the middle of output that was too long to show. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../../domain/tool/Access.ts"
import { define } from "../../../services/Tool.ts"

const params = Schema.Struct({
  id: Schema.String.annotate({ description: "The command's id, from run_command." }),
  wait: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "Seconds to wait for its end, a port or, with search, a match."
    })
  ),
  search: Schema.optionalKey(
    Schema.String.annotate({ description: "A regular expression: only its lines, numbered." })
  ),
  start_line: Schema.optionalKey(
    Schema.Int.annotate({ description: "Default: what you have not seen." })
  )
})

export const CommandOutput = define({
  name: "command_output",
  description:
    "Read the output of a background command, or the rest of a long one. Returns its state, ports, and up to 48,000 characters or 300 matching lines.",
  params,
  plain: ["id"],
  aliases: ["bash_output", "read_output"],
  paramAliases: {
    command_id: "id",
    bash_id: "id",
    job: "id",
    regex: "search",
    filter: "search",
    pattern: "search",
    timeout: "wait",
    from_line: "start_line",
    offset: "start_line"
  },
  kind: "read",
  hasNoOtherEffects: true,
  tags: ["read"],
  access: () => [Access.other("command_output")],
  run: (params) => Effect.flatMap(Effect.promise(() => import("./ReadOutput.ts")), ({ read }) => read(params))
})
