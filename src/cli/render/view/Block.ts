/** The settled parts of a conversation, as a screen prints them. */
import type { Kind } from "../../../domain/session/SessionEvent.ts"
import type { Outcome } from "../../../domain/tool/Outcome.ts"
import type { ResultView } from "../../../domain/tool/ResultView.ts"
import type { SafeText } from "./DisplayText.ts"
import type { Fragment } from "./StreamingResponse.ts"

/** A part of the conversation that never changes again: a screen prints it once. */
export type Block =
  | { readonly _tag: "User"; readonly text: SafeText; readonly isQueued: boolean; readonly isOpen?: true }
  /** A slash command, or a shell command of the user's own, as it was typed. */
  | { readonly _tag: "Command"; readonly text: SafeText }
  | { readonly _tag: "Response" } & Fragment
  | { readonly _tag: "Reasoning"; readonly text: SafeText }
  | {
    readonly _tag: "Tool"
    readonly label: SafeText
    readonly status: Outcome["status"]
    readonly kind: Kind
    readonly result: SafeText
    readonly display: SafeText | undefined
    /** As the tool returned it: its texts become printable where they are drawn. */
    readonly view?: ResultView
    /** All of its output is shown. */
    readonly isOpen?: true
    /** Its diff stands in the question above. */
    readonly wasShown?: true
  }
  | { readonly _tag: "Note"; readonly text: SafeText; readonly tone: Tone }
  | {
    readonly _tag: "Approval"
    readonly question: SafeText
    /** What would be done; empty if the question says it. */
    readonly action: SafeText
    /** How many lines of the action are not shown yet. */
    readonly unreadLines: number
    /** Waiting calls of the same kind. */
    readonly similar: ReadonlyArray<SafeText>
    readonly parts: ReadonlyArray<{ readonly decision: "allow" | "ask" | "deny"; readonly text: SafeText }>
    readonly risk: string
    readonly reason: SafeText
    readonly diff: SafeText | undefined
    /** How many rows of the diff are shown. */
    readonly diffRows: number
  }
  | { readonly _tag: "Page"; readonly text: SafeText; readonly unreadLines: number }
  /** `hasPaths`: it names its files, also a single one. */
  | { readonly _tag: "Diff"; readonly diff: SafeText; readonly hasPaths?: true }
  | { readonly _tag: "Question"; readonly text: SafeText }
  | { readonly _tag: "End"; readonly text: SafeText; readonly tone: Tone }

export type Tone = "info" | "good" | "warn" | "bad"
