/** read_skill: the instructions for a kind of work. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Skills } from "../../services/Skills.ts"
import { define, ToolContext } from "../../services/Tool.ts"

const params = Schema.Struct({
  name: Schema.String.annotate({ description: "The skill's name, as listed." })
})

export const ReadSkill = define({
  name: "read_skill",
  description: "Read the instructions of a skill from the list of skills, before you start a task it applies to.",
  params,
  aliases: ["skill", "use_skill"],
  paramAliases: { skill: "name", skill_name: "name" },
  kind: "read",
  idempotent: true,
  hasNoOtherEffects: true,
  tags: ["read"],
  when: ({ hasSkills }) => hasSkills,
  access: ({ name }) => [Access.other("read_skill", { name })],
  run: Effect.fn("read_skill")(function*({ name }) {
    const skills = yield* Skills
    const { cwd } = yield* ToolContext
    const match = yield* skills.read(cwd, name)
    if (match === null) {
      const names = (yield* skills.list(cwd)).skills.map(({ name }) => name)
      return Outcome.mistaken(
        names.length === 0 ? "No skills are available."
          : `No skill is called ${JSON.stringify(name)}. Available skills: ${names.join(", ")}.`
      )
    }
    const { body, files, skill } = match
    const fileList = files.length === 0 ? "" : `\n\n[Other files in ${skill.folder}: ${files.join(", ")}]`
    return Outcome.succeeded(`${Truncate.middle(body, 48_000)}${fileList}`)
  })
})
