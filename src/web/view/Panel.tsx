/** The side panel of a session: one view at a time. */
import * as Route from "../client/Route.ts"
import { lazy } from "./Lazy.tsx"
import type { PanelProps } from "./panels/PanelProps.ts"

/** By the name in the address. */
export const panels: Readonly<Record<string, string>> = {
  todo: "To-do list",
  files: "Files",
  checkpoints: "Checkpoints",
  subagents: "Subagents",
  context: "Context window",
  tools: "MCP servers and tools",
  usage: "Usage",
  replay: "Replay"
}

const views = {
  todo: lazy<PanelProps>(() => import("./panels/Todo.tsx").then(({ Todo }) => Todo)),
  files: lazy<PanelProps>(() => import("./panels/Files.tsx").then(({ Files }) => Files)),
  checkpoints: lazy<PanelProps>(() => import("./panels/Checkpoints.tsx").then(({ Checkpoints }) => Checkpoints)),
  subagents: lazy<PanelProps>(() => import("./panels/Subagents.tsx").then(({ Subagents }) => Subagents)),
  context: lazy<PanelProps>(() => import("./panels/ContextWindow.tsx").then(({ ContextWindow }) => ContextWindow)),
  tools: lazy<PanelProps>(() => import("./panels/Tools.tsx").then(({ Tools }) => Tools)),
  usage: lazy<PanelProps>(() => import("./panels/SessionUsage.tsx").then(({ SessionUsage }) => SessionUsage)),
  replay: lazy<PanelProps>(() => import("./panels/Replay.tsx").then(({ Replay }) => Replay))
} as const

export const Panel = ({ moment, name, store }: PanelProps & { readonly name: string }) => {
  const View = Object.hasOwn(views, name) ? views[name as keyof typeof views] : undefined
  const route = Route.route.value
  return (
    <aside class="panel" aria-label={panels[name] ?? "Panel"}>
      <header>
        <h2>{panels[name] ?? name}</h2>
        <button type="button" class="link" onClick={() => route.page === "session" && Route.go({ ...route, panel: "" })}>Close</button>
      </header>
      <div class="panel-body" tabIndex={0} role="region" aria-label={`${panels[name] ?? name}, content`}>
        {View === undefined ? <p class="empty">There is no such panel.</p> : <View key={name} store={store} moment={moment} />}
      </div>
    </aside>
  )
}
