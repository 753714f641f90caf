/** The MCP servers of a folder: what each would start, its approval, and a test that connects to it. */
import { useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import { attempt } from "../../client/Messages.ts"
import { Button, plural, safe, Text } from "../Text.tsx"
import { ToolList } from "../ToolList.tsx"

interface Props {
  readonly settings: PageData.FolderSettings
  /** Reads again what is configured. */
  readonly onChange: () => Promise<void>
}

export const Servers = ({ onChange, settings: { cwd, serverNotes, servers } }: Props) => (
  <section class="usage-table">
    <h2>MCP servers</h2>
    {serverNotes.map((note) => (
      <p key={note} class="note warn">
        <Text of={note} />
      </p>
    ))}
    {servers.length === 0 ? (
      <p class="muted">
        No servers. Add one with <code>dacapo mcp add</code>.
      </p>
    ) : (
      <ul class="plain cards">
        {servers.map((server) => (
          <li key={`${server.name} ${server.start}`} class="card">
            <Server cwd={cwd} server={server} onChange={onChange} />
          </li>
        ))}
      </ul>
    )}
  </section>
)

const Server = ({ cwd, onChange, server }: {
  readonly cwd: string
  readonly server: PageData.FolderServer
  readonly onChange: Props["onChange"]
}) => {
  const { details, isOwn, name, source, start, state, transport } = server
  const [busy, setBusy] = useState("")
  const [result, setResult] = useState<PageData.ServerTest>()
  const ask = async (verb: string, request: PageData.ServerRequest) => {
    setBusy(verb)
    setResult(undefined)
    const answer = await attempt(() => Api.askServer(request))
    setResult(answer)
    setBusy("")
    if (request._tag === "Allow") await onChange()
  }
  return (
    <>
      <div class="bar">
        <h3 class="view-title">
          <Text of={name} />
        </h3>
        <span class={`tag${state === "needs approval" ? " risk-medium" : ""}`}>{isOwn && state === "approved" ? "yours" : state}</span>
        <span class="spacer" />
        {state === "approved"
          ? (
            <Button
              isDisabled={busy !== ""}
              label={`Test the server ${safe(name)}`}
              onPress={() => void ask("test", { _tag: "Test", cwd, name })}
            >
              {busy === "test" ? "Connecting…" : "Test"}
            </Button>
          )
          : null}
        {state === "needs approval" && start !== ""
          ? (
            <Button
              isDisabled={busy !== ""}
              label={`Approve and test the server ${safe(name)}`}
              onPress={() => void ask("allow", { _tag: "Allow", cwd, name, start })}
            >
              {busy === "allow" ? "Connecting…" : "Approve and test"}
            </Button>
          )
          : null}
      </div>
      <pre class="code command" tabIndex={0} aria-label={`What the server ${safe(name)} starts`}><code><Text of={transport} /></code></pre>
      <ul class="plain muted">
        {details.map((detail) => (
          <li key={detail}>
            <Text of={detail} />
          </li>
        ))}
        <li>
          From <Text of={source} />
        </li>
      </ul>
      {state === "needs approval"
        ? <p class="muted">It runs with your permissions until the session ends. An approval holds until any of this changes.</p> : null}
      <div role="status">{result === undefined ? null : <TestResult result={result} />}</div>
    </>
  )
}

const TestResult = ({ result: { prompts, protocol, resources, tools, version } }: { readonly result: PageData.ServerTest }) => (
  <>
    <p class="note good">
      <Text of={`Connected${version === "" ? "" : ` to version ${version}`} (protocol ${protocol}): ${plural(tools.length, "tool")}`} />
      {resources ? ", resources" : ""}
      {prompts ? ", prompts" : ""}.
    </p>
    <ToolList tools={tools} />
  </>
)
