/** `--agent`: who works in a session that begins, an agent that the user or a trusted folder has written down. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { Worker } from "../../layers/context/ResolvedAgent.ts"
import { Untrusted, UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import { Wiring } from "../process/AgentLayers.ts"

/** The module that reads agents' files, and what they say for a folder; loaded for those alone who name one. */
export const known = Effect.fnUntraced(function*(cwd: string) {
  const { records } = yield* Wiring
  const [AgentFiles, NodeFileSystem] = yield* Effect.promise(() => Promise.all([import("../../layers/context/AgentProfileFiles.ts"), import("@effect/platform-node/NodeFileSystem")]))
  return { AgentFiles, all: yield* Effect.provide(AgentFiles.all(cwd), Layer.merge(NodeFileSystem.layer, records)) }
})

/** What of an agent's file does not hold here, a sentence each. */
export const remarks = (as: Worker | undefined, cwd: string): ReadonlyArray<string> =>
  as === undefined ? [] : as.notes.map((note) => `${PathName.of(cwd, as.file)}: ${note}.`)

/** The agent that the flags name; undefined where they name none. */
export const named = Effect.fnUntraced(function*({ agent: name }: Values, cwd: string) {
  if (name === undefined) return undefined
  const { AgentFiles, all } = yield* known(cwd)
  const found = AgentFiles.find(all, name)
  if (Result.isSuccess(found)) return found.success
  const left = found.failure
  if (left === undefined) return yield* new UsageError({ message: AgentFiles.unknown(all, name) })
  const { file, line, untrusted, why } = left
  if (untrusted === true) return yield* new Untrusted({ message: `The agent ${name} is written down in ${file}, and ${why}.` })
  const where = line === undefined ? file : `${file}:${line}`
  return yield* new SettingsError({ where, message: `${where} is no agent: ${why}.` })
})
