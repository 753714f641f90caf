/** The Chromium that is on this machine: where it is, and starting it so that it reaches nothing but our guard and dies with us. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { accessSync, constants, statSync } from "node:fs"
import { userInfo } from "node:os"
import { delimiter, isAbsolute, join } from "node:path"
import type { BrowserContext } from "playwright-core"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import type { Environment } from "../../services/Environment.ts"
import * as ProcessTree from "../workspace/shell/ProcessTree.ts"
import * as Profile from "./Profile.ts"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser"]

/** Where browsers are that no PATH leads to. */
const places: Readonly<Record<string, ReadonlyArray<string>>> = {
  linux: ["/snap/bin/chromium", "/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge", "/opt/brave.com/brave/brave"],
  darwin: ["Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
}

/** What to do where there is none. */
export const install: Readonly<Record<string, string>> = {
  linux: "apt-get install -y --no-install-recommends chromium (or your system's package of Chromium or Chrome)",
  darwin: "brew install --cask chromium"
}

/** The program; undefined where there is none. */
export const find = ({ platform, variables }: Pick<Environment["Service"], "platform" | "variables">): string | undefined => {
  const folders = (variables["PATH"] ?? "").split(delimiter).filter(isAbsolute)
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places[platform] ?? []].find(isProgram)
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export const missing = (platform: string): BrowserError =>
  new BrowserError({
    reason: "Missing",
    message: `There is no Chromium or Chrome on PATH or in the usual places. It is installed with: ${install[platform] ?? install["linux"]!}.`
  })

/** Pixels of what is visible. */
const viewport = { width: 1280, height: 800 }

/** ms for a start; for an orderly end, and from SIGTERM to SIGKILL where there is none. */
const limits = { start: 30_000, end: 2000, grace: 500 }

/**
 * A browser with an empty profile of its own, until the scope closes. It is driven over a pipe and ends when that breaks, so also when
 * we are killed; its processes carry our marker all the same. `proxy` is the one place that it may connect to.
 */
export const launch = Effect.fn("Chromium.launch")(function*(
  { platform, variables }: Environment["Service"],
  { marker, proxy }: { readonly marker: string; readonly proxy: string }
) {
  const program = find({ platform, variables })
  if (program === undefined) return yield* missing(platform)
  const { chromium } = yield* Effect.tryPromise({
    try: () => import("playwright-core"),
    catch: () => new BrowserError({ reason: "Missing", message: "playwright-core, which drives the browser, is not installed. It is installed with: npm install playwright-core." })
  })
  const home = yield* Profile.make
  const started = yield* Effect.acquireRelease(
    Effect.sync(() => ({
      context: chromium.launchPersistentContext(join(home, "profile"), {
        executablePath: program,
        headless: true,
        // As root it refuses to run in its own sandbox.
        chromiumSandbox: userInfo().uid !== 0,
        proxy: { server: proxy },
        args: confined,
        env: {
          ...CommandEnvironment.scrub(variables),
          HOME: home,
          XDG_CONFIG_HOME: home,
          XDG_CACHE_HOME: home,
          DBUS_SESSION_BUS_ADDRESS: "",
          [ProcessTree.variable]: marker
        },
        artifactsDir: join(home, "artifacts"),
        timeout: limits.start,
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        acceptDownloads: false,
        serviceWorkers: "block",
        viewport
      })
    })),
    ({ context }) => end(context, marker)
  )
  return yield* Effect.tryPromise({
    try: () => started.context,
    catch: (cause) => new BrowserError({ reason: "Broken", message: `${program} did not start: ${why(cause)}` })
  })
})

/** Names are resolved by our guard alone, and nothing goes past it: no QUIC, no WebRTC of its own (a switch with two names, by version). */
const confined = [
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic"
]

/** Also one that is still starting. Real time, whatever clock the program runs under: a process lives in it. */
const end = (starting: Promise<BrowserContext>, marker: string): Effect.Effect<void> =>
  Effect.promise(() => starting.then((context) => context.close()).catch(() => {})).pipe(
    Effect.timeoutOption(limits.end),
    Effect.andThen(ProcessTree.stop({ marker }, limits.grace)),
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )

/** The line of a long complaint that says why. */
const why = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  return /No usable sandbox/.test(text)
    ? "it may not make a sandbox here (user namespaces are switched off)."
    : (text.split("\n").find((line) => /error|cannot|failed/i.test(line) && !/^Call log/.test(line)) ?? text.split("\n", 1)[0]!).trim()
}
