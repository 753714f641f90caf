/** One page in a browser, and the actions on it. */
import * as Match from "effect/Match"
import type { BrowserContext, Locator, Page as Driven, Request } from "playwright-core"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import * as SafeText from "../../domain/message/SafeText.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import { type Action, limits as snapshotLimits, type PageSnapshot, type Target } from "../../services/Browser.ts"
import * as Journal from "./Journal.ts"
import { refusal } from "./GuardProxy.ts"
import { isOfNetwork, type Requests } from "./Requests.ts"

/** ms for a page to load, for an element to appear, and for the effects of an action to settle. */
const limits = { open: 30_000, element: 8000, rest: 2000, outline: 2000 }

/** Limits in characters of what is reported. */
const textLimits = { ...snapshotLimits, error: 1000 }

/** Pixels per scroll: most of the visible area. */
const scrollStep = 600

export interface Page {
  readonly perform: (action: Action) => Promise<PageSnapshot>
  /** The guard blocked something: reported with the next action. */
  readonly onRefused: (url: string, why: string) => void
}

/** The browser's first page; any other it opens is closed again. */
export const attach = async (context: BrowserContext, requests: Requests): Promise<Page> => {
  const page = context.pages()[0] ?? await context.newPage()
  const journal = Journal.make()
  const refusals = new Map<string, string>()
  const pending = new Set<Request>()
  page.setDefaultTimeout(limits.element)

  const onRefused = (url: string, why: string) => {
    refusals.set(url, why)
    journal.note(`refused: ${url}: ${why}`, true)
  }

  /** Whether a request may be sent. Navigation of the page itself needs its own decision: only a call opens another host. */
  const judge = (request: Request): boolean => {
    const url = request.url()
    if (!isOfNetwork(url)) return true
    const isLeavingSite = isOfPage(request) && !requests.isOpen(url)
    const why = isLeavingSite ? "this page leads to another host: open it explicitly if you need it" : requests.refusal(url)
    if (why !== undefined) onRefused(url, why)
    return why === undefined
  }

  await context.route("**/*", (route, request) => judge(request) ? route.continue() : route.abort("blockedbyclient"))
  // A redirect is not routed again: our proxy admits it where it is judged here.
  context.on("request", (request) => void (request.redirectedFrom() !== null && judge(request)))
  context.on("page", (other) => void (other !== page && other.close().catch(() => {})))
  listen(page, journal, pending, requests)

  const waitForIdle = async () => {
    await page.waitForLoadState("load", { timeout: limits.open }).catch(() => {})
    await page.evaluate(nextFrame).catch(() => {})
    await waitForNetworkIdle(page, pending)
  }

  const takeSnapshot = async (content: "outline" | "image" | "nothing"): Promise<PageSnapshot> => ({
    url: page.url(),
    title: Truncate.line(SafeText.of(await page.title()), textLimits.title),
    ...(content === "outline"
      ? {
        outline: Truncate.middle(
          SafeText.of(await page.locator("body").ariaSnapshot({ timeout: limits.outline }).catch(() => "")),
          textLimits.outline
        )
      } : {}),
    ...(content === "image" ? { image: new Uint8Array(await page.screenshot({ type: "png" })) } : {}),
    lines: journal.unreportedErrors()
  })

  /** Acts, waits until the page has settled, and observes it. */
  const act = async (content: "outline" | "nothing", perform: () => Promise<unknown>): Promise<PageSnapshot> => {
    await perform()
    await waitForIdle()
    return takeSnapshot(content)
  }

  const typeText = (text: string) => page.keyboard.type(text)
  const locate = (at: { readonly selector: string }): Locator => page.locator(at.selector)
  const point = (at: Target | undefined): Promise<void> =>
    at === undefined ? Promise.resolve() : "selector" in at ? locate(at).hover() : page.mouse.move(at.x, at.y)

  type Table = { readonly [Tag in Action["_tag"]]: (action: Extract<Action, { readonly _tag: Tag }>) => Promise<PageSnapshot> }
  const table: Table = {
    Open: async ({ url }) => {
      requests.open(url)
      refusals.clear()
      return act("outline", () => goto(page, url).catch((cause: unknown) => Promise.reject(openFailure(url, cause, refusals))))
    },
    Click: ({ at }) => act("outline", () => "selector" in at ? locate(at).click() : page.mouse.click(at.x, at.y)),
    Type: ({ at, text }) =>
      act("nothing", async () => {
        if (at === undefined) return typeText(text)
        if ("selector" in at) return locate(at).fill(text)
        await page.mouse.click(at.x, at.y)
        return typeText(text)
      }),
    Press: ({ key }) => act("outline", () => page.keyboard.press(key)),
    Scroll: ({ at, to }) => act("nothing", () => point(at).then(() => page.mouse.wheel(0, to === "down" ? scrollStep : -scrollStep))),
    Select: ({ at, option }) => act("outline", () => locate(at).selectOption(option)),
    Screenshot: () => takeSnapshot("image"),
    Console: async () => ({ ...await takeSnapshot("nothing"), lines: journal.all() })
  }

  return {
    onRefused,
    perform: async (action) => {
      if (action._tag !== "Open" && !requests.isOpen(page.url())) {
        throw new BrowserError({
          reason: "Elsewhere",
          message: `The page navigated to ${page.url()}, which nobody opened. Open it explicitly if you need it.`
        })
      }
      return await Match.valueTags(action, table).catch((cause: unknown) => {
        throw cause instanceof BrowserError ? cause
          : new BrowserError({ reason: page.isClosed() ? "Broken" : "Target", message: errorText(cause) })
      })
    }
  }
}

