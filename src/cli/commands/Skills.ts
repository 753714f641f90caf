/** `dacapo skills`: lists the skills available in this folder, and those that were skipped, with the reason. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SkillsLive from "../../layers/context/SkillsLive.ts"
import * as SmallFile from "../../layers/context/sources/SmallFile.ts"
import { Skills } from "../../services/Skills.ts"
import type { Run } from "../Command.ts"
import { unknownAction } from "../process/CliError.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as PrintList from "./PrintList.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [action = "list", ...extraArgs] }) {
  if (action !== "list" || extraArgs.length > 0) return yield* unknownAction("skills", [action, ...extraArgs].join(" "), ["list"])
  const { cwd: hostCwd } = yield* Host
  const { records } = yield* AgentLayers
  const cwd = yield* WorkingFolder.open(hostCwd, values.cd)
  const skills = SkillsLive.layer.pipe(Layer.provide(SmallFile.layerMachine), Layer.provide(NodeFileSystem.layer), Layer.provide(records))
  const { skipped, skills: available } = yield* Effect.provide(Effect.flatMap(Skills, ({ list }) => list(cwd)), skills)
  const all: ReadonlyArray<PrintList.ListEntry> = [
    ...available.map(({ description, folder, name }) => ({
      name,
      description,
      from: PrintList.sourceOf(cwd, folder),
      path: folder,
      used: true
    })),
    ...skipped.map(({ description = "", folder, name, why }) => ({
      name,
      description,
      from: PrintList.sourceOf(cwd, folder),
      path: folder,
      used: false,
      why
    }))
  ]
  yield* PrintList.printList(
    values,
    all,
    PrintList.row(cwd),
    "No skills found. " +
      "Create a folder with a SKILL.md in .dacapo/skills, .agents/skills or .claude/skills.\n"
  )
  return 0
})
