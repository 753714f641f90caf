/** Platform, shell and the day on which the session began. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Environment } from "../../../services/Environment.ts"
import { define } from "../../../services/Source.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import { Plugins } from "../../../services/extension/Plugins.ts"
import { Workspace } from "../../../services/Workspace.ts"
import { Skills } from "../../../services/Skills.ts"
import * as AgentProfileFiles from "../AgentProfileFiles.ts"
import { isSubagent } from "../ResolvedAgent.ts"
import * as MemoryBank from "../../../domain/context/MemoryBank.ts"
import { Bare } from "../../../services/Settings.ts"
import { SmallFiles } from "./SmallFile.ts"

export const environment = define({
  name: "environment",
  isFixed: true,
  gather: Effect.fn("environment")(function*() {
    const { platform } = yield* Environment
    const now = yield* Clock.currentTimeMillis
    return { platform, shell: "bash", date: DateTime.formatIsoDateUtc(DateTime.makeUnsafe(now)) }
  })
})

// The day, checked before each request: sessions are resumed on later days.

export const day = define({
  name: "day",
  isFixed: false,
  gather: Effect.fn("day")(function*() {
    return { today: DateTime.formatIsoDateUtc(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)) }
  })
})

// What is in the working folder when a session begins.

/** The maximum number of entries, and their depth. */
const limit = { depth: 3, limit: 150 }

export const tree = define({
  name: "tree",
  isFixed: true,
  gather: Effect.fn("tree")(function*() {
    const { list } = yield* Workspace
    return yield* list(".", limit).pipe(
      Effect.map(({ entries }) =>
        entries.length === 0 ? {} : {
          tree: entries.map(({ kind, path }) => PathName.singleLinePath(kind === "directory" ? `${path}/` : path))
        }
      ),
      Effect.orElseSucceed(() => ({}))
    )
  })
})

// The available skills, by name and description.

export const skills = define({
  name: "skills",
  isFixed: true,
  gather: Effect.fn("skills")(function*({ cwd }) {
    const { list } = yield* Skills
    const { skills } = yield* list(cwd)
    return skills.length === 0 ? {} : { skills: skills.map(({ description, name }) => ({ name, description })) }
  })
})

// The agents that work can be delegated to, by name and description.

export const agents = define({
  name: "agents",
  isFixed: true,
  gather: Effect.fn("agents")(function*({ cwd }) {
    const { agents } = yield* AgentProfileFiles.all(cwd)
    const visibleAgents = agents.filter((agent) => isSubagent(agent) && agent.description !== "")
    return visibleAgents.length === 0 ? {} : { agents: visibleAgents.map(({ description, name }) => ({ name, description })) }
  })
})

// What the code of plugins adds, gathered once: the prompt stays the same from turn to turn.

export const plugins = define({
  name: "plugins",
  isFixed: true,
  gather: Effect.fn("plugins")(function*({ cwd }) {
    const facts = yield* (yield* Plugins).context(cwd)
    return facts.length === 0 ? {} : { plugins: facts }
  })
})

// The project's memory bank, if it has one; read when a session begins.

export const memory = define({
  name: "memory",
  isFixed: true,
  gather: Effect.fn("memory")(function*({ cwd }) {
    const files = yield* SmallFiles
    const names = (yield* Bare) ? [] : MemoryBank.sortFiles([...yield* files.names(`${cwd}/${MemoryBank.folder}`)])
    const read = yield* Effect.forEach(
      names,
      (name) =>
        Effect.map(
          files.read(`${cwd}/${MemoryBank.folder}/${name}`),
          (file) => file._tag === "Text" ? [{ path: `${MemoryBank.folder}/${name}`, text: file.text }] : []
        )
    )
    return names.length === 0 ? {} : { memory: MemoryBank.truncateFiles(read.flat()) }
  })
})
