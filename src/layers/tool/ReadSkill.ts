/** read_skill: the instructions that someone wrote for a kind of work. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Skills } from "../../services/Skills.ts"
import { define, ToolContext } from "../../services/Tool.ts"

const params = Schema.Struct({
  name: Schema.String.annotate({ description: "The skill's name, as listed." })
})

export const ReadSkill = define({
  name: "read_skill",
  description: "Read a skill from the list of skills, before you do work that it is for.",
  params,
  aliases: ["skill", "use_skill"],
  paramAliases: { skill: "name", skill_name: "name" },
  kind: "read",
  idempotent: true,
  quiet: true,
  tags: ["read"],
  access: ({ name }) => [Access.other("read_skill", { name })],
  run: Effect.fn("read_skill")(function*({ name }) {
    const skills = yield* Skills
    const { cwd } = yield* ToolContext
    const found = yield* skills.read(cwd, name)
    if (found === null) {
      const known = (yield* skills.list(cwd)).skills.map(({ name }) => name)
      return Outcome.mistaken(known.length === 0 ? "There are no skills here." : `There is no skill ${JSON.stringify(name)}. There are: ${known.join(", ")}.`)
    }
    const { body, files, skill } = found
    const beside = files.length === 0 ? "" : `\n\n[Beside it in ${skill.folder}: ${files.join(", ")}]`
    return Outcome.succeeded(`${Clip.middle(body, 48_000)}${beside}`)
  })
})
