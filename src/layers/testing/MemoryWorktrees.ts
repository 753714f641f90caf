/**
 * Worktrees of a workspace in memory: each is a copy of its files. They merge file by file: two changes of one file are a
 * conflict, unless they are the same.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SubagentWork } from "../../domain/subagent/MergedWork.ts"
import { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import { Agent } from "../../services/Agent.ts"
import { type SubagentWorktree, type WorktreeService, Worktrees } from "../../services/Worktrees.ts"
import * as Composition from "../Composition.ts"
import * as Core from "../Core.ts"
import * as MemoryCheckpoints from "./MemoryCheckpoints.ts"
import * as MemoryWorkspace from "./MemoryWorkspace.ts"

type Files = MemoryWorkspace.Files

/** `files` are the current ones while there is a folder, then those at its end. */
interface Worktree {
  readonly base: Files
  readonly files: Files
  readonly hasFolder: boolean
}

/** The test composition's agent, over the services of its parent, in a folder with these files. */
const agentFor = (cwd: string, files: Files) =>
  Composition.layer({
    ...Core.parts(),
    agent: Core.agent.agent,
    subagents: Core.agent.subagents,
    settingsSnapshot: Core.settingsSnapshot(cwd),
    checkpoints: MemoryCheckpoints.layer(files),
    workspace: MemoryWorkspace.layer(files, cwd)
  })

/** Worktrees of `files`, the workspace of `Test.layer({ files })`. */
export const layer = (files: Files) => layerWith(files, agentFor)

/** `agentIn` is the agent of a folder with these files; `folders` are the files of each worktree, by its folder. */
export const layerWith = <E extends { readonly message: string }, R>(
  files: Files,
  agentIn: (cwd: string, files: Files) => Layer.Layer<Agent, E, R>,
  folders: Map<string, Files> = new Map()
): Layer.Layer<never, never, R> =>
  Layer.effect(
    Worktrees,
    Effect.gen(function*() {
      const services = yield* Effect.context<R>()
      const worktrees = new Map<string, Worktree>()
      const folderOf = (cwd: string, name: string): string => `${cwd}/.worktrees/${name}`
      const branchOf = (name: string): string => `memory/${name}`

      const mergeOne = ({ index, name, shouldMerge, title }: SubagentWorktree): ReadonlyArray<SubagentWork> => {
        const worktree = worktrees.get(name)
        if (worktree === undefined) return []
        const changed = differing(worktree.base, worktree.files)
        const conflicts = changed.filter((path) =>
          !isSame(files.get(path), worktree.base.get(path)) && !isSame(files.get(path), worktree.files.get(path))
        )
        const state = changed.length === 0 ? "unchanged" : !shouldMerge ? "kept" : conflicts.length > 0 ? "conflicts" : "merged"
        if (state === "merged") {
          for (const path of changed) {
            const bytes = worktree.files.get(path)
            if (bytes === undefined) files.delete(path)
            else files.set(path, bytes)
          }
        }
        return [{
          place: index,
          name: title,
          branch: branchOf(name),
          base: "memory",
          state,
          changed,
          conflicts: state === "conflicts" ? conflicts : []
        }]
      }

      const cleanUp: WorktreeService["cleanUp"] = (cwd, work) =>
        Effect.sync(() => {
          for (const { branch, state } of work) {
            const name = branch.replace(/^memory\//, "")
            const worktree = worktrees.get(name)
            const hasBranch = state !== "merged" && state !== "unchanged"
            if (hasBranch && worktree !== undefined) worktrees.set(name, { ...worktree, files: new Map(worktree.files), hasFolder: false })
            else worktrees.delete(name)
            folders.delete(folderOf(cwd, name))
          }
        })

      const merge: WorktreeService["merge"] = (_, __, parts) => Effect.sync(() => parts.flatMap(mergeOne))

      const service: WorktreeService = {
        sharingReason: () => Effect.succeed(undefined),
        open: Effect.fnUntraced(function*(from, name) {
          const cwd = folderOf(from, name)
          const previous = worktrees.get(name)
          const worktree = previous?.hasFolder === true ? previous
            : { base: new Map(previous?.base ?? files), files: new Map(previous?.files ?? files), hasFolder: true }
          worktrees.set(name, worktree)
          folders.set(cwd, worktree.files)
          // A separate memo map: what the parent has built works in another folder.
          const context = yield* Layer.buildWithMemoMap(agentIn(cwd, worktree.files), yield* Layer.makeMemoMap, yield* Effect.scope).pipe(
            Effect.mapError(({ message }) => new CheckpointError({ reason: "Failed", message })),
            Effect.provide(Context.add(services, Worktrees, service))
          )
          return { cwd, agent: Context.get(context, Agent) }
        }),
        merge,
        cleanUp,
        keepBranches: (cwd, parts) =>
          merge("", cwd, parts.map((part) => ({ ...part, shouldMerge: false }))).pipe(Effect.tap((work) => cleanUp(cwd, work)))
      }
      return service
    })
  )

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Buffer.from(a).equals(b))

/** The paths of files that differ. */
const differing = (before: Files, after: Files): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => !isSame(before.get(path), after.get(path))).toSorted()
