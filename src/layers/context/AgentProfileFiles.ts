/** The agents that users wrote down: Markdown files of the project and of the user, in the folders where tools of the field keep them. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as CustomAgent from "../../domain/config/AgentProfile.ts"
import * as Frontmatter from "../../domain/message/Frontmatter.ts"
import { Bare } from "../../services/Bare.ts"
import { Environment } from "../../services/Environment.ts"
import { Trust } from "../../services/Trust.ts"
import * as Worker from "./ResolvedAgent.ts"

/** Bytes of one, and files of one folder. */
const limits = { bytes: 256 * 1024, count: 200 }

/** Where a project may keep them, the first before the others. */
export const projects: ReadonlyArray<string> = [".dacapo/agents", ".claude/agents", ".opencode/agents", ".opencode/agent", ".gemini/agents"]

/** A file that is no agent here, and why; `line` where it can be told, `untrusted` where trust in the folder would change it. */
export interface Left {
  readonly name: string
  readonly file: string
  readonly why: string
  readonly line?: number
  readonly untrusted?: true
}

export interface Known {
  /** In the order of their names; of two with one name the nearer counts. */
  readonly agents: ReadonlyArray<Worker.Worker>
  readonly left: ReadonlyArray<Left>
}

interface Place {
  readonly folder: string
  readonly own: boolean
  readonly trusted: boolean
}

/** The project's before the user's. */
const places = Effect.fnUntraced(function*(cwd: string) {
  const { folders: { config } } = yield* Environment
  if (yield* Bare) return []
  const trusted = yield* (yield* Trust).holds(cwd).pipe(Effect.orElseSucceed(() => false))
  return [
    ...projects.map((name): Place => ({ folder: `${cwd}/${name}`, own: false, trusted })),
    { folder: `${config}/agents`, own: true, trusted: true }
  ]
})

export const all = Effect.fn("AgentFiles.all")(function*(cwd: string): Effect.fn.Return<Known, never, Environment | FileSystem.FileSystem | Trust> {
  const agents = new Map<string, Worker.Worker>()
  const left: Array<Left> = []
  for (const place of yield* places(cwd)) {
    for (const found of yield* inFolder(place)) {
      const before = agents.get(found.name)
      if (!("prompt" in found)) left.push(found)
      else if (!place.trusted) left.push({ name: found.name, file: found.file, why: "this folder is not trusted: `dacapo trust` lets its agents work", untrusted: true })
      else if (before !== undefined) left.push({ name: found.name, file: found.file, why: `${before.file} goes before it` })
      else agents.set(found.name, found)
    }
  }
  return { agents: [...agents.values()].sort((a, b) => a.name < b.name ? -1 : 1), left }
})

/** The agent of this name, or what there is in its place. */
export const find = (known: Known, name: string): Result.Result<Worker.Worker, Left | undefined> => {
  const agent = known.agents.find((one) => one.name === name)
  return agent === undefined ? Result.fail(known.left.find((one) => one.name === name)) : Result.succeed(agent)
}

/** The sentence for a name that no agent has. */
export const unknown = ({ agents }: Known, name: string): string =>
  `There is no agent ${JSON.stringify(name)}${agents.length === 0 ? ", and no other one here" : `; there are ${agents.map(({ name }) => name).join(", ")}`}.`

const inFolder = Effect.fnUntraced(function*({ folder, own }: Place) {
  const files = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(files.readDirectory(folder), (): Array<string> => [])
  const found = yield* Effect.forEach(names.filter((name) => name.endsWith(".md")).sort().slice(0, limits.count), (name) =>
    read(files, `${folder}/${name}`, name.slice(0, -".md".length), own))
  return found.filter((one) => one !== undefined)
})

const read = Effect.fnUntraced(function*(files: FileSystem.FileSystem, file: string, stem: string, own: boolean): Effect.fn.Return<Worker.Worker | Left | undefined> {
  const text = yield* files.stat(file).pipe(
    Effect.flatMap(({ size, type }) => type !== "File" ? Effect.succeed(undefined) : Number(size) > limits.bytes ? Effect.succeed(null) : files.readFileString(file)),
    Effect.option
  )
  if (Option.isNone(text)) return { name: stem, file, why: "it can't be read" }
  if (text.value === undefined) return undefined
  if (text.value === null) return { name: stem, file, why: `it has more than ${limits.bytes} bytes` }
  const worker = Result.flatMap(CustomAgent.parse(stem, text.value), (agent) => Worker.of(agent, file, own))
  return Result.isSuccess(worker) ? worker.success : { name: Frontmatter.read(text.value).fields.get("name")?.text || stem, file, ...worker.failure }
})
