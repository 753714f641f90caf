/** Skills from the folders where tools of the field keep them, the project's before the user's. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Skill from "../../domain/context/Skill.ts"
import { Bare } from "../../services/Bare.ts"
import { Environment } from "../../services/Environment.ts"
import { type Left, type Skill as Found, Skills } from "../../services/Skills.ts"

/** Bytes of a SKILL.md, and skills of one folder. */
const limits = { bytes: 256 * 1024, count: 200 }

export const layer: Layer.Layer<Skills, never, Environment | FileSystem.FileSystem> = Layer.effect(Skills, Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const { folders: { config, home } } = yield* Environment
  const bare = yield* Bare
  const places = (cwd: string) => bare ? [] : [
    ...[".dacapo", ".agents", ".claude"].map((name) => `${cwd}/${name}/skills`),
    `${config}/skills`,
    `${home}/.agents/skills`
  ]
  const names = (folder: string) => Effect.orElseSucceed(files.readDirectory(folder), (): Array<string> => [])

  /** Undefined where there is no such folder. */
  const open = (folder: string, name: string) =>
    files.stat(`${folder}/${name}/SKILL.md`).pipe(
      Effect.flatMap(({ size }) => Number(size) > limits.bytes
        ? Effect.succeed(Result.fail(`it has more than ${limits.bytes} bytes`))
        : Effect.map(files.readFileString(`${folder}/${name}/SKILL.md`), (text) => Skill.parse(name, text))),
      Effect.catch(() => files.stat(`${folder}/${name}`).pipe(
        Effect.map(({ type }) => type === "Directory" ? Result.fail("there is no SKILL.md in it that can be read") : undefined),
        Effect.orElseSucceed(() => undefined)
      ))
    )

  return Skills.of({
    list: Effect.fn("Skills.list")(function*(cwd) {
      const found = new Map<string, Found>()
      const left: Array<Left> = []
      for (const place of places(cwd)) {
        for (const [i, name] of (yield* names(place)).sort().entries()) {
          const folder = `${place}/${name}`
          const skill = i < limits.count ? yield* open(place, name) : Result.fail(`${place} has more than ${limits.count}`)
          const before = found.get(name)
          if (skill === undefined) continue
          if (Result.isFailure(skill)) left.push({ name, folder, why: skill.failure })
          else if (before !== undefined) left.push({ name, folder, description: skill.success.description, why: `${before.folder} goes before it` })
          else found.set(name, { name, description: skill.success.description, folder })
        }
      }
      return { skills: [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1), left }
    }),
    read: Effect.fn("Skills.read")(function*(cwd, name) {
      if (!/^[a-z0-9-]+$/.test(name)) return null
      for (const place of places(cwd)) {
        const skill = yield* open(place, name)
        if (skill === undefined || Result.isFailure(skill)) continue
        const { body, description } = skill.success
        const beside = (yield* names(`${place}/${name}`)).filter((file) => file !== "SKILL.md").sort()
        return { skill: { name, description, folder: `${place}/${name}` }, body, files: beside }
      }
      return null
    })
  })
}))
