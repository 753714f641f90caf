/** The names of tools with their descriptions, as servers or folders offer them. */
import { Text } from "./Text.tsx"

export const ToolList = ({ tools }: { readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }> }) => (
  <ul class="plain offered">
    {tools.map(({ description, name }) => (
      <li key={name}>
        <code>
          <Text of={name} />
        </code>
        <span class="snippet">
          <Text of={description} />
        </span>
      </li>
    ))}
  </ul>
)
