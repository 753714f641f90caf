/** Draws the page in place of the frame that came with the HTML, and logs a new visitor in. */
import { render } from "preact"
import * as Api from "./client/Api.ts"
import * as Messages from "./client/Messages.ts"
import * as Route from "./client/Route.ts"
import { App } from "./view/App.tsx"

/** `hash`: the fragment of the address with which the page was opened. */
export const start = (hash: string): void => {
  const token = Route.start(hash)
  if (token !== undefined) Api.wait(Messages.login(token))
  const root = document.getElementById("page")!
  root.replaceChildren()
  render(<App />, root)
}
