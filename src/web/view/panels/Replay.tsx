/** Runs the session again from its log and shows whether every event is the same, or the first one that is not. */
import { useState } from "preact/hooks"
import type * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import { attempt } from "../../client/Messages.ts"
import * as Route from "../../client/Route.ts"
import type { PanelProps } from "./PanelProps.ts"
import { Button, Text } from "../Text.tsx"

export const Replay = ({ store }: PanelProps) => {
  const [isRunning, setRunning] = useState(false)
  const [result, setResult] = useState<PageData.Verification>()
  const route = Route.route.value
  const verify = async () => {
    setRunning(true)
    setResult(undefined)
    setResult(await attempt(() => Api.verify(store.id)))
    setRunning(false)
  }
  return (
    <>
      <p class="muted">
        A replay answers every request and call from the log and compares each event, hash for hash. Nothing is sent and no file changes.
      </p>
      <div class="bar">
        <Button isPrimary isDisabled={isRunning} onPress={() => void verify()}>{isRunning ? "Replaying…" : "Verify the replay"}</Button>
      </div>
      <div role="status">
        {result === undefined ? null : result.isExact
          ? <p class="note good">Replays exactly: {result.events} events, all hashes equal.</p>
          : (
            <>
              <p class="note bad">First difference{result.seq === null ? "" : ` at event ${result.seq}`}</p>
              <pre class="code" tabIndex={0} aria-label="Difference"><code><Text of={result.message} /></code></pre>
              {result.seq === null || route.page !== "session" ? null
                : (
                  <Button onPress={() => route.page === "session" && Route.go({ ...route, seq: Math.max(0, result.seq! - 1) })}>
                    Show the moment before
                  </Button>
                )}
            </>
          )}
      </div>
    </>
  )
}
