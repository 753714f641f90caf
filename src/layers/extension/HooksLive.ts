/**
 * Runs hooks: commands with the shell of tool calls, under its sandbox and environment; addresses by POST
 * behind the network guard; callbacks in the program that runs this process.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { expand } from "../../domain/config/Variables.ts"
import * as Hook from "../../domain/hook/Hook.ts"
import * as HookAnswer from "../../domain/hook/HookAnswer.ts"
import * as HookFiles from "../../domain/hook/HookFiles.ts"
import * as ToolNames from "../../domain/tool/ToolNames.ts"
import { rootVariables } from "../../domain/extension/CustomTool.ts"
import { Environment } from "../../services/Environment.ts"
import { ClientProgram } from "../../services/extension/ClientProgram.ts"
import { type HookRequest, Hooks } from "../../services/extension/Hooks.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { Fetch } from "../../services/Fetch.ts"
import { Shell } from "../../services/Shell.ts"
import { Trust } from "../../services/Trust.ts"
import * as PinnedFetch from "../network/PinnedFetch.ts"
import { wires } from "../network/Pinned.ts"
import * as ActiveFiles from "../settings/ActiveFiles.ts"
import * as Quote from "../../domain/tool/shell/Quote.ts"

/** Bytes of output that are read of a hook. */
const maxOutputBytes = 1024 * 1024

const decoder = new TextDecoder()

export const layer = Layer.effect(
  Hooks,
  Effect.gen(function*() {
    const { variables } = yield* Environment
    const shell = yield* Shell
    const trust = yield* Trust
    const fetch = yield* Fetch
    const plugins = yield* Plugins
    const program = yield* ClientProgram

    /** Why a project's hook does not run: a program of the repository that it names is not the one that the user trusted. */
    const changedProgram = Effect.fnUntraced(function*(command: string, cwd: string) {
      const isActive = yield* trust.activePredicate(cwd)
      for (const path of HookFiles.referenced(command)) {
        const content = ActiveFiles.read(cwd, path)
        if (content !== undefined && !isActive(path, content)) return path
      }
      return undefined
    })

    const runCommand = Effect.fnUntraced(function*(command: string, { cwd, input }: HookRequest, root?: string) {
      const chunks: Array<Uint8Array> = []
      let size = 0
      const running = yield* shell.start({
        command: wrap(command, cwd),
        ...(root === undefined ? {} : { variables: Object.fromEntries(rootVariables.map((name) => [name, root])) }),
        cwd,
        input: JSON.stringify(input),
        onBytes: (bytes) => {
          if ((size += bytes.length) <= maxOutputBytes) chunks.push(bytes)
        }
      })
      const { code, signal } = yield* running.exit
      if (size > maxOutputBytes) return noExit(`it printed more than ${maxOutputBytes / 1024} kB`)
      const output = decoder.decode(Buffer.concat(chunks))
      const end = output.lastIndexOf("\0")
      return end < 0
        ? noExit(`it ended by ${signal ?? "itself"}`)
        : { code, stdout: output.slice(0, end), stderr: output.slice(end + 1) }
    })

    /** `isForeign`: others wrote the hook, so it reaches no private address, and no variable of the user's. */
    const post = Effect.fnUntraced(
      function*({ headers = {}, url }: Extract<Hook.Hook["run"], { _tag: "Http" }>, isForeign: boolean, input: unknown) {
        const { host } = new URL(url)
        const pinned = yield* PinnedFetch.make(fetch, (other) => !isForeign && new URL(other).host === host, wires)
        const response = yield* Effect.promise((signal) =>
          pinned(url, {
            method: "POST",
            redirect: "error",
            headers: { "content-type": "application/json", ...(isForeign ? headers : expandAll(headers)) },
            body: JSON.stringify(input),
            signal
          })
        )
        const text = yield* Effect.promise(() => response.text())
        return { code: response.ok ? 0 : response.status, stdout: text.slice(0, maxOutputBytes), stderr: "" }
      }
    )

    /** Only in hooks of the user's own: a repository names no variable whose value is sent to its host. */
    const expandAll = (headers: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, expand(text, variables)]))

    const run = Effect.fnUntraced(function*(hook: Hook.Hook, request: HookRequest) {
      const { isProject = false, plugin, run } = hook
      if (run._tag === "Program") {
        const response = yield* program.hook(run.callback, request.input, request.point.call)
        return { code: 0, stdout: JSON.stringify(response), stderr: "" }
      }
      const root = plugin === undefined ? undefined : (yield* plugins.find(plugin))?.root
      if (plugin !== undefined && root === undefined) return noExit(`the plugin ${plugin} is not active any more`)
      if (run._tag === "Http") return yield* post(run, isProject || plugin !== undefined, request.input)
      const changed = isProject ? yield* changedProgram(run.command, request.cwd) : undefined
      return changed === undefined ? yield* runCommand(run.command, request, root)
        : noExit(`${changed} changed since you trusted this folder. Run \`dacapo trust\` to confirm it`)
    })

    const exitOf = (hook: Hook.Hook, request: HookRequest): Effect.Effect<HookAnswer.HookExit> =>
      run(hook, request).pipe(
        Effect.scoped,
        Effect.timeoutOption(Duration.millis(hook.timeoutMs)),
        Effect.map(Option.getOrElse(() => noExit(`it did not finish within ${hook.timeoutMs / 1000} s`))),
        Effect.catch((error) => Effect.succeed(noExit(error.message))),
        Effect.catchDefect((defect) => Effect.succeed(noExit(defect instanceof Error ? defect.message : String(defect))))
      )

    return Hooks.of({
      answer: Effect.fn("Hooks.answer")(function*(request) {
        const { hooks, point, tool } = request
        const exits = yield* Effect.forEach(hooks, (hook) => exitOf(hook, request), { concurrency: "unbounded" })
        const answers = hooks.map((hook, i) => HookAnswer.fromExit(hook, exits[i]!))
        const { input, ...answer } = HookAnswer.combine(answers)
        return {
          hook: point.event,
          ...(point.call === undefined ? {} : { call: point.call }),
          ...answer,
          ...(input === undefined || tool === undefined ? {} : { input: ToolNames.claude.params(tool, input) }),
          result: hooks.map((hook, i) => ({ hook: Hook.title(hook), code: exits[i]!.code, ...answers[i] }))
        }
      })
    })
  })
)

const noExit = (message: string): HookAnswer.HookExit => ({ code: null, stdout: "", stderr: "", message })

/** Standard output as it comes; after it a NUL and standard error. Both are one stream of a command. */
const wrap = (command: string, cwd: string): string =>
  [
    `export DACAPO_PROJECT_DIR=${Quote.always(cwd)} CLAUDE_PROJECT_DIR=${Quote.always(cwd)} GEMINI_PROJECT_DIR=${Quote.always(cwd)}`,
    "exec 3>&1",
    `errors=$( { eval ${Quote.always(command)}; } 2>&1 1>&3 3>&- )`,
    "code=$?",
    "printf '\\0%s' \"$errors\"",
    "exit $code"
  ].join("\n")
