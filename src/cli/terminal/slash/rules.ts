/** `/init` and `/newrule`: the rules file of the project, AGENTS.md. */
import * as Effect from "effect/Effect"
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { InputError } from "../../process/CliError.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"
import { subcommand } from "./subcommand.ts"

/** Creates AGENTS.md with the project's commands, then has the model complete it. */
export const init = Effect.fnUntraced(function*(context: SlashContext) {
  yield* subcommand(context, ["init"])
  yield* context.say(
    "Read this project and complete AGENTS.md, the instructions for coding agents: how to build, test and lint, how the code is " +
      "organised, and conventions that the code does not show. Keep it under 60 lines, and keep what is already correct."
  )
})

/** Appends a rule, or has the model write down what was agreed. */
export const newRule = Effect.fnUntraced(function*({ cwd, say, store }: SlashContext, rule: string) {
  if (rule === "") {
    return yield* say(
      "Record what we agreed on in this session as project rules: short lines in AGENTS.md at the project root. " +
        "Create the file if it does not exist, and keep its existing content."
    )
  }
  const file = join(cwd, "AGENTS.md")
  yield* Effect.tryPromise({
    try: async () => {
      const current = await readFile(file, "utf8").catch(() => "")
      await appendFile(file, `${current === "" || current.endsWith("\n") ? "" : "\n"}- ${rule.replaceAll("\n", " ")}\n`)
    },
    catch: (error) => new InputError({ message: `Could not write ${file}: ${(error as NodeJS.ErrnoException).code}.` })
  })
  yield* ScreenStore.note(store, "Added to AGENTS.md. It applies from the next request.", "good")
})
