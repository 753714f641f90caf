/** The sessions of all folders, with search, and the form for a new one. */
import { computed, signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import type * as PageData from "../../domain/control/PageData.ts"
import * as Api from "../client/Api.ts"
import { after, now as clockNow } from "../client/Frames.ts"
import { attempt, needsLogin } from "../client/Messages.ts"
import { waiting } from "../client/Waiting.ts"
import * as Route from "../client/Route.ts"
import { age, cents, safe, Text } from "./Text.tsx"

export const sessions = signal<ReadonlyArray<PageData.SessionRow>>([])
const hits = signal<ReadonlyArray<PageData.SearchHit>>([])
const query = signal("")
const now = signal(0)

/** How often the list is read again, in ms, while the page is visible. */
const refreshMs = 3_000

/** Keeps the list fresh until the returned function is called. */
export const start = (): () => void => {
  let isStopped = false
  const refresh = async (): Promise<void> => {
    if (!document.hidden) {
      const rows = await attempt(Api.sessions)
      if (rows !== undefined) {
        if (JSON.stringify(rows) !== JSON.stringify(sessions.value)) sessions.value = rows
        now.value = Math.max(clockNow(), ...rows.map(({ updated }) => updated))
      }
    }
    if (!isStopped) after(refreshMs, refresh)
  }
  void refresh()
  return () => {
    isStopped = true
  }
}

const folderName = (cwd: string): string => cwd.split("/").filter((part) => part !== "").at(-1) ?? cwd

/** The sessions that fit the search, by folder; the folder with the newest session first. */
const groups = computed(() => {
  const words = query.value.toLowerCase().split(/\s+/).filter((word) => word !== "")
  const fitting = sessions.value.filter(({ cwd, id, title }) => words.every((word) => `${title} ${cwd} ${id}`.toLowerCase().includes(word)))
  const favouritesFirst = fitting.toSorted((a, b) => Number(b.isFavourite) - Number(a.isFavourite))
  return [...Map.groupBy(fitting, ({ cwd }) => cwd).keys()].map((folder) =>
    [folder, favouritesFirst.filter(({ cwd }) => cwd === folder)] as const
  )
})

const search = async (text: string): Promise<void> => {
  query.value = text
  hits.value = []
  if (text.trim().length < 3) return
  const result = await Api.search(text).catch(() => [])
  if (query.value === text) hits.value = result
}

export const SessionList = ({ onHelp }: { readonly onHelp: () => void }) => {
  const [isStarting, setStarting] = useState(false)
  return (
    <nav class="sidebar" aria-label="Sessions">
      <header>
        <a class="brand" href="#/sessions">dacapo</a>
        <a href="#/usage" aria-current={Route.route.value.page === "usage" ? "page" : undefined}>Usage</a>
        <a href="#/settings" aria-current={Route.route.value.page === "settings" ? "page" : undefined}>Settings</a>
        <button type="button" class="link" aria-label="Keys" onClick={onHelp}>?</button>
      </header>
      <div class="bar">
        <input
          id="search"
          type="search"
          placeholder="Search sessions"
          aria-label="Search sessions"
          value={query.value}
          onInput={({ currentTarget }) => void search(currentTarget.value)}
        />
        <button type="button" id="new" class="button" aria-expanded={isStarting} onClick={() => setStarting(!isStarting)}>New</button>
      </div>
      {isStarting ? <NewSession onClose={() => setStarting(false)} /> : null}
      {waiting.value.length === 0 ? null :
        (
          <a class="waiting-link" href="#/waiting" aria-current={Route.route.value.page === "waiting" ? "page" : undefined}>
            {waiting.value.length} waiting for you
          </a>
        )}
      <div class="list">
        {groups.value.map(([cwd, rows]) => (
          <section key={cwd}>
            <h2 title={safe(cwd)}>
              <Text of={folderName(cwd)} />
            </h2>
            <ul>
              {rows.map((row) => (
                <li key={row.id}>
                  <Row row={row} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {hits.value.length === 0 ? null : (
          <section>
            <h2>In conversations</h2>
            <ul>
              {hits.value.map((hit) => (
                <li key={`${hit.session}@${hit.seq}`}>
                  <Hit hit={hit} />
                </li>
              ))}
            </ul>
          </section>
        )}
        {sessions.value.length === 0 && !needsLogin.value ? <p class="empty">No sessions yet.</p> : null}
      </div>
    </nav>
  )
}

/** What a session does, in a word; nothing for one that rests. */
const states: Readonly<Record<PageData.SessionRow["phase"], string>> = {
  idle: "",
  streaming: "working",
  "waiting for the provider": "waiting",
  "waiting for approval": "needs approval",
  "running tools": "working",
  finished: "",
  failed: "failed"
}

const Row = ({ row }: { readonly row: PageData.SessionRow }) => {
  const route = Route.route.value
  const isCurrent = route.page === "session" && row.id.startsWith(route.id)
  // A question of the model waits inside a running tool.
  const needsAnswer = row.phase === "running tools" && waiting.value.some(({ root }) => root === row.id)
  const phase = needsAnswer ? "waiting for approval" : row.phase
  const state = needsAnswer ? "needs an answer" : states[phase]
  return (
    <a class="row" href={`#/session/${row.id}`} aria-current={isCurrent ? "page" : undefined}>
      <span class="title">
        {row.isFavourite ? <span class="favourite" title="Favourite" aria-label="Favourite">★{" "}</span> : null}
        <Text of={row.title === "" ? "Untitled session" : row.title} />
      </span>
      <span class="facts">
        {state === "" ? null : <span class={`state ${phase.replaceAll(" ", "-")}`}>{state}</span>}
        <span>{age(row.updated, now.value)}</span>
        {row.cost === 0 ? null : <span>{cents(row.cost)}</span>}
      </span>
    </a>
  )
}

const Hit = ({ hit }: { readonly hit: PageData.SearchHit }) => (
  <a class="row" href={`#/session/${hit.session}?at=${hit.seq}`}>
    <span class="title">
      <Text of={hit.title} />
    </span>
    <span class="snippet">
      <Text of={hit.text} />
    </span>
  </a>
)

const NewSession = ({ onClose }: { readonly onClose: () => void }) => {
  const folders = [...new Set(sessions.value.map(({ cwd }) => cwd))]
  const [cwd, setCwd] = useState(folders[0] ?? "")
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const start = async (event: Event) => {
    event.preventDefault()
    const result = await attempt(() => Api.operate({ _tag: "Start", cwd }))
    if (result === undefined) return
    onClose()
    Route.go({ page: "session", id: result.session, panel: "" })
  }
  return (
    <form class="new" onSubmit={(event) => void start(event)} onKeyDown={({ key }) => key === "Escape" && onClose()}>
      <label>
        Folder<input
          ref={input}
          list="folders"
          value={cwd}
          placeholder="/path/to/project"
          onInput={({ currentTarget }) => setCwd(currentTarget.value)}
        />
      </label>
      <datalist id="folders">{folders.map((folder) => <option key={folder} value={folder} />)}</datalist>
      <button type="submit" class="button primary">Start</button>
    </form>
  )
}
