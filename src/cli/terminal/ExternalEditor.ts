/** What a call would do, opened in the user's own editor before it is allowed. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ToolCall } from "../../domain/message/Message.ts"
import type { ToolSpec } from "../../domain/tool/ToolSpec.ts"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

/**
 * The param that holds what a person would change: the last of those that the tool takes as they stand, else the longest
 * text. Undefined for a call without any text.
 */
export const subject = ({ params }: ToolCall, spec: ToolSpec | undefined): string | undefined => {
  const texts = Object.entries(typeof params === "object" && params !== null ? params : {}).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const raw = spec?.params.filter(({ raw }) => raw === true).map(({ name }) => name) ?? []
  const whole = texts.filter(([name]) => raw.includes(name)).sort(([a], [b]) => raw.indexOf(a) - raw.indexOf(b)).at(-1)
  return (whole ?? texts.sort(([, a], [, b]) => b.length - a.length)[0])?.[0]
}

/** The params as the user left them; undefined where nothing was changed. The terminal is the editor's meanwhile. */
export const edit = Effect.fnUntraced(function*(call: ToolCall, name: string) {
  const { environment: { variables } } = yield* Host
  const params = call.params as Readonly<Record<string, Schema.Json>>
  const before = String(params[name])
  const after = yield* typed(variables["VISUAL"] || variables["EDITOR"] || "vi", before)
  return after === before ? undefined : { ...params, [name]: after } satisfies Schema.Json
})

/** Editors end a file with a newline; a text that had none keeps none. */
const typed = (editor: string, before: string): Effect.Effect<string, InputError> =>
  Effect.tryPromise({
    try: async () => {
      const folder = await mkdtemp(join(tmpdir(), "dacapo-edit-"))
      try {
        const file = join(folder, "proposed.txt")
        await writeFile(file, before, { mode: 0o600 })
        const child = spawn("sh", ["-c", `${editor} "$0"`, file], { stdio: "inherit" })
        const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("exit", resolve))
        if (code !== 0) throw new Error(`it ended with ${code}`)
        const after = await readFile(file, "utf8")
        return before.endsWith("\n") ? after : after.replace(/\n$/, "")
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    catch: (error) => new InputError({ message: `The editor ${editor} could not be used ($VISUAL or $EDITOR names it): ${error instanceof Error ? error.message : String(error)}.` })
  })
