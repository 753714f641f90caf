/** The whole program as one effect that returns the exit code. It never fails: errors are reported before it returns. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { resolve } from "node:path"
import { optional } from "../domain/Optional.ts"
import type { Values } from "./args/Flags.ts"
import * as ParseArgs from "./args/ParseArgs.ts"
import { takesArgs } from "./Command.ts"
import * as Commands from "./Commands.ts"
import { OutputError, UsageError } from "./process/CliError.ts"
import * as Conclusion from "./process/Conclusion.ts"
import * as CrashReport from "./process/CrashReport.ts"
import * as ErrorMessage from "./process/ErrorMessage.ts"
import * as ExitCode from "./process/ExitCode.ts"
import { Host } from "./process/Host.ts"
import { RunPlugins } from "../services/extension/Plugins.ts"
import type { Redactor } from "../services/Redactor.ts"
import { Bare, Overrides, StrictMcp } from "../services/Settings.ts"
import { StorageAddress } from "../services/Storage.ts"
import type { AgentLayers } from "./process/AgentLayers.ts"

export const main: Effect.Effect<number, never, Host | Redactor | AgentLayers> = Effect.gen(function*() {
  const { args } = yield* Host
  const parsed = ParseArgs.parse(args)
  return yield* dispatch(parsed).pipe(
    Effect.catchCause(conclude),
    Effect.onInterrupt(() => Effect.ignore(conclude(Cause.interrupt()))),
    Effect.provide(Conclusion.layer(parsed.values)),
    Effect.catchTag("OutputError", Effect.fnUntraced(reportOutputError))
  )
})

const dispatch = Effect.fnUntraced(function*({ command, problem, values, args, optionalValueIndexes }: ParseArgs.CommandLine) {
  if (problem !== undefined) return yield* new UsageError({ message: problem })
  const name = values.version === true ? "version" : values.help === true ? "help" : command
  const definition = Commands.byName.get(name)!
  if (name === command && args.length > 0 && !takesArgs(definition)) {
    return yield* new UsageError({ message: `\`dacapo ${name}\` takes no arguments, but was given "${args[0]}".` })
  }
  const { run } = yield* Effect.promise(definition.load)
  const invocation = {
    commands: Commands.list,
    args: name === "help" && command !== "help" ? [command] : args,
    values,
    ...optional({ optionalValueIndexes })
  }
  return yield* run(invocation).pipe(
    Effect.provideService(Overrides, yield* overrides(values.config)),
    Effect.provideService(Bare, values.bare === true),
    Effect.provideService(StrictMcp, values.strictMcpConfig === true),
    Effect.provideService(RunPlugins, yield* runPlugins(values)),
    Effect.provideService(StorageAddress, values.storage)
  )
})

/** The plugins of `--plugin-dir`. One that can't be read ends the command: its hooks may guard calls. */
const runPlugins = Effect.fnUntraced(function*({ pluginDir = [], pluginDirNoMcp = [] }: Values) {
  if (pluginDir.length + pluginDirNoMcp.length === 0) return { plugins: [], notes: [] }
  const { cwd } = yield* Host
  const { ofFolders } = yield* Effect.promise(() => import("../layers/extension/PluginsLive.ts"))
  const entries = (folders: ReadonlyArray<string>, hasServers: boolean) =>
    folders.map((folder) => ({ folder: resolve(cwd, folder), hasServers }))
  const loaded = ofFolders([...entries(pluginDir, true), ...entries(pluginDirNoMcp, false)])
  return Result.isFailure(loaded) ? yield* new UsageError({ message: loaded.failure }) : loaded.success
})

/** Settings overridden for this run with `--config`. */
const overrides = Effect.fnUntraced(function*(assignments: ReadonlyArray<string> = []) {
  if (assignments.length === 0) return []
  const SettingPath = yield* Effect.promise(() => import("../domain/config/SettingPath.ts"))
  return yield* Effect.forEach(assignments, (text) => {
    const override = SettingPath.assignment(text)
    return override === undefined
      ? Effect.fail(
        new UsageError({
          message: `"${text}" is not a valid value for --config; expected name=value, where name is one of ${SettingPath.names.join(", ")}.`
        })
      )
      : Effect.succeed(override)
  })
})

/** Reports an error and returns its exit code. Interruptions are reported by the finalizer, which a signal can't interrupt. */
const conclude = Effect.fnUntraced(function*(cause: Cause.Cause<ExitCode.Failure>) {
  const { finish } = yield* Conclusion.Conclusion
  const { defect, signal } = yield* Host
  const crash = defect()
  if (crash !== undefined) return yield* finish(ExitCode.endings.internal, yield* CrashReport.write(crash.defect))
  if (Cause.hasInterruptsOnly(cause)) {
    return yield* finish(ExitCode.signals[signal() ?? "SIGINT"], "Interrupted. Run `dacapo --continue` to continue.")
  }
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) return yield* finish(ExitCode.endings.internal, yield* CrashReport.write(Cause.squash(cause)))
  if (failure.value._tag === "OutputError") return yield* failure.value
  return yield* finish(ExitCode.fromFailure(failure.value), ErrorMessage.report(failure.value))
})

/** A closed pipe ends the program quietly; any other failure of standard output is reported on standard error. */
function* reportOutputError(error: OutputError) {
  if (error.code === "EPIPE") return 0
  const { stderr } = yield* Host
  yield* Effect.ignore(stderr.write(`dacapo: ${error.message}\n`))
  return ExitCode.endings.internal.exit
}
