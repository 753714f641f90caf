/** The MCP servers and the additional tools of a session at the chosen moment. */
import type { PanelProps } from "./PanelProps.ts"
import { plural, Text } from "../Text.tsx"
import { ToolList } from "../ToolList.tsx"

export const Tools = ({ moment: { session: { offer } } }: PanelProps) => {
  const custom = offer.custom ?? []
  if (offer.servers.length === 0 && custom.length === 0)
    return <p class="empty">No MCP server is connected, and there are no custom tools.</p>
  return (
    <>
      {offer.servers.map(({ instructions, name, prompts, resources }) => {
        const tools = offer.tools.filter(({ server }) => server === name)
        return (
          <section key={name}>
            <h3 class="view-title">
              <Text of={name} />
            </h3>
            <p class="muted">
              {plural(tools.length, "tool")}
              {resources ? ", resources" : ""}
              {prompts ? ", prompts" : ""}
            </p>
            {instructions === undefined ? null : (
              <details class="reasoning">
                <summary>Instructions</summary>
                <p class="quiet said">
                  <Text of={instructions} />
                </p>
              </details>
            )}
            <ToolList tools={tools.map(({ description, tool }) => ({ name: tool, description }))} />
          </section>
        )
      })}
      {custom.length === 0 ? null : (
        <section>
          <h3 class="view-title">Custom tools</h3>
          <ToolList tools={custom} />
        </section>
      )}
    </>
  )
}
