/** `dacapo serve` as a process of its own, and its page in a real Chromium. */
import type { Browser, BrowserContext, Page } from "playwright-core"
import { chromium } from "playwright-core"
import * as Chromium from "../../../src/layers/browser/Chromium.ts"
import * as Process from "../../cli/support/Process.ts"

/** The installed browser; undefined if there is none. */
export const program = Chromium.find({ path: process.env["PATH"] ?? "", platform: process.platform })

export interface Server {
  readonly url: string
  readonly token: string
  /** The address that a user opens. */
  readonly address: string
  /** Runs an operation as another client. */
  readonly operate: (operation: object) => Promise<Record<string, any>>
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

export const serve = async (place: Process.Place, model: string, args: ReadonlyArray<string> = []): Promise<Server> => {
  const running = Process.start(place, ["serve", "--model", model, ...args])
  await running.shows("stderr", /Bearer \S+\n/)
  const [, url = ""] = /at (http:\S+)\. /.exec(running.said("stderr"))!
  const [, token = ""] = /Bearer (\S+)/.exec(running.said("stderr"))!
  return {
    url,
    token,
    address: `${url}/#token=${token}`,
    operate: async (operation) =>
      await (await fetch(`${url}/operations`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(operation)
      })).json() as Record<string, any>,
    stop: async (signal = "SIGTERM") => {
      running.child.kill(signal)
      await running.ended
    }
  }
}

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: program!, args: ["--no-sandbox"] })

export type Options = Parameters<Browser["newContext"]>[0]

/** A page whose errors and refused scripts are collected: each is a fault. */
export const openPage = async (browser: Browser, options: Options = {}): Promise<{ readonly page: Page; readonly context: BrowserContext; readonly faults: ReadonlyArray<string> }> => {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, ...options })
  const page = await context.newPage()
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("console", (message) => {
    // A server that was stopped, or wants a token, is reported by the browser as well.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) faults.push(message.text())
  })
  return { page, context, faults }
}
