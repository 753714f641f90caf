/** `dacapo agents`: those that `--agent` can name here, where each lies, and which files are none and why. */
import * as Effect from "effect/Effect"
import type { Left } from "../../layers/context/AgentProfileFiles.ts"
import type { Worker } from "../../layers/context/ResolvedAgent.ts"
import * as As from "../start/AgentFlag.ts"
import type { Run } from "../Commands.ts"
import { UsageError } from "../process/CliError.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Listed from "./PrintList.ts"

/** What of it a session takes, where its file says so. */
interface Row extends Listed.Written, Partial<Pick<Worker, "model" | "mode" | "permissionMode">> {
  readonly tools?: ReadonlyArray<string>
  readonly notes?: ReadonlyArray<string>
}

export const run: Run = Effect.fnUntraced(function*({ values, words: [action = "list", ...more] }) {
  if (action !== "list" || more.length > 0) return yield* new UsageError({ message: `\`dacapo agents\` lists agents, and knows no "${[action, ...more].join(" ")}".` })
  const { cwd: here } = yield* Host
  const cwd = yield* Folder.open(here, values.cd)
  const { all: { agents, left } } = yield* As.known(cwd)
  const rows: ReadonlyArray<Row> = [...agents.map(used), ...left.map(unused(cwd))]
  const row = (one: Row): string => Listed.row(cwd, told(one))(one)
  yield* Listed.tell(values, rows, row, "There is no agent here: an agent is a Markdown file in .dacapo/agents or .claude/agents, or your own in the folder of config.jsonc.\n")
  return 0
})

const used = ({ description, file, mode, model, name, notes, onlyTools, own, permissionMode }: Worker): Row => ({
  name,
  description,
  from: own ? "user" : "project",
  path: file,
  used: true,
  ...(model === undefined ? {} : { model }),
  ...(onlyTools === undefined ? {} : { tools: onlyTools }),
  ...(permissionMode === undefined ? {} : { permissionMode }),
  ...(mode === undefined ? {} : { mode }),
  ...(notes.length === 0 ? {} : { notes })
})

const unused = (cwd: string) => ({ file, line, name, why }: Left): Row => ({
  name,
  description: "",
  from: Listed.from(cwd, file),
  path: file,
  used: false,
  why: line === undefined ? why : `line ${line}: ${why}`
})

const told = ({ mode, model, notes = [], permissionMode, tools }: Row): ReadonlyArray<string> => {
  const said = [["model", model], ["tools", tools?.join(", ")], ["permission mode", permissionMode], ["mode", mode]].flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value || "none"}`])
  return [...said.length === 0 ? [] : [said.join("; ")], ...notes]
}
