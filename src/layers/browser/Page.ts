/** One page in a browser, and what is done to it. */
import type { BrowserContext, Locator, Page as Driven, Request } from "playwright-core"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import * as Printable from "../../domain/message/SafeText.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import { type Action, limits as told, type Seen, type Spot } from "../../services/Browser.ts"
import * as Journal from "./Journal.ts"
import { refusal } from "./GuardProxy.ts"
import { isOfNetwork, type Requests } from "./Requests.ts"

/** ms for a page to come, for an element to be there, and for what an action began to come to rest. */
const limits = { open: 30_000, element: 8000, rest: 2000, outline: 2000 }

/** Characters of what is told. */
const most = { ...told, error: 1000 }

/** Pixels that a scroll moves: most of what is visible. */
const stride = 600

export interface Page {
  readonly perform: (action: Action) => Promise<Seen>
  /** The guard stopped something: told with the next action. */
  readonly refused: (url: string, why: string) => void
}

/** The browser's first page; whatever else it would open is closed again. */
export const attach = async (context: BrowserContext, requests: Requests): Promise<Page> => {
  const page = context.pages()[0] ?? await context.newPage()
  const journal = Journal.make()
  const refusals = new Map<string, string>()
  const pending = new Set<Request>()
  page.setDefaultTimeout(limits.element)

  const refused = (url: string, why: string) => {
    refusals.set(url, why)
    journal.note(`refused: ${url}: ${why}`, true)
  }

  /** Whether a request may go. Where the page itself goes is a question of its own: only a call opens another place. */
  const judge = (request: Request): boolean => {
    const url = request.url()
    if (!isOfNetwork(url)) return true
    const leads = isOfPage(request) && !requests.isOpen(url)
    const why = leads ? "this page leads there, which is another place: open it if you want it" : requests.ask(url)
    if (why !== undefined) refused(url, why)
    return why === undefined
  }

  await context.route("**/*", (route, request) => judge(request) ? route.continue() : route.abort("blockedbyclient"))
  // A redirect is no new route: our proxy lets it go where it is judged here.
  context.on("request", (request) => void (request.redirectedFrom() !== null && judge(request)))
  context.on("page", (other) => void (other !== page && other.close().catch(() => {})))
  listen(page, journal, pending, requests)

  const rest = async () => {
    await page.waitForLoadState("load", { timeout: limits.open }).catch(() => {})
    await page.evaluate(drawn).catch(() => {})
    await quiet(page, pending)
  }

  const look = async (shown: "outline" | "image" | "nothing"): Promise<Seen> => ({
    url: page.url(),
    title: Clip.line(Printable.of(await page.title()), most.title),
    ...(shown === "outline" ? { outline: Clip.middle(Printable.of(await page.locator("body").ariaSnapshot({ timeout: limits.outline }).catch(() => "")), most.outline) } : {}),
    ...(shown === "image" ? { image: new Uint8Array(await page.screenshot({ type: "png" })) } : {}),
    lines: journal.fresh()
  })

  /** Acts, waits until the page has come to rest, and looks. */
  const act = async (shown: "outline" | "nothing", deed: () => Promise<unknown>): Promise<Seen> => {
    await deed()
    await rest()
    return look(shown)
  }

  const pressed = (text: string) => page.keyboard.type(text)
  const found = (at: { readonly selector: string }): Locator => page.locator(at.selector)
  const point = (at: Spot | undefined): Promise<void> =>
    at === undefined ? Promise.resolve() : "selector" in at ? found(at).hover() : page.mouse.move(at.x, at.y)

  type Table = { readonly [Tag in Action["_tag"]]: (action: Extract<Action, { readonly _tag: Tag }>) => Promise<Seen> }
  const table: Table = {
    Open: async ({ url }) => {
      requests.open(url)
      refusals.clear()
      return act("outline", () => goto(page, url).catch((cause: unknown) => Promise.reject(notOpened(url, cause, refusals))))
    },
    Click: ({ at }) => act("outline", () => "selector" in at ? found(at).click() : page.mouse.click(at.x, at.y)),
    Type: ({ at, text }) =>
      act("nothing", async () => {
        if (at === undefined) return pressed(text)
        if ("selector" in at) return found(at).fill(text)
        await page.mouse.click(at.x, at.y)
        return pressed(text)
      }),
    Press: ({ key }) => act("outline", () => page.keyboard.press(key)),
    Scroll: ({ at, to }) => act("nothing", () => point(at).then(() => page.mouse.wheel(0, to === "down" ? stride : -stride))),
    Select: ({ at, option }) => act("outline", () => found(at).selectOption(option)),
    Screenshot: () => look("image"),
    Console: async () => ({ ...await look("nothing"), lines: journal.all() })
  }

  return {
    refused,
    perform: async (action) => {
      if (action._tag !== "Open" && !requests.isOpen(page.url())) {
        throw new BrowserError({ reason: "Elsewhere", message: `The page was led to ${page.url()}, which nobody opened. Open it if you want it.` })
      }
      return await (table[action._tag] as (action: Action) => Promise<Seen>)(action).catch((cause: unknown) => {
        throw cause instanceof BrowserError ? cause : new BrowserError({ reason: page.isClosed() ? "Broken" : "Target", message: complaint(cause) })
      })
    }
  }
}

