/** What a page has asked for, and which places of it the guard admits: what nobody asked for in the page does not leave the machine. */
import { type Place, placeOf, type Reach } from "../../domain/approval/BrowserReach.ts"

export interface Requests {
  /** A call opened this place: the page may be there, and reach it. */
  readonly open: (url: string) => void
  /** Whether a page may be at a URL; true for what is of no network. */
  readonly isOpen: (url: string) => boolean
  /** The page asks for a URL: why it may not, undefined where it is admitted. */
  readonly ask: (url: string) => string | undefined
  /** Whether the page asked for this place and may reach it. A connection may be seen a moment before the word of who asked for it. */
  readonly admitted: (url: string) => Promise<boolean>
}

/** How long, in ms, that moment may be. */
const moment = 1000

/** `reach` is what the rules say now. */
export const make = (reach: () => Reach): Requests => {
  const opened = new Set<Place>()
  const admitted = new Set<Place>()
  const waiting = new Map<Place, Set<() => void>>()

  const admit = (place: Place) => {
    admitted.add(place)
    waiting.get(place)?.forEach((tell) => tell())
  }

  return {
    open: (url) => {
      const place = placeOf(url)
      if (place === undefined) return
      opened.add(place)
      // As fetch_url does it: the way to the same host over TLS is the same place.
      if (place.endsWith(":80")) opened.add(place.replace(/80$/, "443"))
    },

    isOpen: (url) => !isOfNetwork(url) || opened.has(placeOf(url) ?? ""),

    ask: (url) => {
      const asked = url.replace(/^ws(?=s?:)/i, "http")
      const why = reach().refusal(asked, opened)
      const place = placeOf(asked)
      if (why === undefined && place !== undefined) admit(place)
      return why
    },

    admitted: async (url) => {
      const place = placeOf(url)
      if (place === undefined || admitted.has(place)) return place !== undefined
      const tellers = waiting.get(place) ?? new Set()
      waiting.set(place, tellers)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const tell = () => resolve(true)
      tellers.add(tell)
      AbortSignal.timeout(moment).addEventListener("abort", () => resolve(false), { once: true })
      return promise.finally(() => tellers.delete(tell))
    }
  }
}

/** What a page has in itself (`data:`, `blob:`, `about:`) is no request; files and whatever else is refused are. */
export const isOfNetwork = (url: string): boolean => !/^(?:about|blob|data|chrome-error):/i.test(url)
