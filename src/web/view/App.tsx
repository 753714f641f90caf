/** The frame of the page: navigation beside one view, the login, and messages. */
import { useEffect, useState } from "preact/hooks"
import { login, message, needsLogin } from "../client/Messages.ts"
import * as Route from "../client/Route.ts"
import * as Waiting from "../client/Waiting.ts"
import * as SessionList from "./SessionList.tsx"
import { SessionPage } from "./SessionPage.tsx"
import { lazy } from "./Lazy.tsx"
import { shortcut } from "./Keys.ts"

const KeysHelp = lazy(() => import("./KeysHelp.tsx").then(({ KeysHelp }) => KeysHelp))
const UsagePage = lazy(() => import("./UsagePage.tsx").then(({ UsagePage }) => UsagePage))
const WaitingPage = lazy(() => import("./approvals/WaitingPage.tsx").then(({ WaitingPage }) => WaitingPage))
const SettingsPage = lazy(() => import("./settings/SettingsPage.tsx").then(({ SettingsPage }) => SettingsPage))

export const App = () => {
  const route = Route.route.value
  const [hasHelp, setHelp] = useState(false)
  useEffect(SessionList.start, [])
  useEffect(Waiting.start, [])
  useEffect(() =>
    shortcut({
      "/": () => document.querySelector<HTMLInputElement>("#search")?.focus(),
      i: () => document.querySelector<HTMLTextAreaElement>("#composer")?.focus(),
      c: () => document.querySelector<HTMLButtonElement>("#new")?.click(),
      w: () => Route.go({ page: "waiting" }),
      u: () => Route.go({ page: "usage" }),
      ",": () => Route.go({ page: "settings" }),
      j: () => moveInList(1),
      k: () => moveInList(-1),
      o: () => setCallsOpen(true),
      O: () => setCallsOpen(false),
      Escape: () => {
        const { value } = Route.route
        if (value.page === "session" && value.panel !== "") Route.go({ ...value, panel: "" })
      },
      "?": () => setHelp(true)
    }), [])
  return (
    <div class={`app at-${route.page}`}>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.querySelector<HTMLElement>("#main")?.focus())}>
        Skip to the session
      </a>
      <SessionList.SessionList onHelp={() => setHelp(true)} />
      <main id="main" tabIndex={-1}>
        {route.page === "session" ? <SessionPage key={route.id} id={route.id} />
          : route.page === "waiting" ? <WaitingPage />
          : route.page === "usage" ? <UsagePage />
          : route.page === "settings" ? <SettingsPage key={Route.format(route)} />
          : <Welcome />}
      </main>
      {needsLogin.value ? <Login /> : null}
      {hasHelp ? <KeysHelp onClose={() => setHelp(false)} /> : null}
      {message.value === "" ? null : (
        <div class="message" role="alert">
          <span>{message.value}</span>
          <button type="button" class="link" onClick={() => (message.value = "")}>Dismiss</button>
        </div>
      )}
    </div>
  )
}

const Welcome = () => (
  <div class="empty welcome">
    <p>Choose a session, or start a new one.</p>
    <p>
      <kbd>c</kbd> new session <kbd>/</kbd> search <kbd>?</kbd> all keys
    </p>
  </div>
)

/** Goes to a session further down or up in the list. */
const moveInList = (step: number): void => {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".sidebar .row")]
  const current = links.findIndex((link) => link.getAttribute("aria-current") !== null)
  links[current === -1 ? 0 : Math.min(links.length - 1, Math.max(0, current + step))]?.click()
}

const setCallsOpen = (isOpen: boolean): void =>
  document.querySelectorAll<HTMLDetailsElement>(".conversation details.tool").forEach((call) => {
    call.open = isOpen
  })

const Login = () => {
  const [text, setText] = useState("")
  return (
    <dialog open class="login" aria-labelledby="login-title">
      <form onSubmit={(event) => (event.preventDefault(), void login(text))}>
        <h2 id="login-title">Connect to the server</h2>
        <p>The server prints its address with a token when it starts. Paste that address, or the token.</p>
        <label>
          Address or token<input
            type="password"
            autocomplete="off"
            autoFocus
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary">Connect</button>
      </form>
    </dialog>
  )
}
