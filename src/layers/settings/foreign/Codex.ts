/** Codex: https://developers.openai.com/codex/config-reference */
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import * as ForeignText from "./ForeignText.ts"
import type { ForeignAgent, ImportItem as Item } from "./ImportItem.ts"
import * as ImportItem from "./ImportItem.ts"

/** Times in seconds; a token is named by its variable. */
const server = (entry: unknown): unknown => {
  if (!isObject(entry)) return entry
  const { bearer_token_env_var, disabled_tools, enabled_tools, env_vars, http_headers, startup_timeout_sec, tool_timeout_sec, ...rest } =
    entry
  const names = Array.isArray(env_vars) ? env_vars.filter((name) => typeof name === "string") : []
  const headers = {
    ...(isObject(http_headers) ? http_headers : {}),
    ...(typeof bearer_token_env_var === "string" ? { Authorization: `Bearer \${${bearer_token_env_var}}` } : {})
  }
  const env = { ...(isObject(rest["env"]) ? rest["env"] : {}), ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])) }
  return {
    ...rest,
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(typeof startup_timeout_sec === "number" ? { connectTimeout: startup_timeout_sec * 1000 } : {}),
    ...(typeof tool_timeout_sec === "number" ? { timeout: tool_timeout_sec * 1000 } : {}),
    ...(enabled_tools === undefined ? {} : { includeTools: enabled_tools }),
    ...(disabled_tools === undefined ? {} : { excludeTools: disabled_tools })
  }
}

const servers = (entries: unknown): ReadonlyArray<Item> =>
  isObject(entries) ? Object.entries(entries).map(([name, entry]) => ImportItem.server(name, server(entry))) : []

const config = ForeignText.toml((
  { mcp_servers, model, model_provider, model_reasoning_effort, sandbox_mode, sandbox_workspace_write, ...rest }
) => [
  ...(typeof model !== "string" ? []
    : model_provider !== undefined && model_provider !== "openai"
    ? [
      ImportItem.skipped(
        `model ${model}`,
        `its provider ${JSON.stringify(model_provider)} is defined by Codex; set providers.<name> and model`
      )
    ]
    : [ImportItem.setting("model", `openai/${model}${typeof model_reasoning_effort === "string" ? `:${model_reasoning_effort}` : ""}`)]),
  ...(sandbox_mode === undefined ? [] : [ImportItem.setting("sandbox", sandbox_mode)]),
  ...(isObject(sandbox_workspace_write) && sandbox_workspace_write["network_access"] !== undefined
    ? [ImportItem.setting("sandboxNetwork", sandbox_workspace_write["network_access"])] : []),
  ...servers(mcp_servers),
  ...ImportItem.others(rest)
])

export const codex: ForeignAgent = {
  name: "codex",
  title: "Codex",
  sources: ({ cwd, home, variables }) => {
    const folder = variables["CODEX_HOME"] || `${home}/.codex`
    return [
      { path: `${folder}/config.toml`, scope: "user", convert: config },
      {
        path: `${folder}/AGENTS.md`,
        scope: "user",
        convert: () => [ImportItem.inPlace("rules, unless you have an AGENTS.md of your own")]
      },
      { path: `${folder}/prompts`, scope: "user", ending: ".md", convert: (_, name) => [ImportItem.inPlace(`command ${name}`)] },
      { path: `${cwd}/.codex/config.toml`, scope: "project", convert: ForeignText.toml(({ mcp_servers }) => servers(mcp_servers)) },
      { path: `${cwd}/AGENTS.md`, scope: "project", convert: () => [ImportItem.inPlace("rules")] }
    ]
  }
}