/** Whether a request is for the page itself, or a new tab, which has no frame yet; not for a frame in it, or a piece. */
const isOfPage = (request: Request): boolean => {
  if (!request.isNavigationRequest()) return false
  try {
    return request.frame().parentFrame() === null
  } catch {
    return true
  }
}

/** An attempt that fails is over when its error page is there: that would come between, later. */
const goto = async (page: Driven, url: string): Promise<void> => {
  const answer = await page.goto(url, { waitUntil: "domcontentloaded", timeout: limits.open }).catch(async (cause: unknown) => {
    await page.waitForURL(/^chrome-error:/, { waitUntil: "commit", timeout: limits.rest }).catch(() => {})
    throw cause
  })
  // Our own proxy says no to an address in the words of HTTP.
  if (answer?.status() === 403 && answer.headers()[refusal] !== undefined) throw new Error("The guard refused it.")
}

const notOpened = (url: string, cause: unknown, refusals: ReadonlyMap<string, string>): BrowserError => {
  const [at, why] = [...refusals].find(([at]) => at === url) ?? [...refusals].at(-1) ?? []
  return at === undefined
    ? new BrowserError({ reason: "Unreachable", message: complaint(cause) })
    : new BrowserError({ reason: "Refused", message: `${at === url ? url : `${url} leads to ${at}`}: ${why}.` })
}

/** Run in the page: what an action began has had its turn, and is drawn. */
const drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

/** Until nothing that was asked for is still on its way, within a bound: some pages never rest. */
const quiet = async (page: Driven, pending: ReadonlySet<Request>): Promise<void> => {
  const ended = () => pending.size === 0
  if (ended()) return
  await Promise.race([
    page.waitForEvent("requestfinished", { predicate: ended, timeout: limits.rest }),
    page.waitForEvent("requestfailed", { predicate: ended, timeout: limits.rest })
  ]).catch(() => {})
}

/** Everything that a page says without being asked. */
const listen = (page: Driven, journal: Journal.Journal, pending: Set<Request>, requests: Requests): void => {
  page.on("console", (message) => {
    // The network tells what was not loaded, and why.
    if (message.text().startsWith("Failed to load resource")) return
    const { line, url } = message.location()
    journal.note(`console.${message.type()}: ${message.text()}${url === "" ? "" : ` (${url}:${line + 1})`}`, message.type() === "error")
  })
  page.on("pageerror", (error) => journal.note(`uncaught: ${error.message}`, true))
  page.on("dialog", (dialog) => {
    journal.note(`${dialog.type()}: ${JSON.stringify(dialog.message())} was dismissed`, true)
    void dialog.dismiss().catch(() => {})
  })
  page.on("download", (download) => journal.note(`download: ${download.url()} was not taken`, true))
  page.on("popup", () => journal.note("popup: a new tab was closed again; open its address if you want it", true))
  page.on("crash", () => journal.note("crash: the page crashed; open it again", true))
  page.on("websocket", (socket) => {
    const why = requests.ask(socket.url())
    if (why !== undefined) journal.note(`refused: ${socket.url()}: ${why}`, true)
    else socket.on("socketerror", (error) => journal.note(`network: ${socket.url()} ${error}`, true))
  })
  page.on("request", (request) => void (request.resourceType() !== "eventsource" && pending.add(request)))
  page.on("requestfinished", (request) => void pending.delete(request))
  page.on("requestfailed", (request) => {
    pending.delete(request)
    const why = request.failure()?.errorText ?? "failed"
    // Refused by us and told already, or given up by the page itself.
    if (!/BLOCKED_BY_CLIENT|ERR_ABORTED/.test(why)) journal.note(`network: ${request.method()} ${request.url()} ${why}`, true)
  })
  page.on("response", (response) => {
    const status = response.status()
    if (status >= 400 && !response.url().endsWith("/favicon.ico")) journal.note(`network: ${response.request().method()} ${response.url()} ${status}`, true)
  })
}

/** What the driver says went wrong, without its colours: the sentence, and the last thing that it waited for. */
const complaint = (cause: unknown): string => {
  const [first = "", ...rest] = Printable.of(cause instanceof Error ? cause.message : String(cause)).split("\n")
  const waits = rest.map((line) => line.replace(/^[\s-]+/, "")).filter((line) => line !== "" && line !== "Call log:")
  return Clip.line([first.replace(/^\w+\.\w+: /, ""), ...waits.slice(-3)].join(" – "), most.error)
}
