/** Skills from the common folders, the project's before the user's. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as ProjectFiles from "../../domain/config/ProjectFiles.ts"
import * as Skill from "../../domain/context/Skill.ts"
import { Bare } from "../../services/Settings.ts"
import { Environment } from "../../services/Environment.ts"
import { type SkippedSkill, type Skill as SkillEntry, Skills } from "../../services/Skills.ts"
import { SmallFiles } from "./sources/SmallFile.ts"

/** Limits: bytes of a SKILL.md, and skills in a folder. */
const limits = { bytes: 256 * 1024, count: 200 }

export const layer: Layer.Layer<Skills, never, Environment | SmallFiles> = Layer.effect(
  Skills,
  Effect.gen(function*() {
    const files = yield* SmallFiles
    const { folders: { config, home } } = yield* Environment
    const bare = yield* Bare
    const folders = (cwd: string) =>
      bare ? [] : [
        ...ProjectFiles.paths("skills").map((path) => `${cwd}/${path}`),
        `${config}/skills`,
        `${home}/.agents/skills`
      ]

    /** Undefined if the folder does not exist. */
    const open = (folder: string, name: string) =>
      Effect.flatMap(
        files.read(`${folder}/${name}/SKILL.md`, limits.bytes),
        (file) =>
          file._tag === "Text" ? Effect.succeed(Skill.parse(name, file.text))
            : file._tag === "TooLarge" ? Effect.succeed(Result.fail(`its SKILL.md is larger than ${limits.bytes} bytes`))
            : file._tag === "Closed" ? Effect.succeed(Result.fail(file.why))
            : Effect.map(
              files.read(`${folder}/${name}`),
              ({ _tag }) => _tag === "Folder" ? Result.fail("it has no readable SKILL.md") : undefined
            )
      )

    return Skills.of({
      list: Effect.fn("Skills.list")(function*(cwd) {
        const skills = new Map<string, SkillEntry>()
        const skipped: Array<SkippedSkill> = []
        for (const root of folders(cwd)) {
          for (const [i, name] of [...yield* files.names(root)].sort().entries()) {
            const folder = `${root}/${name}`
            const skill = i < limits.count ? yield* open(root, name) : Result.fail(`${root} has more than ${limits.count}`)
            const existing = skills.get(name)
            if (skill === undefined)
              continue
            if (Result.isFailure(skill)) skipped.push({ name, folder, why: skill.failure })
            else if (existing !== undefined)
              skipped.push({ name, folder, description: skill.success.description, why: `${existing.folder} takes precedence` })
            else skills.set(name, { name, description: skill.success.description, folder })
          }
        }
        return { skills: [...skills.values()].sort((a, b) => a.name < b.name ? -1 : 1), skipped }
      }),
      read: Effect.fn("Skills.read")(function*(cwd, name) {
        if (!/^[a-z0-9-]+$/.test(name)) return null
        for (const root of folders(cwd)) {
          const skill = yield* open(root, name)
          if (skill === undefined || Result.isFailure(skill)) continue
          const { body, description } = skill.success
          const otherFiles = [...yield* files.names(`${root}/${name}`)].filter((file) => file !== "SKILL.md").sort()
          return { skill: { name, description, folder: `${root}/${name}` }, body, files: otherFiles }
        }
        return null
      })
    })
  })
)
