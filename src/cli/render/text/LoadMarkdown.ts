/** Loads the renderer of Markdown: a program that prints no text does without. */
import * as Effect from "effect/Effect"
import type * as BlockLines from "./BlockLines.ts"
import type { Theme } from "./Theme.ts"

export const lines: Effect.Effect<BlockLines.RenderMarkdown> = Effect.map(
  Effect.promise(() => import("./MarkdownLines.ts")),
  (module) => module.lines
)

/** A renderer of blocks in a theme. */
export const renderer = (theme: Theme): Effect.Effect<BlockLines.Renderer> => Effect.map(lines, (markdown) => ({ theme, markdown }))
