/** The skills that there are, by name and description. */
import * as Effect from "effect/Effect"
import { Skills } from "../../../services/Skills.ts"
import { define } from "../../../services/Source.ts"

export const skills = define({
  name: "skills",
  fixed: true,
  gather: Effect.fn("skills")(function*({ cwd }) {
    const { list } = yield* Skills
    const { skills } = yield* list(cwd)
    return skills.length === 0 ? {} : { skills: skills.map(({ description, name }) => ({ name, description })) }
  })
})
