/** `dacapo skills`: those that a session here is told of, where each lies, and what is left out and why. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SkillsLive from "../../layers/context/SkillsLive.ts"
import { Skills } from "../../services/Skills.ts"
import type { Run } from "../Commands.ts"
import { UsageError } from "../process/CliError.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Listed from "./PrintList.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [action = "list", ...more] }) {
  if (action !== "list" || more.length > 0) return yield* new UsageError({ message: `\`dacapo skills\` lists skills, and knows no "${[action, ...more].join(" ")}".` })
  const { cwd: here } = yield* Host
  const { records } = yield* Wiring
  const cwd = yield* Folder.open(here, values.cd)
  const skills = SkillsLive.layer.pipe(Layer.provide(NodeFileSystem.layer), Layer.provide(records))
  const { left, skills: used } = yield* Effect.provide(Effect.flatMap(Skills, ({ list }) => list(cwd)), skills)
  const all: ReadonlyArray<Listed.Written> = [
    ...used.map(({ description, folder, name }) => ({ name, description, from: Listed.from(cwd, folder), path: folder, used: true })),
    ...left.map(({ description = "", folder, name, why }) => ({ name, description, from: Listed.from(cwd, folder), path: folder, used: false, why }))
  ]
  yield* Listed.tell(values, all, Listed.row(cwd), "There is no skill here: a skill is a folder with a SKILL.md, in .dacapo/skills, .agents/skills or .claude/skills.\n")
  return 0
})