/** Whether a request is for the page itself, or a new tab, which has no frame yet; not for a frame in it, or a resource. */
const isOfPage = (request: Request): boolean => {
  if (!request.isNavigationRequest()) return false
  try {
    return request.frame().parentFrame() === null
  } catch {
    return true
  }
}

/** A failed attempt ends when its error page is loaded, which would otherwise interfere later. */
const goto = async (page: Driven, url: string): Promise<void> => {
  const response = await page.goto(url, { waitUntil: "domcontentloaded", timeout: limits.open }).catch(async (cause: unknown) => {
    await page.waitForURL(/^chrome-error:/, { waitUntil: "commit", timeout: limits.rest }).catch(() => {})
    throw cause
  })
  // Our own proxy rejects an address with an HTTP response.
  if (response?.status() === 403 && response.headers()[refusal] !== undefined) throw new Error("The guard blocked it.")
}

const openFailure = (url: string, cause: unknown, refusals: ReadonlyMap<string, string>): BrowserError => {
  const [at, why] = [...refusals].find(([at]) => at === url) ?? [...refusals].at(-1) ?? []
  return at === undefined
    ? new BrowserError({ reason: "Unreachable", message: errorText(cause) })
    : new BrowserError({ reason: "Refused", message: `${at === url ? url : `${url} leads to ${at}`}: ${why}.` })
}

/** Run in the page: the effects of an action have been executed and drawn. */
const nextFrame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

/** Waits until no request is pending, within a limit: some pages never settle. */
const waitForNetworkIdle = async (page: Driven, pending: ReadonlySet<Request>): Promise<void> => {
  const isIdle = () => pending.size === 0
  if (isIdle()) return
  await Promise.race([
    page.waitForEvent("requestfinished", { predicate: isIdle, timeout: limits.rest }),
    page.waitForEvent("requestfailed", { predicate: isIdle, timeout: limits.rest })
  ]).catch(() => {})
}

/** Everything that a page reports on its own. */
const listen = (page: Driven, journal: Journal.Journal, pending: Set<Request>, requests: Requests): void => {
  page.on("console", (message) => {
    // The network log reports what was not loaded, and why.
    if (message.text().startsWith("Failed to load resource")) return
    const { line, url } = message.location()
    journal.note(`console.${message.type()}: ${message.text()}${url === "" ? "" : ` (${url}:${line + 1})`}`, message.type() === "error")
  })
  page.on("pageerror", (error) => journal.note(`uncaught: ${error.message}`, true))
  page.on("dialog", (dialog) => {
    journal.note(`${dialog.type()}: ${JSON.stringify(dialog.message())} was dismissed`, true)
    void dialog.dismiss().catch(() => {})
  })
  page.on("download", (download) => journal.note(`download: ${download.url()} was blocked`, true))
  page.on("popup", () => journal.note("popup: a new tab was closed again; open its address if you need it", true))
  page.on("crash", () => journal.note("crash: the page crashed; open it again", true))
  page.on("websocket", (socket) => {
    const why = requests.refusal(socket.url())
    if (why !== undefined) journal.note(`refused: ${socket.url()}: ${why}`, true)
    else socket.on("socketerror", (error) => journal.note(`network: ${socket.url()} ${error}`, true))
  })
  page.on("request", (request) => void (request.resourceType() !== "eventsource" && pending.add(request)))
  page.on("requestfinished", (request) => void pending.delete(request))
  page.on("requestfailed", (request) => {
    pending.delete(request)
    const why = request.failure()?.errorText ?? "failed"
    // Refused by us and reported already, or aborted by the page itself.
    if (!/BLOCKED_BY_CLIENT|ERR_ABORTED/.test(why)) journal.note(`network: ${request.method()} ${request.url()} ${why}`, true)
  })
  page.on("response", (response) => {
    const status = response.status()
    if (status >= 400 && !response.url().endsWith("/favicon.ico"))
      journal.note(`network: ${response.request().method()} ${response.url()} ${status}`, true)
  })
}

/** The driver's error message without colours: the sentence, and the last thing it waited for. */
const errorText = (cause: unknown): string => {
  const [first = "", ...rest] = SafeText.of(cause instanceof Error ? cause.message : String(cause)).split("\n")
  const callLog = rest.map((line) => line.replace(/^[\s-]+/, "")).filter((line) => line !== "" && line !== "Call log:")
  return Truncate.line([first.replace(/^\w+\.\w+: /, ""), ...callLog.slice(-3)].join(" – "), textLimits.error)
}
