/** A SKILL.md in the common format (agentskills.io): frontmatter with a name and a description, then the instructions. */
import * as Result from "effect/Result"
import * as Frontmatter from "../message/Frontmatter.ts"

export interface SkillFile {
  readonly name: string
  readonly description: string
  readonly body: string
}

const limits = { name: 64, description: 1024 }

/** `folder` is the name of its folder, which must match the skill's name. */
export const parse = (folder: string, text: string): Result.Result<SkillFile, string> => {
  const { body, fields } = Frontmatter.read(text)
  const name = fields.get("name")?.text
  const description = fields.get("description")?.text
  return name === undefined || name === "" ? Result.fail("its frontmatter has no name")
    : !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > limits.name ?
    Result.fail(
      `its name ${
        JSON.stringify(name.slice(0, 80))
      } must consist of lower-case letters, digits and single hyphens, with at most ${limits.name} characters`
    )
    : name !== folder ? Result.fail(`its name is ${name}, but its folder is ${folder}`)
    : description === undefined || description === "" ? Result.fail("its frontmatter has no description")
    : description.length > limits.description ? Result.fail(`its description is longer than ${limits.description} characters`)
    : Result.succeed({ name, description, body: body.trim() })
}
