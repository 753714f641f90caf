/** Claude Code: https://code.claude.com/docs/en/settings */
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import type { ForeignAgent } from "./ImportItem.ts"
import * as ImportItem from "./ImportItem.ts"
import * as ForeignText from "./ForeignText.ts"

const settings = ForeignText.json((json) => {
  const { env, hooks, mcpServers, permissions, ...rest } = json
  const { allow, ask, defaultMode, deny, ...otherPermissions } = isObject(permissions) ? permissions : {}
  const rules = ([["allow", allow], ["ask", ask], ["deny", deny]] as const).flatMap(([list, texts]) =>
    Array.isArray(texts) ? texts.map((text) => ImportItem.rule(list, text)) : []
  )
  return [
    ...rules,
    ...(defaultMode === undefined ? [] : [ImportItem.mode(defaultMode)]),
    ...(isObject(hooks) ? Object.entries(hooks).map(([event, groups]) => ImportItem.hooks(event, groups)) : []),
    ...ImportItem.servers(mcpServers),
    ...ImportItem.keys(env),
    ...ImportItem.others(withoutKeys(rest, env)),
    ...Object.keys(otherPermissions).map((key) => ImportItem.skipped(`permissions.${key}`, "dacapo has no such setting"))
  ]
})

/** Variables other than keys have no place in the settings here. */
const withoutKeys = (rest: Readonly<Record<string, unknown>>, env: unknown) => {
  const count = isObject(env) ? Object.keys(env).length - ImportItem.keys(env).length : 0
  return count === 0 ? rest : { env, ...rest }
}

export const claude: ForeignAgent = {
  name: "claude",
  title: "Claude Code",
  sources: ({ cwd, home, variables }) => {
    const folder = variables["CLAUDE_CONFIG_DIR"] || `${home}/.claude`
    return [
      { path: `${folder}/settings.json`, scope: "user", convert: settings },
      // The state of Claude Code itself, and the servers of the user and of single projects.
      {
        path: variables["CLAUDE_CONFIG_DIR"] ? `${folder}/.claude.json` : `${home}/.claude.json`,
        scope: "user",
        convert: ForeignText.json(({ mcpServers, projects }) => {
          const project = isObject(projects) ? projects[cwd] : undefined
          return ImportItem.servers({
            ...isObject(mcpServers) ? mcpServers : {},
            ...isObject(project) && isObject(project["mcpServers"]) ? project["mcpServers"] : {}
          })
        })
      },
      { path: `${folder}/agents`, scope: "user", ending: ".md", convert: ImportItem.copy("agents") },
      { path: `${folder}/commands`, scope: "user", ending: ".md", convert: (_, name) => [ImportItem.inPlace(`command ${name}`)] },
      {
        path: `${folder}/CLAUDE.md`,
        scope: "user",
        convert: () => [ImportItem.inPlace("rules, unless you have an AGENTS.md of your own")]
      },
      { path: `${cwd}/.claude/settings.json`, scope: "project", convert: settings },
      { path: `${cwd}/.claude/settings.local.json`, scope: "project", convert: settings },
      { path: `${cwd}/.mcp.json`, scope: "project", convert: () => [ImportItem.inPlace("MCP servers")] },
      { path: `${cwd}/.claude/agents`, scope: "project", ending: ".md", convert: (_, name) => [ImportItem.inPlace(`agent ${name}`)] },
      { path: `${cwd}/.claude/commands`, scope: "project", ending: ".md", convert: (_, name) => [ImportItem.inPlace(`command ${name}`)] },
      { path: `${cwd}/CLAUDE.md`, scope: "project", convert: () => [ImportItem.inPlace("rules")] }
    ]
  }
}
