/** Where the user is, in the fragment of the address: it works after a reload, and the server never sees it. */
import { signal } from "@preact/signals"

export type Route =
  | { readonly page: "sessions" | "usage" | "waiting" }
  /** A folder, and a rule to begin with. */
  | { readonly page: "settings"; readonly cwd?: string; readonly rule?: string }
  /** `seq` is a moment of the past; without it, the newest. `other` is a second session beside it. */
  | { readonly page: "session"; readonly id: string; readonly panel: string; readonly seq?: number; readonly other?: string }

export const parse = (fragment: string): Route => {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?")
  const [page, id, panel = ""] = path.split("/").map(decodeURIComponent)
  const params = new URLSearchParams(query)
  const seq = params.get("at")
  const other = params.get("beside")
  if (page === "session" && id !== undefined && id !== "") {
    return {
      page,
      id,
      panel,
      ...(seq === null || !/^\d{1,9}$/.test(seq) ? {} : { seq: Number(seq) }),
      ...(other === null ? {} : { other })
    }
  }
  if (page === "settings") {
    const [cwd, rule] = [params.get("folder"), params.get("rule")]
    return { page, ...(cwd === null ? {} : { cwd }), ...(rule === null ? {} : { rule }) }
  }
  return { page: page === "usage" || page === "waiting" ? page : "sessions" }
}

export const format = (route: Route): string => {
  const params = new URLSearchParams()
  if (route.page === "settings") {
    if (route.cwd !== undefined) params.set("folder", route.cwd)
    if (route.rule !== undefined) params.set("rule", route.rule)
    return `#/settings${params.size === 0 ? "" : `?${params}`}`
  }
  if (route.page !== "session") return `#/${route.page}`
  if (route.seq !== undefined) params.set("at", `${route.seq}`)
  if (route.other !== undefined) params.set("beside", route.other)
  const query = params.size === 0 ? "" : `?${params}`
  return `#/session/${encodeURIComponent(route.id)}${route.panel === "" ? "" : `/${encodeURIComponent(route.panel)}`}${query}`
}

export const route = signal<Route>({ page: "sessions" })

export const go = (target: Route, replaces = false): void => {
  const fragment = format(target)
  if (replaces) history.replaceState(null, "", fragment)
  else history.pushState(null, "", fragment)
  route.value = target
}

const tokenIn = (hash: string): string | undefined => /[#&]token=([^&]+)/.exec(hash)?.[1]

/** Follows the address; returns a token that it carried when it was opened (`hash`), which does not stay in it. */
export const start = (hash: string): string | undefined => {
  const token = tokenIn(hash)
  if (tokenIn(location.hash) !== undefined) history.replaceState(null, "", "#/sessions")
  route.value = parse(location.hash)
  addEventListener("popstate", () => {
    route.value = parse(location.hash)
  })
  return token
}
