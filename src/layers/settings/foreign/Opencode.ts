/** opencode: https://opencode.ai/docs/config */
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import * as ForeignText from "./ForeignText.ts"
import type { ForeignAgent, ImportItem as Item, Source } from "./ImportItem.ts"
import * as ImportItem from "./ImportItem.ts"

const lists = ["allow", "ask", "deny"] as const

/**
 * A decision by tool, or decisions by patterns: each becomes a rule. opencode's last match wins and dacapo's strictest, so that a rule
 * to ask about everything else would hide the others; and dacapo asks without one.
 */
const permissions = (value: unknown): ReadonlyArray<Item> =>
  !isObject(value) ? [] : Object.entries(value).flatMap(([tool, decision]) =>
    Object.entries(isObject(decision) ? decision : { "*": decision }).map(([pattern, one]) => {
      const list = lists.find((list) =>
        list === one
      )
      const text = pattern === "*" ? tool : `${tool}(${pattern})`
      return list === "ask" && pattern === "*" && isObject(decision) ?
        ImportItem.skipped(`ask rule ${text}`, "what no rule allows is asked about anyway")
        : list === undefined ? ImportItem.skipped(`permission ${text}`, `${JSON.stringify(one)} is not allow, ask or deny`)
        : ImportItem.rule(list, text)
    })
  )

const config = ForeignText.json(({ agent, command, mcp, model, permission, small_model, ...rest }) => [
  ...(model === undefined ? [] : [ImportItem.setting("model", model)]),
  ...(small_model === undefined ? [] : [ImportItem.setting("cheapModel", small_model)]),
  ...permissions(permission),
  ...ImportItem.servers(mcp),
  ...(agent === undefined ? [] : [ImportItem.skipped("agent", "write each agent as a Markdown file, and import it")]),
  ...(command === undefined ? [] : [ImportItem.skipped("command", "write each command as a Markdown file, which is read in place")]),
  ...ImportItem.others(rest)
])

export const opencode: ForeignAgent = {
  name: "opencode",
  title: "opencode",
  sources: ({ cwd, home, variables }) => {
    const folder = `${variables["XDG_CONFIG_HOME"] || `${home}/.config`}/opencode`
    const ofUser = ["agent", "agents"].map((name): Source => ({
      path: `${folder}/${name}`,
      scope: "user",
      ending: ".md",
      convert: ImportItem.copy("agents")
    }))
    const ofBoth = [["user", folder], ["project", cwd]] as const
    return [
      ...ofBoth.flatMap(([scope, path]) =>
        ["opencode.json", "opencode.jsonc"].map((name): Source => ({ path: `${path}/${name}`, scope, convert: config }))
      ),
      ...ofUser,
      { path: `${folder}/AGENTS.md`, scope: "user", convert: (text) => [{ _tag: "file", title: "rules", path: "AGENTS.md", text }] },
      ...[`${folder}/command`, `${folder}/commands`].map((path): Source => ({
        path,
        scope: "user",
        ending: ".md",
        convert: (_, name) => [ImportItem.inPlace(`command ${name}`)]
      })),
      ...["agent", "agents", "command", "commands"].map((name): Source => ({
        path: `${cwd}/.opencode/${name}`,
        scope: "project",
        ending: ".md",
        convert: (_, file) => [ImportItem.inPlace(`${name.replace(/s$/, "")} ${file}`)]
      }))
    ]
  }
}
