/** `--agent`: the agent profile of a new session, defined by the user or in a trusted folder. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { ResolvedAgent } from "../../layers/context/ResolvedAgent.ts"
import { UntrustedError, UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

/** Loads the profiles of a folder, and the module that reads them, which is only imported when needed. */
export const loadProfiles = Effect.fnUntraced(function*(cwd: string) {
  const { records } = yield* AgentLayers
  const [AgentFiles, SmallFile, NodeFileSystem] = yield* Effect.promise(() =>
    Promise.all([
      import("../../layers/context/AgentProfileFiles.ts"),
      import("../../layers/context/sources/SmallFile.ts"),
      import("@effect/platform-node/NodeFileSystem")
    ])
  )
  return {
    AgentFiles,
    profiles: yield* Effect.provide(AgentFiles.all(cwd), Layer.merge(Layer.provide(SmallFile.layerMachine, NodeFileSystem.layer), records))
  }
})

/** Notes on settings of a profile that have no effect here, one sentence each. */
export const profileNotes = (profile: ResolvedAgent | undefined, cwd: string): ReadonlyArray<string> =>
  profile === undefined ? [] : profile.notes.map((note) => `${PathName.relativePath(cwd, profile.file)}: ${note}.`)

/** The profile that `--agent` names; undefined without the flag. */
export const resolve = Effect.fnUntraced(function*({ agent: name }: Values, cwd: string) {
  if (name === undefined) return undefined
  const { AgentFiles, profiles } = yield* loadProfiles(cwd)
  const match = AgentFiles.find(profiles, name)
  if (Result.isSuccess(match)) return match.success
  const failure = match.failure
  if (failure === undefined) return yield* new UsageError({ message: AgentFiles.unknownAgent(profiles, name) })
  const { file, line, untrusted, why } = failure
  if (untrusted === true) return yield* new UntrustedError({ message: `The agent ${name} is defined in ${file}, but ${why}.` })
  const location = line === undefined ? file : `${file}:${line}`
  return yield* new SettingsError({ where: location, message: `${location} is not a valid agent profile: ${why}.` })
})
