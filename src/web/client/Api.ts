/** Requests to the server that served this page: the cookie proves who asks. */
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { Operation, OperationResult } from "../../domain/control/Operation.ts"
import type * as PageData from "../../domain/control/PageData.ts"

const loginPath = "/login"

export const unreachable = "The server can't be reached."

/** The server refused, or can't be reached (`status` 0). */
export class RequestError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

let ready: Promise<unknown> = Promise.resolve()

/** Every further request waits for this: the login of a new visitor. */
export const wait = (login: Promise<unknown>): void => {
  ready = login
}

/** How often the server took a token. */
let logins = 0

const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
  if (path !== loginPath) await ready
  const loginsBefore = logins
  const headers = { "x-dacapo-page": "1", ...init.headers }
  const response = await fetch(path, { credentials: "same-origin", ...init, headers }).catch((error: unknown) => {
    throw error instanceof DOMException && error.name === "AbortError" ? error : new RequestError(0, unreachable)
  })
  if (response.ok) return response
  const text = await response.text()
  // It was refused for a cookie that a login has replaced since.
  if (response.status === 401 && logins !== loginsBefore) return send(path, init)
  throw new RequestError(response.status, messageIn(text))
}

const messageIn = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && "message" in value && typeof value.message === "string" ? value.message : text
  } catch {
    return text.trim()
  }
}

const get = async <A>(path: string): Promise<A> => await (await send(path)).json() as A

const change = (path: string, headers: Record<string, string>, body?: string): Promise<Response> =>
  send(path, { method: "POST", headers, ...(body === undefined ? {} : { body }) })

/** Exchanges the token for a cookie. */
export const login = async (token: string): Promise<void> => {
  await change(loginPath, { authorization: `Bearer ${token}` })
  logins++
}

export const operate = async (operation: Operation): Promise<OperationResult> =>
  await (await change("/operations", { "content-type": "application/json" }, JSON.stringify(operation))).json() as OperationResult

const session = (id: string): string => `/page/sessions/${encodeURIComponent(id)}`

export const sessions = () => get<ReadonlyArray<PageData.SessionRow>>("/page/sessions")
export const subagents = (id: string) => get<ReadonlyArray<PageData.SessionRow>>(`${session(id)}/subagents`)
export const log = (id: string, from: number) => get<PageData.LogPage>(`${session(id)}/log?from=${from}`)
export const diff = (id: string, from: number, to: number) => get<PageData.Comparison>(`${session(id)}/diff?from=${from}&to=${to}`)
export const context = (id: string) => get<PageData.ContextReport>(`${session(id)}/context`)
export const verify = (id: string) => get<PageData.Verification>(`${session(id)}/verify`)
/** `provider/id` of the models that can be used now. */
export const models = () => get<ReadonlyArray<string>>("/page/models")
export const waiting = () => get<ReadonlyArray<PageData.WaitingRequest>>("/page/waiting")
export const search = (query: string) => get<ReadonlyArray<PageData.SearchHit>>(`/page/search?q=${encodeURIComponent(query)}`)
export const usage = () => get<ReadonlyArray<PageData.Request>>("/page/usage")
export const settings = (cwd: string) => get<PageData.FolderSettings>(`/page/settings?cwd=${encodeURIComponent(cwd)}`)
const post = async <A>(path: string, value: object): Promise<A> =>
  await (await change(path, { "content-type": "application/json" }, JSON.stringify(value))).json() as A

/** Applies a change and shows what is configured then; returns whether the server made it. */
export type SettingsChanger = (request: PageData.SettingsChange) => Promise<boolean>

export const changeSettings = (request: PageData.SettingsChange) => post<PageData.FolderSettings>("/page/settings", request)
export const askServer = (request: PageData.ServerRequest) => post<PageData.ServerTest>("/page/servers", request)
export const tryRules = (request: PageData.TrialRequest) => post<PageData.TrialReport>("/page/trial", request)
export const imagePath = (hash: string): string => `/page/images/${encodeURIComponent(hash)}`

/** The client events of a session from a sequence number on, until the connection ends. */
export const follow = async function*(id: string, from: number, signal: AbortSignal): AsyncGenerator<ReadonlyArray<ClientEvent>> {
  const response = await send(`/sessions/${encodeURIComponent(id)}/events?from=${from}`, {
    signal,
    headers: { accept: "text/event-stream" }
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + value).split("\n\n")
    rest = blocks.pop()!
    yield blocks.flatMap((block) =>
      block.split("\n").flatMap((line) => line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as ClientEvent] : [])
    )
  }
}
