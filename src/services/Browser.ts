/** A real browser with one page per session, behind the network guard; everything opened in it ends with the session. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BrowserReach } from "../domain/approval/BrowserReach.ts"
import type { BrowserError } from "../domain/network/BrowserError.ts"

/** An element by a selector, or a point of the page's visible part in pixels from its top left corner. */
export type Target = { readonly selector: string } | { readonly x: number; readonly y: number }

/**
 * An action on the page. `Type` writes into `at`, which it clears first, or at the cursor. `Press` takes browser key
 * names, with modifiers: `Enter`, `Control+A`. `Scroll` moves by most of the visible area.
 */
export type Action =
  | { readonly _tag: "Open"; readonly url: string }
  | { readonly _tag: "Click"; readonly at: Target }
  | { readonly _tag: "Type"; readonly text: string; readonly at?: Target }
  | { readonly _tag: "Press"; readonly key: string }
  | { readonly _tag: "Scroll"; readonly to: "up" | "down"; readonly at?: Target }
  | { readonly _tag: "Select"; readonly at: { readonly selector: string }; readonly option: string }
  | { readonly _tag: "Screenshot" }
  | { readonly _tag: "Console" }

/** Limits in characters of an outline and of a title. */
export const limits = { outline: 10_000, title: 200 }

/**
 * The page after an action; all texts are foreign and made printable.
 * - `outline` lists its elements by role and name, if the action may have changed them.
 * - `lines` are new errors of its console and its network; for `Console` everything stored of both.
 * - `image` is a PNG of the visible part.
 */
export interface PageSnapshot {
  readonly url: string
  readonly title: string
  readonly outline?: string
  readonly lines: ReadonlyArray<string>
  readonly image?: Uint8Array
}

export class Browser extends Context.Service<Browser, {
  /** `Open` starts the browser if the session has none. Interrupting closes the page, and stops whatever it was doing. */
  readonly perform: (session: string, reach: BrowserReach, action: Action) => Effect.Effect<PageSnapshot, BrowserError>
  /** Whether there is a browser to start; without one no page can be opened. */
  readonly isInstalled: Effect.Effect<boolean>
  /** Whether there was a page. */
  readonly close: (session: string) => Effect.Effect<boolean>
}>()("dacapo/Browser") {}
