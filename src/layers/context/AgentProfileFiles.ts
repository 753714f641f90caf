/** Agent profiles: those of the program, and Markdown files of the project and of the user, in the common folders. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as AgentProfile from "../../domain/config/AgentProfile.ts"
import * as ProjectFiles from "../../domain/config/ProjectFiles.ts"
import * as Frontmatter from "../../domain/message/Frontmatter.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { ProgramAgents } from "../../services/extension/ProgramAgents.ts"
import { Bare } from "../../services/Settings.ts"
import { Environment } from "../../services/Environment.ts"
import { Trust } from "../../services/Trust.ts"
import { SmallFiles } from "./sources/SmallFile.ts"
import * as ResolvedAgent from "./ResolvedAgent.ts"

/** Limits: bytes of a file, and files in a folder. */
const limits = { bytes: 256 * 1024, count: 200 }

/** An invalid profile file, and why; `line` if known, `untrusted` if trusting the folder would help. */
export interface SkippedAgent {
  readonly name: string
  readonly file: string
  readonly why: string
  readonly line?: number
  readonly untrusted?: true
}

export interface AgentList {
  /** Sorted by name; of two with the same name the nearer wins. */
  readonly agents: ReadonlyArray<ResolvedAgent.ResolvedAgent>
  readonly skipped: ReadonlyArray<SkippedAgent>
}

interface AgentFolder {
  readonly folder: string
  readonly isUserDefined: boolean
  /** The plugin whose name stands before those of its agents. */
  readonly plugin?: string
  /** Why a file is inactive; undefined if it is active. */
  readonly skipReason: (file: string, text: string) => string | undefined
}

/** The project's before the user's before those of plugins. */
const agentFolders = Effect.fnUntraced(function*(cwd: string): Effect.fn.Return<ReadonlyArray<AgentFolder>, never, Environment | Trust> {
  const { folders: { config } } = yield* Environment
  if (yield* Bare) return []
  const trust = yield* Trust
  const isTrusted = yield* trust.isTrusted(cwd).pipe(Effect.orElseSucceed(() => false))
  const isActive = yield* trust.activePredicate(cwd).pipe(Effect.orElseSucceed(() => () => false))
  const why = isTrusted ? "it changed since you trusted this folder: run `dacapo trust` to confirm it"
    : "this folder is not trusted: run `dacapo trust` to enable its agents"
  return [
    ...ProjectFiles.paths("agents").map((name): AgentFolder => ({
      folder: `${cwd}/${name}`,
      isUserDefined: false,
      skipReason: (file, text) => isActive(`${name}/${file}`, text) ? undefined : why
    })),
    { folder: `${config}/agents`, isUserDefined: true, skipReason: () => undefined },
    // Others wrote them: like a project's they only make things stricter.
    ...(yield* (yield* Plugins).active).plugins.flatMap(({ agents, name }) =>
      agents.map((folder): AgentFolder => ({ folder, plugin: name, isUserDefined: false, skipReason: () => undefined }))
    )
  ]
})

/** In place of a file, for a profile that the program defined. */
const programFile = "(defined by the program)"

export const all = Effect.fn("AgentFiles.all")(
  function*(cwd: string): Effect.fn.Return<AgentList, never, Environment | SmallFiles | Trust> {
    const agents = new Map<string, ResolvedAgent.ResolvedAgent>()
    const skipped: Array<SkippedAgent> = []
    for (const profile of yield* ProgramAgents) {
      const resolved = ResolvedAgent.of(profile, programFile, false)
      if (Result.isSuccess(resolved)) agents.set(profile.name, resolved.success)
    }
    for (const source of yield* agentFolders(cwd)) {
      for (const agent of yield* inFolder(source)) {
        const existing = agents.get(agent.name)
        if (!("prompt" in agent)) skipped.push(agent)
        else if (existing !== undefined) skipped.push({ name: agent.name, file: agent.file, why: `${existing.file} takes precedence` })
        else agents.set(agent.name, agent)
      }
    }
    return { agents: [...agents.values()].sort((a, b) => a.name < b.name ? -1 : 1), skipped: skipped }
  }
)

/** The agent of this name, or the available ones. */
export const find = (list: AgentList, name: string): Result.Result<ResolvedAgent.ResolvedAgent, SkippedAgent | undefined> => {
  const agent = list.agents.find((one) => one.name === name)
  return agent === undefined ? Result.fail(list.skipped.find((one) => one.name === name)) : Result.succeed(agent)
}

/** The message for an unknown agent name. */
export const unknownAgent = ({ agents }: AgentList, name: string): string =>
  `There is no agent ${JSON.stringify(name)}${
    agents.length === 0 ? ", and no agents are defined here" : `; available agents: ${agents.map(({ name }) => name).join(", ")}`
  }.`

const inFolder = Effect.fnUntraced(function*(source: AgentFolder) {
  const files = yield* SmallFiles
  // A plugin's manifest may also name a single file.
  const names = source.folder.endsWith(".md") ? [source.folder.slice(source.folder.lastIndexOf("/") + 1)]
    : [...yield* files.names(source.folder)]
  const agents = yield* Effect.forEach(
    names.filter((name) => name.endsWith(".md")).sort().slice(0, limits.count),
    (name) => read(files, source, name)
  )
  return agents.filter((one) => one !== undefined)
})

const read = Effect.fnUntraced(
  function*(
    files: SmallFiles["Service"],
    { folder, isUserDefined, plugin, skipReason }: AgentFolder,
    entry: string
  ): Effect.fn.Return<ResolvedAgent.ResolvedAgent | SkippedAgent | undefined> {
    const [file, stem] = [folder.endsWith(`/${entry}`) ? folder : `${folder}/${entry}`, entry.slice(0, -".md".length)]
    const content = yield* files.read(file, limits.bytes)
    if (content._tag === "Folder") return undefined
    if (content._tag === "Closed") return { name: stem, file, why: content.why }
    if (content._tag === "TooLarge") return { name: stem, file, why: `it is larger than ${limits.bytes} bytes` }
    if (content._tag === "Missing") return { name: stem, file, why: "it can't be read" }
    const result = Result.flatMap(
      AgentProfile.parse(stem, content.text),
      (agent) => ResolvedAgent.of(plugin === undefined ? agent : { ...agent, name: `${plugin}:${agent.name}` }, file, isUserDefined)
    )
    const why = skipReason(entry, content.text)
    if (Result.isSuccess(result)) return why === undefined ? result.success : { name: result.success.name, file, why, untrusted: true }
    return { name: Frontmatter.read(content.text).fields.get("name")?.text || stem, file, ...result.failure }
  }
)
