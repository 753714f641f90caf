/** Cline and Roo Code, in Visual Studio Code or on their own: https://docs.cline.bot/mcp/configuring-mcp-servers */
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import * as ForeignText from "./ForeignText.ts"
import type { ForeignAgent, Places, Source } from "./ImportItem.ts"
import * as ImportItem from "./ImportItem.ts"

/** The list of approved tools marks the definition as Cline's, whose timeouts are in seconds. */
const servers = (key: "alwaysAllow" | "autoApprove") =>
  ForeignText.json(({ mcpServers }) =>
    isObject(mcpServers)
      ? Object.entries(mcpServers).flatMap(([name, entry]) => [
        ImportItem.server(name, isObject(entry) ? { [key]: [], ...entry } : entry),
        ...ImportItem.serverKeys(entry)
      ]) : []
  )

/** Where editors keep the settings of an extension. */
const storage = ({ home, variables }: Places, extension: string): ReadonlyArray<string> => {
  const config = variables["XDG_CONFIG_HOME"] || `${home}/.config`
  const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor"]
  return [config, `${home}/Library/Application Support`].flatMap((folder) =>
    editors.map((editor) => `${folder}/${editor}/User/globalStorage/${extension}/settings`)
  )
}

export const cline: ForeignAgent = {
  name: "cline",
  title: "Cline",
  sources: (places) => {
    const { cwd, home } = places
    return [
      ...[...storage(places, "saoudrizwan.claude-dev"), `${home}/.cline/data/settings`].map((folder): Source => ({
        path: `${folder}/cline_mcp_settings.json`,
        scope: "user",
        convert: servers("autoApprove")
      })),
      {
        path: `${home}/Documents/Cline/Rules`,
        scope: "user",
        ending: ".md",
        convert: (text, name) => [{ _tag: "file", title: `rules ${name}`, path: "AGENTS.md", text }]
      },
      { path: `${home}/Documents/Cline/Workflows`, scope: "user", ending: ".md", convert: ImportItem.copy("commands") },
      { path: `${cwd}/.clinerules`, scope: "project", ending: ".md", convert: (_, name) => [ImportItem.inPlace(`rules ${name}`)] },
      { path: `${cwd}/.clinerules/workflows`, scope: "project", ending: ".md", convert: ImportItem.copy("commands") }
    ]
  }
}

export const roo: ForeignAgent = {
  name: "roo",
  title: "Roo Code",
  sources: (places) => [
    ...storage(places, "rooveterinaryinc.roo-cline").map((folder): Source => ({
      path: `${folder}/mcp_settings.json`,
      scope: "user",
      convert: servers("alwaysAllow")
    })),
    { path: `${places.cwd}/.roo/mcp.json`, scope: "project", convert: () => [ImportItem.inPlace("MCP servers")] },
    { path: `${places.cwd}/.roo/rules`, scope: "project", ending: ".md", convert: (_, name) => [ImportItem.inPlace(`rules ${name}`)] },
    { path: `${places.cwd}/.roo/commands`, scope: "project", ending: ".md", convert: ImportItem.copy("commands") }
  ]
}
