/** A real browser with one page a session, behind the network guard; what is opened in it is gone with the session. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Reach } from "../domain/approval/BrowserReach.ts"
import type { BrowserError } from "../domain/network/BrowserError.ts"

/** An element by a selector, or a point of the page's visible part in pixels from its top left corner. */
export type Spot = { readonly selector: string } | { readonly x: number; readonly y: number }

/**
 * One thing to do with the page. `Type` writes into `at`, which it empties first, or where the cursor is. `Press` takes the names of
 * keys that browsers have, with modifiers: `Enter`, `Control+A`. `Scroll` moves by most of what is visible.
 */
export type Action =
  | { readonly _tag: "Open"; readonly url: string }
  | { readonly _tag: "Click"; readonly at: Spot }
  | { readonly _tag: "Type"; readonly text: string; readonly at?: Spot }
  | { readonly _tag: "Press"; readonly key: string }
  | { readonly _tag: "Scroll"; readonly to: "up" | "down"; readonly at?: Spot }
  | { readonly _tag: "Select"; readonly at: { readonly selector: string }; readonly option: string }
  | { readonly _tag: "Screenshot" }
  | { readonly _tag: "Console" }

/** Characters of an outline and of a title. */
export const limits = { outline: 10_000, title: 200 }

/**
 * The page after an action, all texts of it foreign and made printable.
 * - `outline` tells its elements by role and name, where the action may have changed them.
 * - `lines` are errors of its console and its network since they were last told; for `Console` all that is kept of both.
 * - `image` is a PNG of what is visible.
 */
export interface Seen {
  readonly url: string
  readonly title: string
  readonly outline?: string
  readonly lines: ReadonlyArray<string>
  readonly image?: Uint8Array
}

export class Browser extends Context.Service<Browser, {
  /** `Open` starts the browser where the session has none. Interrupting closes the page: what it was doing does not go on. */
  readonly perform: (session: string, reach: Reach, action: Action) => Effect.Effect<Seen, BrowserError>
  /** Whether there was a page. */
  readonly close: (session: string) => Effect.Effect<boolean>
}>()("dacapo/Browser") {}
