/** The keys of an approval: a choice's own key, the arrows, or Enter for the selected one. */
import { optional } from "../../../domain/Optional.ts"
import type { Answer } from "../../../services/Approver.ts"
import * as ApprovalChoices from "./ApprovalChoices.ts"
import * as ApprovalPrompt from "./ApprovalPrompt.ts"
import * as LineEditor from "./LineEditor.ts"
import * as ModeCycle from "./ModeCycle.ts"
import type { Action, Screen, Update } from "./ScreenState.ts"

export const press = (screen: Screen, key: LineEditor.Key): Update => {
  const { pending, selectedChoice } = screen
  if (pending?._tag !== "Approval") return [screen]
  const choices = ApprovalChoices.of(screen)
  const step = arrowStep(key)
  if (step !== undefined) return [{ ...screen, selectedChoice: moveSelection(selectedChoice, step, choices.length) }]
  const letter = key.ctrl || key.alt ? undefined : key.text.toLowerCase()
  const choice = key.name === "enter" ? choices[selectedChoice ?? -1] : choices.find((choice) => choice.key === letter)
  const allow = (scope: Answer["scope"], rules?: ReadonlyArray<string>) => ({
    _tag: "Answer",
    to: pending,
    answer: { decision: "allow", scope, by: "user", ...optional({ rules }) }
  } satisfies Action)
  switch (choice?.name) {
    case undefined:
      return [screen]
    case "once":
    case "session":
    case "always":
      return [screen, allow(choice.name)]
    case "edits":
      return [{ ...ModeCycle.show(screen, "acceptEdits"), acceptsEdits: true }, { ...allow("once"), mode: "acceptEdits" }]
    case "folder": {
      const { folderRule } = pending.question.editScope ?? {}
      return [screen, allow("always", folderRule === undefined ? [] : [folderRule])]
    }
    case "similar":
      return [{ ...screen, allowedActions: new Set([...screen.allowedActions, ...screen.similarActions]) }, allow("once")]
    case "page":
      return [showNextPage(screen)]
    case "diff":
      return [{
        ...screen,
        hiddenDiff: undefined,
        selectedChoice: ApprovalChoices.initialSelection(screen),
        view: ApprovalPrompt.showDiff(screen.view, screen.hiddenDiff ?? "")
      }]
    case "edit":
      return [screen, { _tag: "Edit", to: pending }]
    case "refuse":
      return [{ ...screen, isRefusing: true, draft: screen.editor.text, editor: LineEditor.withText(screen.editor, "") }]
  }
}

const showNextPage = (screen: Screen): Screen => {
  const [view, unread] = ApprovalPrompt.showMore(screen.view, screen.unread, ApprovalPrompt.pageRows(screen.rows))
  return { ...screen, view, unread, selectedChoice: ApprovalChoices.initialSelection(screen) }
}

export const arrowStep = ({ name }: LineEditor.Key): 1 | -1 | undefined => name === "up" ? -1 : name === "down" ? 1 : undefined

/** Moves a selection around a list; without one, to its first or last entry. */
export const moveSelection = (selected: number | undefined, step: 1 | -1, count: number): number =>
  selected === undefined ? (step === 1 ? 0 : count - 1) : (selected + step + count) % count
