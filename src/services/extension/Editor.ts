/** The editor that a session runs in: its unsaved files and its terminals. What it does not offer is absent; without a layer all is. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Exit } from "../Shell.ts"

/** The editor refused, or is not connected any more. */
export class EditorError extends Schema.TaggedError<EditorError>()("EditorError", { message: Schema.String }) {}

/** A command for a terminal of the editor. `call` is the tool call that it belongs to, `session` the session of that call. */
export interface EditorCommand {
  readonly session: string
  readonly call: string
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** Set over the editor's own variables. */
  readonly env: Readonly<Record<string, string>>
}

/** A command in a terminal of the editor. */
export interface EditorTerminal {
  /** What the terminal shows, from the beginning unless `isCut`. */
  readonly output: Effect.Effect<{ readonly text: string; readonly isCut: boolean }, EditorError>
  readonly exit: Effect.Effect<Exit, EditorError>
  readonly kill: Effect.Effect<void>
}

/** Paths are absolute, without links. */
export interface EditorConnection {
  /** The content of a file as the editor shows it, with changes that are not saved. */
  readonly readText?: (path: string) => Effect.Effect<string, EditorError>
  readonly writeText?: (path: string, text: string) => Effect.Effect<void, EditorError>
  /** Released when the scope closes. */
  readonly openTerminal?: (command: EditorCommand) => Effect.Effect<EditorTerminal, EditorError, Scope.Scope>
}

export const Editor = Context.Reference<EditorConnection>("dacapo/Editor", { defaultValue: () => ({}) })
