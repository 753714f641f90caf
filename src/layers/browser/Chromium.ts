/** The installed Chromium: finds it, and starts it so that it reaches nothing but our guard and dies with us. */
import * as Effect from "effect/Effect"
import { accessSync, constants, statSync } from "node:fs"
import { userInfo } from "node:os"
import { delimiter, isAbsolute, join } from "node:path"
import type { BrowserContext } from "playwright-core"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import { withRealClock } from "../../services/process/RealClock.ts"
import type { Environment } from "../../services/Environment.ts"
import * as ProcessTree from "../workspace/shell/ProcessTree.ts"
import * as Programs from "../workspace/Programs.ts"
import * as Profile from "./Profile.ts"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser"]

/** Where browsers are installed outside PATH. */
const installPaths: Readonly<Record<string, ReadonlyArray<string>>> = {
  linux: ["/snap/bin/chromium", "/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge", "/opt/brave.com/brave/brave"],
  darwin: ["Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
}

/** How to install one. */
export const install: Readonly<Record<string, string>> = {
  linux: "apt-get install -y --no-install-recommends chromium (or your system's package of Chromium or Chrome)",
  darwin: "brew install --cask chromium"
}

/** The program; undefined if none is installed. */
export const find = ({ path, platform }: { readonly path: string; readonly platform: string }): string | undefined => {
  const folders = path.split(delimiter).filter(isAbsolute)
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...installPaths[platform] ?? []].find(isProgram)
}

/** The same for the user's environment. */
export const program = (environment: Environment["Service"]): string | undefined =>
  find({ path: Programs.searchPath(environment, []), platform: environment.platform })

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export const missingBrowser = (platform: string): BrowserError =>
  new BrowserError({
    reason: "Missing",
    message: `Chromium or Chrome was not found on PATH or in the usual places. Install it with: ${install[platform] ?? install["linux"]!}.`
  })

/** The visible area in pixels. */
const viewport = { width: 1280, height: 800 }

/** ms for a start; for a clean shutdown, and from SIGTERM to SIGKILL otherwise. */
const limits = { startMs: 30_000, endMs: 2000, graceMs: 500 }

/**
 * A browser with an empty profile of its own, until the scope closes. It is driven over a pipe and exits when that breaks, so also
 * when we are killed; its processes carry our marker as well. `proxy` is the only address that it may connect to.
 */
export const launch = Effect.fn("Chromium.launch")(function*(
  environment: Environment["Service"],
  { marker, proxy }: {
    readonly marker: string
    readonly proxy: { readonly server: string; readonly username: string; readonly password: string }
  }
) {
  const { platform, variables } = environment
  const executablePath = program(environment)
  if (executablePath === undefined) return yield* missingBrowser(platform)
  const { chromium } = yield* Effect.tryPromise({
    try: () => import("playwright-core"),
    catch: () =>
      new BrowserError({
        reason: "Missing",
        message: "playwright-core, which drives the browser, is not installed. Install it with: npm install playwright-core."
      })
  })
  const home = yield* Profile.make
  const browser = yield* Effect.acquireRelease(
    Effect.sync(() => ({
      context: chromium.launchPersistentContext(join(home, "profile"), {
        executablePath,
        headless: true,
        // As root it refuses to run in its own sandbox.
        chromiumSandbox: userInfo().uid !== 0,
        proxy,
        args: confinementArgs,
        env: {
          ...CommandEnvironment.scrub(variables),
          HOME: home,
          XDG_CONFIG_HOME: home,
          XDG_CACHE_HOME: home,
          DBUS_SESSION_BUS_ADDRESS: "",
          [ProcessTree.variable]: marker
        },
        artifactsDir: join(home, "artifacts"),
        timeout: limits.startMs,
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
    try: () => browser.context,
    catch: (cause) => new BrowserError({ reason: "Broken", message: `${program} did not start: ${why(cause)}` })
  })
})

/**
 * Names are resolved only by our guard, and nothing bypasses it: no QUIC, no WebRTC of its own (a switch with two
 * names, by version).
 */
const confinementArgs = [
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic"
]

/** Also one that is still starting. Uses real time, whatever clock the program runs under, since a process lives in it. */
const end = (browser: Promise<BrowserContext>, marker: string): Effect.Effect<void> =>
  Effect.promise(() => browser.then((context) => context.close()).catch(() => {})).pipe(
    Effect.timeoutOption(limits.endMs),
    Effect.andThen(ProcessTree.stop({ marker }, limits.graceMs)),
    withRealClock
  )

/** The line of a long error message that gives the reason. */
const why = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  return /No usable sandbox/.test(text)
    ? "it can't create a sandbox here (user namespaces are disabled)."
    : (text.split("\n").find((line) => /error|cannot|failed/i.test(line) && !/^Call log/.test(line)) ?? text.split("\n", 1)[0]!).trim()
}
