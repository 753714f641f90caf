/**
 * Tracks what a page has requested, and which of it the guard admits: anything the page did not ask for does not leave the machine.
 */
import { type HostPort, hostPort, type BrowserReach } from "../../domain/approval/BrowserReach.ts"

export interface Requests {
  /** A call opened this host: the page may be there, and reach it. */
  readonly open: (url: string) => void
  /** Whether a page may be at a URL; true for URLs without network access. */
  readonly isOpen: (url: string) => boolean
  /** The page requests a URL: why it may not, undefined if it is admitted. */
  readonly refusal: (url: string) => string | undefined
  /** Whether the page requested this host and may reach it. A connection may be seen a moment before the request behind it. */
  readonly isAdmitted: (url: string) => Promise<boolean>
}

/** The maximum length of that moment, in ms. */
const admissionTimeoutMs = 1000

/** `reach` is what the rules currently permit. */
export const make = (reach: () => BrowserReach): Requests => {
  const openOrigins = new Set<HostPort>()
  const admittedOrigins = new Set<HostPort>()
  const waiters = new Map<HostPort, Set<() => void>>()

  const admit = (origin: HostPort) => {
    admittedOrigins.add(origin)
    waiters.get(origin)?.forEach((callback) => callback())
  }

  return {
    open: (url) => {
      const origin = hostPort(url)
      if (origin === undefined) return
      openOrigins.add(origin)
      // As in fetch_url: an upgrade to TLS on the same host is the same location.
      if (origin.endsWith(":80")) openOrigins.add(origin.replace(/80$/, "443"))
    },

    isOpen: (url) => !isOfNetwork(url) || openOrigins.has(hostPort(url) ?? ""),

    refusal: (url) => {
      const httpUrl = url.replace(/^ws(?=s?:)/i, "http")
      const why = reach().refusal(httpUrl, openOrigins)
      const origin = hostPort(httpUrl)
      if (why === undefined && origin !== undefined) admit(origin)
      return why
    },

    isAdmitted: async (url) => {
      const origin = hostPort(url)
      if (origin === undefined || admittedOrigins.has(origin)) return origin !== undefined
      const callbacks = waiters.get(origin) ?? new Set()
      waiters.set(origin, callbacks)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const onAdmitted = () => resolve(true)
      callbacks.add(onAdmitted)
      AbortSignal.timeout(admissionTimeoutMs).addEventListener("abort", () => resolve(false), { once: true })
      return promise.finally(() => callbacks.delete(onAdmitted))
    }
  }
}

/** Embedded content (`data:`, `blob:`, `about:`) is not a request; files and whatever else is refused are. */
export const isOfNetwork = (url: string): boolean => !/^(?:about|blob|data|chrome-error):/i.test(url)
