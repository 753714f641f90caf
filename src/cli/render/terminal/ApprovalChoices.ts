/** The answers to an approval, in display order: each has a key and can be reached with the arrows. */
import type { Access } from "../../../domain/tool/Access.ts"
import { text, type SafeText } from "../view/DisplayText.ts"
import type { Screen } from "./ScreenState.ts"

export type Name = "once" | "edits" | "session" | "always" | "folder" | "similar" | "page" | "diff" | "edit" | "refuse"

export interface Choice {
  readonly name: Name
  readonly key: string
  readonly label: SafeText
}

/** How many rules a label names. */
export const maxRules = 3

/** Lasting approvals are offered if there is a narrow rule and the whole action was shown; of edits also for the session and the folder. */
export const of = ({ hiddenDiff, pending, similarActions, unread }: Screen): ReadonlyArray<Choice> => {
  if (pending?._tag !== "Approval") return []
  const { editScope: { canAcceptEdits = false, folderRule } = {}, offer } = pending.question
  const isRead = unread.length === 0
  const rules = `${offer.slice(0, maxRules).join(", ")}${offer.length > maxRules ? `, and ${offer.length - maxRules} more` : ""}`
  return [
    choice("once", "y", "Yes"),
    ...(!isRead ? []
      : canAcceptEdits ? [choice("edits", "s", "Yes, and accept all edits in this session")]
      : offer.length > 0 ? [choice("session", "s", "Yes, for this session")]
      : []),
    ...(isRead && offer.length > 0 ? [choice("always", "a", `Yes, and don't ask again for ${rules}`)] : []),
    ...(isRead && folderRule !== undefined ? [choice("folder", "f", `Yes, and don't ask again for ${folderRule}`)] : []),
    ...(similarActions.length === 0 ? [] : [choice("similar", "m", `Yes to all ${similarActions.length + 1}`)]),
    ...(unread.length === 0 ? [] : [choice("page", " ", "Show the rest")]),
    ...(hiddenDiff === undefined ? [] : [choice("diff", "d", "Show the whole diff")]),
    ...(canEdit(pending.question.access) ? [choice("edit", "e", "Edit it first")] : []),
    choice("refuse", "n", "No, tell the agent what to do instead")
  ]
}

/** Of reads and visits there is nothing to edit: a wrong path or address is for the model to correct. */
const canEdit = (access: ReadonlyArray<Access>): boolean =>
  access.length === 0 || access.some(({ _tag }) => _tag !== "Read" && _tag !== "Fetch" && _tag !== "Browse")

const choice = (name: Name, key: string, label: string): Choice => ({ name, key, label: text(label).replaceAll("\n", "␤") as SafeText })

/** With high risk nothing is selected at first, so that Enter alone approves nothing. */
export const initialSelection = ({ pending }: Screen): number | undefined =>
  pending?._tag === "Approval" && pending.question.risk !== "high" ? 0 : undefined
