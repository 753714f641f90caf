/** Switching between permission modes: with Shift-Tab in turn, and from plan mode back. */
import type { Mode } from "../../../domain/approval/Mode.ts"
import * as ModeText from "../text/ModeText.ts"
import { text } from "../view/DisplayText.ts"
import type { Action, Screen } from "./ScreenState.ts"

/** The modes that Shift-Tab goes through. */
const modes: ReadonlyArray<Mode> = ["default", "acceptEdits", "plan", "auto"]

/** Shows a mode that the session switches to. */
export const show = (screen: Screen, mode: Mode): Screen => ({
  ...screen,
  view: { ...screen.view, status: { ...screen.view.status, mode } }
})

/** Switches to a mode, and says in the hint line what it permits. */
export const switchTo = (screen: Screen, mode: Mode): readonly [Screen, Action] => {
  const current = screen.view.status.mode as Mode
  return [{
    ...show(screen, mode),
    acceptsEdits: false,
    workMode: current === "plan" ? screen.workMode : current,
    otherMode: modes.includes(current) ? screen.otherMode : current,
    hint: text(ModeText.sentence(mode))
  }, { _tag: "Switch", mode }]
}

/** The next mode. One that was chosen by name, such as bypassPermissions, has its turn after the last. */
export const next = (screen: Screen): readonly [Screen, Action] => {
  const turns = screen.otherMode === undefined ? modes : [...modes, screen.otherMode]
  return switchTo(screen, turns[(turns.indexOf(screen.view.status.mode as Mode) + 1) % turns.length]!)
}
