/** The page of `dacapo serve`: sessions to watch, to answer and to go back in. */
import { render } from "preact"
import * as Api from "./client/Api.ts"
import * as Messages from "./client/Messages.ts"
import * as Route from "./client/Route.ts"
import { App } from "./view/App.tsx"

const token = Route.start()
if (token !== undefined) Api.wait(Messages.login(token))
/** The frame of the page stands in its HTML, so that a browser paints it before the scripts have arrived. */
const root = document.getElementById("page")!
root.replaceChildren()
render(<App />, root)
