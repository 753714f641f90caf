/** `dacapo agents`: lists the agent profiles available to `--agent`, and the files that were skipped, with the reason. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import type { SkippedAgent } from "../../layers/context/AgentProfileFiles.ts"
import type { ResolvedAgent } from "../../layers/context/ResolvedAgent.ts"
import * as AgentFlag from "../start/AgentFlag.ts"
import type { Run } from "../Command.ts"
import { unknownAction } from "../process/CliError.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as PrintList from "./PrintList.ts"

/** A profile, with the settings that its file defines. */
interface Row extends PrintList.ListEntry, Partial<Pick<ResolvedAgent, "model" | "mode" | "permissionMode">> {
  readonly tools?: ReadonlyArray<string>
  readonly notes?: ReadonlyArray<string>
}

export const run: Run = Effect.fnUntraced(function*({ values, args: [action = "list", ...extraArgs] }) {
  if (action !== "list" || extraArgs.length > 0) {
    return yield* unknownAction("agents", [action, ...extraArgs].join(" "), ["list"])
  }
  const { cwd: hostCwd } = yield* Host
  const cwd = yield* WorkingFolder.open(hostCwd, values.cd)
  const { profiles: { agents, skipped } } = yield* AgentFlag.loadProfiles(cwd)
  const rows: ReadonlyArray<Row> = [...agents.map(usedRow), ...skipped.map(skippedRow(cwd))]
  const row = (one: Row): string => PrintList.row(cwd, detailLines(one))(one)
  yield* PrintList.printList(
    values,
    rows,
    row,
    "No agent profiles found. " +
      "Create a Markdown file in .dacapo/agents or .claude/agents, or in agents next to config.jsonc.\n"
  )
  return 0
})

const usedRow = ({ description, file, mode, model, name, notes, onlyTools, isUserDefined, permissionMode }: ResolvedAgent): Row => ({
  name,
  description,
  from: isUserDefined ? "user" : "project",
  path: file,
  used: true,
  ...optional({ model, tools: onlyTools, permissionMode, mode }),
  ...(notes.length === 0 ? {} : { notes })
})

const skippedRow = (cwd: string) => ({ file, line, name, why }: SkippedAgent): Row => ({
  name,
  description: "",
  from: PrintList.sourceOf(cwd, file),
  path: file,
  used: false,
  why: line === undefined ? why : `line ${line}: ${why}`
})

const detailLines = ({ mode, model, notes = [], permissionMode, tools }: Row): ReadonlyArray<string> => {
  const details = [["model", model], ["tools", tools?.join(", ")], ["permission mode", permissionMode], ["mode", mode]]
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}: ${value || "none"}`])
  return [...details.length === 0 ? [] : [details.join("; ")], ...notes]
}
