/** The keys of the page. */
import { useEffect, useRef } from "preact/hooks"
import { Button } from "./Text.tsx"

const keys: ReadonlyArray<readonly [string, string]> = [
  ["/", "Search sessions"],
  ["c", "Start a session"],
  ["j  k", "Next or previous session in the list"],
  ["w", "What waits for you in all sessions"],
  ["u  ,", "Usage, settings"],
  ["i", "Write a message"],
  ["y  s  a  n", "First approval: once, this session, always, deny"],
  ["[  ]", "One event back or forward"],
  ["{  }", "20 events back or forward"],
  ["0", "Back to the latest event"],
  ["o  O", "Open or close all tool calls"],
  ["Esc", "Interrupt (while writing), or close a panel"],
  ["?", "These keys"]
]

export const KeysHelp = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>{key.split(/\s+/).map((one) => <kbd key={one}>{one}</kbd>)}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Button onPress={() => dialog.current?.close()}>Close</Button>
    </dialog>
  )
}
