/** Opens a text in the user's editor: the input line, or a parameter of a tool call before the call is approved. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ToolCall } from "../../domain/message/Message.ts"
import type { ToolSpec } from "../../domain/tool/ToolSpec.ts"
import * as Programs from "../../layers/workspace/Programs.ts"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

/**
 * The parameter that a person would edit: the last raw one of the tool, else the longest text. Undefined for a call without
 * text parameters.
 */
export const editableParam = ({ params }: ToolCall, spec: ToolSpec | undefined): string | undefined => {
  const texts = Object.entries(typeof params === "object" && params !== null ? params : {}).filter((entry): entry is [string, string] =>
    typeof entry[1] === "string"
  )
  const raw = spec?.params.filter(({ raw }) => raw === true).map(({ name }) => name) ?? []
  const rawText = texts.filter(([name]) => raw.includes(name)).sort(([a], [b]) => raw.indexOf(a) - raw.indexOf(b)).at(-1)
  return (rawText ?? texts.sort(([, a], [, b]) => b.length - a.length)[0])?.[0]
}

/** The text as the user leaves it. The editor uses the terminal meanwhile. */
export const editText = Effect.fnUntraced(function*(text: string) {
  const { cwd, environment } = yield* Host
  const { variables } = environment
  return yield* runEditor(variables["VISUAL"] || variables["EDITOR"] || "vi", text, Programs.variables(environment, [cwd]))
})

/** The edited parameters; undefined if nothing changed. */
export const edit = Effect.fnUntraced(function*(call: ToolCall, name: string) {
  const params = call.params as Readonly<Record<string, Schema.Json>>
  const original = String(params[name])
  const edited = yield* editText(original)
  return edited === original ? undefined : { ...params, [name]: edited } satisfies Schema.Json
})

/** Editors add a final newline, which is removed if the original text had none. */
const runEditor = (editor: string, original: string, env: Record<string, string>): Effect.Effect<string, InputError> =>
  Effect.tryPromise({
    try: async () => {
      const folder = await mkdtemp(join(tmpdir(), "dacapo-edit-"))
      try {
        const file = join(folder, "proposed.txt")
        await writeFile(file, original, { mode: 0o600 })
        const editorProcess = spawn("/bin/sh", ["-c", `${editor} "$0"`, file], { env, stdio: "inherit" })
        const code = await new Promise<number | null>((resolve, reject) => editorProcess.on("error", reject).on("exit", resolve))
        if (code !== 0) throw new Error(`it exited with code ${code}`)
        const edited = await readFile(file, "utf8")
        return original.endsWith("\n") ? edited : edited.replace(/\n$/, "")
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    catch: (error) =>
      new InputError({
        message: `Could not edit with ${editor}: ${
          error instanceof Error ? error.message : String(error)
        }. Set $VISUAL or $EDITOR to choose an editor.`
      })
  })
