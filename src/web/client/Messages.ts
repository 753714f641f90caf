/** What the page has to say to the user: refusals of the server, and that a new token is needed. */
import { signal } from "@preact/signals"
import * as Api from "./Api.ts"

/** The last message; empty if there is none. */
export const message = signal("")

export const report = (text: string): void => {
  message.value = text
}

/** Whether the server wants a token: at the first visit without one, or after it was started again. */
export const needsLogin = signal(false)
const waiting = new Set<() => void>()

/** Resolves once the user has logged in. */
export const requireLogin = (abort: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    needsLogin.value = true
    const end = (): void => {
      waiting.delete(end)
      resolve()
    }
    waiting.add(end)
    abort.addEventListener("abort", end)
  })

/** Exchanges a token, alone or in the address that the server printed; returns whether the server took it. */
export const login = async (text: string): Promise<boolean> => {
  const token = /token=([^&\s]+)/.exec(text)?.[1] ?? text.trim()
  try {
    await Api.login(token)
  } catch (error) {
    report(
      error instanceof Api.RequestError && error.status === 401 ? "The server did not accept this token."
        : String(error instanceof Error ? error.message : error)
    )
    return false
  }
  needsLogin.value = false
  message.value = ""
  waiting.forEach((resolve) => resolve())
  return true
}

/** Runs a request; a refusal is shown, and undefined returned. */
export const attempt = async <A>(request: () => Promise<A>): Promise<A | undefined> => {
  try {
    const result = await request()
    if (message.value === Api.unreachable) message.value = ""
    return result
  } catch (error) {
    if (error instanceof Api.RequestError && error.status === 401) {
      await requireLogin(new AbortController().signal)
      return attempt(request)
    }
    report(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
