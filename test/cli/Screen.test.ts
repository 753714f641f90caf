import { describe, expect, it } from "@effect/vitest"
import type { Key } from "../../src/cli/render/terminal/LineEditor.ts"
import * as ApprovalChoices from "../../src/cli/render/terminal/ApprovalChoices.ts"
import * as BlockLines from "../../src/cli/render/text/BlockLines.ts"
import * as Screen from "../../src/cli/render/terminal/Screen.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"
import * as View from "../../src/cli/render/view/View.ts"
import type { Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Access from "../../src/domain/tool/Access.ts"
import type { PendingPrompt } from "../../src/cli/terminal/TerminalApprover.ts"
import * as Day from "./support/Day.ts"
import * as Renderers from "./support/Renderers.ts"
import * as Acts from "./support/Acts.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"

const key = (name: Key["name"], more: Partial<Key> = {}): Screen.Message => ({ _tag: "Key", key: { name, text: "", ctrl: false, alt: false, shift: false, ...more } })
const text = (text: string) => key("text", { text })
const enter = key("enter")
const escape = key("escape")
const ctrl = (letter: string) => key("text", { text: letter, ctrl: true })
const followed = (acts: Parameters<typeof Day.followed>[0]): ReadonlyArray<Screen.Message> =>
  Day.followed(acts).map((followed) => ({ _tag: "Followed", followed }))

/** All wishes on the way, and the screen at the end. */
const play = (...messages: ReadonlyArray<Screen.Message | ((screen: Screen.Screen) => Screen.Message)>) => {
  const wishes: Array<Screen.Action> = []
  const screen = messages.reduce((screen, message) => {
    const [next, wish] = Screen.update(screen, typeof message === "function" ? message(screen) : message)
    if (wish !== undefined) wishes.push(wish)
    return next
  }, Screen.initial(View.initial()))
  return { screen, wishes }
}

const nothing = () => {}
const edit: PendingPrompt = { _tag: "Approval", question: Day.question, answer: nothing }
const danger: PendingPrompt = { _tag: "Approval", question: Day.dangerous, answer: nothing }
const asks: PendingPrompt = { _tag: "Question", text: "Which one?", options: ["the first", "the second"], answer: nothing }
const working = followed(Day.working)
const ending = followed([Acts.done("Done.")])
const waits = (waiting: PendingPrompt): ReadonlyArray<Screen.Message> => [{ _tag: "Pending", pending: waiting }, { _tag: "Ready", prompt: waiting }]

describe("what is typed", () => {
  it("starts a task when idle", () => {
    expect(play(text("fix it"), enter).wishes).toEqual([{ _tag: "Say", text: "fix it", delivery: "task" }])
  })

  it("steers with Enter, and queues with Tab or Alt-Enter, during a task", () => {
    expect(play(...working, text("use npm"), enter).wishes).toEqual([{ _tag: "Say", text: "use npm", delivery: "steer" }])
    for (const queue of [key("tab"), key("enter", { alt: true })]) {
      const { screen, wishes } = play(...working, text("then push"), queue)
      expect([wishes, screen.queued, screen.editor.text]).toEqual([[], ["then push"], ""])
    }
  })

  it("sends what is queued as one message once the task ends", () => {
    const queued = [...working, text("then push"), key("tab"), text("and tag it"), key("tab")]
    expect(play(...queued, ...ending).wishes).toEqual([{ _tag: "Say", text: "then push\n\nand tag it", delivery: "task" }])
    expect(play(...queued, ...ending).screen.queued).toEqual([])
  })

  it("takes the last queued message back with Up in an empty input line, then goes to the history", () => {
    const queued = [...working, text("then push"), key("tab"), text("and tag it"), key("tab"), key("up")]
    const { screen } = play(...queued)
    expect([screen.editor.text, screen.queued]).toEqual(["and tag it", ["then push"]])
    const edited = play(...queued, text(" as v2"), key("tab"), ...ending)
    expect(edited.wishes).toEqual([{ _tag: "Say", text: "then push\n\nand tag it as v2", delivery: "task" }])
    expect(play(...working, text("then push"), key("tab"), text("draft"), key("up")).screen.queued).toEqual(["then push"])
  })

  it("returns what is queued to the input line when the task is interrupted or fails", () => {
    const interrupted: Settled = { _tag: "Interrupted", why: "The user interrupted." }
    const failed: Settled = { _tag: "TaskFailed", reason: "provider", message: "Overloaded." }
    for (const end of [interrupted, failed]) {
      const { screen, wishes } = play(...working, text("then push"), key("tab"), text("a draft"), ...followed([end]))
      expect([wishes, screen.queued, screen.editor.text]).toEqual([[], [], "then push\n\na draft"])
    }
  })

  it("runs slash and shell commands at once instead of queueing them", () => {
    expect(play(...working, text("/cost "), key("tab")).wishes).toEqual([{ _tag: "Command", name: "cost", args: "" }])
    expect(play(...working, text("!ls"), key("tab")).wishes).toEqual([{ _tag: "RunUserCommand", command: "ls" }])
  })

  it("continues on a new line after a backslash", () => {
    expect(play(text("one\\"), enter, text("two"), enter).wishes).toEqual([{ _tag: "Say", text: "one\ntwo", delivery: "task" }])
  })

  it("is not sent when it is empty", () => {
    expect(play(enter, text("  "), enter).wishes).toEqual([])
  })

  it("is a command after a single slash, and a prompt otherwise", () => {
    expect(play(text("/plan"), enter).wishes).toEqual([{ _tag: "Switch", mode: "plan" }])
    expect(play(text("/quit"), enter).wishes).toEqual([{ _tag: "Leave", by: "command" }])
    expect(play(text("/etc/hosts says what?"), enter).wishes).toEqual([{ _tag: "Say", text: "/etc/hosts says what?", delivery: "task" }])
    const { screen, wishes } = play(text("/xyzzy"), enter)
    expect([wishes, screen.hint]).toEqual([[], "Unknown command /xyzzy. Type / for a list."])
  })
})

describe("colours", () => {
  it("follow the chosen theme, or the background that the terminal reports", () => {
    const good = (variables: Readonly<Record<string, string>>, name?: "light" | "dark-colorblind") => Theme.of("auto", true, variables, name).accent("a") + Theme.of("auto", true, variables, name).good("b")
    expect(good({})).toBe("\u001b[36ma\u001b[39m\u001b[32mb\u001b[39m")
    expect(good({ COLORFGBG: "0;15" })).toBe("\u001b[34ma\u001b[39m\u001b[32mb\u001b[39m")
    expect(good({}, "light")).toBe(good({ COLORFGBG: "0;15" }))
    expect(good({}, "dark-colorblind")).toBe("\u001b[36ma\u001b[39m\u001b[94mb\u001b[39m")
    expect(good({ NO_COLOR: "1" }, "light")).toBe("ab")
  })
})

describe("whether the terminal has focus", () => {
  it("is known once the terminal reports it", () => {
    const focus = (focused: boolean): Screen.Message => ({ _tag: "Focus", focused })
    expect([play(), play(focus(true)), play(focus(true), focus(false))].map(({ screen }) => screen.isFocused)).toEqual([undefined, true, false])
  })
})

describe("stopping", () => {
  it("interrupts once with Escape or Ctrl-C until the task has stopped", () => {
    expect(play(...working, escape, escape).wishes).toEqual([{ _tag: "Interrupt" }])
    expect(play(...working, ctrl("c")).wishes).toEqual([{ _tag: "Interrupt" }])
  })

  it("exits with Ctrl-C during an interrupt", () => {
    expect(play(...working, ctrl("c"), ctrl("c")).wishes).toEqual([{ _tag: "Interrupt" }, { _tag: "Leave", by: "interrupt" }])
  })

  it("exits with Ctrl-C twice when idle, unless another key comes between", () => {
    expect(play(ctrl("c"), ctrl("c")).wishes).toEqual([{ _tag: "Leave", by: "interrupt" }])
    expect(play(ctrl("c"), text("a"), ctrl("c")).wishes).toEqual([])
  })

  it("clears the input first", () => {
    const { screen, wishes } = play(text("half a tho"), ctrl("c"))
    expect([wishes, screen.editor.text, screen.isLeaving]).toEqual([[], "", false])
  })

  it("exits with Ctrl-D only on an empty line", () => {
    expect(play(ctrl("d")).wishes).toEqual([{ _tag: "Leave", by: "command" }])
    expect(play(text("a"), ctrl("d")).wishes).toEqual([])
  })
})

describe("Escape twice while nothing runs", () => {
  const said = followed([{ _tag: "UserSaid", text: "fix it", delivery: "task" }, { _tag: "TaskFinished", result: "Done." }])
  const edits = [{ _tag: "Command", name: "rewind", args: "last" }]

  it("edits the last message, also when both arrive as one key", () => {
    expect(play(...said, escape, escape).wishes).toEqual(edits)
    expect(play(...said, key("escape", { alt: true })).wishes).toEqual(edits)
    expect(play(...said, escape).screen.isEscaping).toBe(true)
  })

  it("does nothing before the first message, with another key in between, or while there is text to clear", () => {
    expect(play(escape, escape).wishes).toEqual([])
    expect(play(...said, escape, text("a"), escape).wishes).toEqual([])
    expect(play(...said, text("a"), escape, escape).wishes).toEqual([])
  })
})

describe("keys beside the text", () => {
  it("run a shell command of the user's own, one at a time, which Escape stops", () => {
    const running: Screen.Message = { _tag: "UserCommand", command: "npm test" }
    expect(play(text("!npm test"), enter).wishes).toEqual([{ _tag: "RunUserCommand", command: "npm test" }])
    expect(play(running, text("!ls"), enter).screen.hint).toBe("npm test is still running. Press Esc to stop it.")
    expect(play(running, escape).wishes).toEqual([{ _tag: "StopUserCommand" }])
  })

  it("open the line in an editor, and move a command that runs to the background", () => {
    expect(play(text("a draft"), ctrl("g")).wishes).toEqual([{ _tag: "EditDraft", text: "a draft" }])
    expect(play(text("ab"), ctrl("b")).screen.editor.cursor).toBe(1)
  })

  it("start a new line with Shift-Enter", () => {
    expect(play(text("a"), key("enter", { shift: true }), text("b")).screen.editor.text).toBe("a\nb")
  })
})

describe("the menu of commands", () => {
  it("runs the selected command with Enter, and completes it with Tab", () => {
    expect(play(text("/stat"), key("down"), enter).wishes).toEqual([{ _tag: "Command", name: "status", args: "" }])
    expect(play(text("/stat"), key("down"), key("tab")).screen.editor.text).toBe("/status ")
    expect(play(text("/cle"), enter).wishes).toEqual([{ _tag: "Command", name: "new", args: "" }])
  })

  it("completes a command of the user's own, which may take arguments", () => {
    const commands: Screen.Message = { _tag: "Commands", commands: [{ name: "deploy", doc: "Deploy it" }] }
    expect(play(commands, text("/dep"), enter).screen.editor.text).toBe("/deploy ")
    expect(play(commands, text("/deploy to staging"), enter).wishes).toEqual([{ _tag: "Say", text: "/deploy to staging", delivery: "task" }])
  })
})

describe("an approval", () => {
  const answered = (waiting: PendingPrompt, ...keys: ReadonlyArray<Screen.Message>) =>
    play(...working, ...waits(waiting), ...keys).wishes.map((wish) => wish._tag === "Answer" ? wish.answer : wish)
  const allow = (scope: "once" | "session" | "always") => ({ decision: "allow", scope, by: "user" })

  it("is answered by one key", () => {
    expect(answered(edit, text("y"))).toEqual([allow("once")])
    expect(answered(edit, enter)).toEqual([allow("once")])
    expect(answered(edit, text("s"))).toEqual([allow("session")])
    expect(answered(edit, text("A"))).toEqual([allow("always")])
  })

  it("has no default for high risk, and offers no rule if none is narrow enough", () => {
    expect(answered(danger, enter, text("s"), text("a"))).toEqual([])
    expect(answered(danger, text("y"))).toEqual([allow("once")])
  })

  it("is denied with or without a message", () => {
    expect(answered(edit, text("n"), text("use tabs"), enter)).toEqual([{ decision: "deny", scope: "once", by: "user", words: "use tabs" }])
    expect(answered(edit, text("n"), enter)).toEqual([{ decision: "deny", scope: "once", by: "user" }])
  })

  it("can be returned to before the denial is sent", () => {
    expect(answered(edit, text("n"), text("hm"), escape, text("y"))).toEqual([allow("once")])
  })

  it("can be interrupted", () => {
    expect(answered(edit, escape)).toEqual([{ _tag: "Interrupt" }])
  })

  it("of many lines offers more than \"once\" only after it was scrolled to its end", () => {
    const long: PendingPrompt = {
      ...danger,
      question: { ...danger.question, access: [Access.command(Array.from({ length: 45 }, (_, i) => `echo ${i}`).join("\n"))], offer: ["Bash(echo:*)"] }
    }
    expect(answered(long, text("a"), text(" "), text("a"))).toEqual([])
    expect(answered(long, text(" "), text(" "), text("a"))).toEqual([allow("always")])
    const { screen } = play(...working, ...waits(long), text(" "), text(" "))
    const shown = BlockLines.allLines(screen.view, Renderers.plain).join("\n")
    expect([0, 19, 20, 39, 40, 44].every((line) => shown.includes(`echo ${line}\n`) || shown.endsWith(`echo ${line}`))).toBe(true)
    expect(answered(long, text("y"))).toEqual([allow("once")])
  })

  it("of an edit shows its diff with line numbers, and the rest of a long one when that is asked for", () => {
    const shown = (waiting: PendingPrompt, ...keys: ReadonlyArray<Screen.Message>) => BlockLines.allLines(play(...working, ...waits(waiting), ...keys).screen.view, Renderers.plain).join("\n")
    expect(shown(edit)).toContain("  7 -   return Math.round(taxed - discount(taxed))\n  7 +   return Math.round(net * (1 + tax / 100))")
    const added = Array.from({ length: 60 }, (_, i) => `+line ${i}`).join("\n")
    const long: PendingPrompt = { ...edit, question: { ...edit.question, diff: `--- a/x\n+++ b/x\n@@ -0,0 +1,60 @@\n${added}\n` } }
    expect(shown(long)).toContain("… 40 more lines (press d to show)")
    expect(shown(long)).not.toContain("line 59")
    expect(shown(long, text("d"))).toContain("60 + line 59")
  })

  it("of a read or a web page has nothing to edit", () => {
    const asking = (access: Access.Access): PendingPrompt => ({ ...edit, question: { ...edit.question, access: [access] } })
    const hasEdit = (pending: PendingPrompt) => ApprovalChoices.of(play({ _tag: "Pending", pending }).screen).some(({ name }) => name === "edit")
    expect([Access.read("/etc/hosts"), Access.fetch("https://a.dev"), Access.browse("https://a.dev")].filter((access) => hasEdit(asking(access)))).toEqual([])
    expect([Access.edit("a.ts"), Access.command("make"), Access.mcp("s", "t")].map((access) => hasEdit(asking(access)))).toEqual([true, true, true])
  })

  it("of an edit can extend to all edits of the session, to the file and to its folder, each rule as it would be written", () => {
    const folderRule = "Edit(./src/**)"
    const scoped: PendingPrompt = { ...edit, question: { ...edit.question, editScope: { folderRule, canAcceptEdits: true } } }
    expect(ApprovalChoices.of(play(...working, ...waits(scoped)).screen).map(({ key, label }) => `${key} ${label}`)).toEqual([
      "y Yes",
      "s Yes, and accept all edits in this session",
      "a Yes, and don't ask again for Edit(src/**)",
      "f Yes, and don't ask again for Edit(./src/**)",
      "e Edit it first",
      "n No, tell the agent what to do instead"
    ])
    expect(answered(scoped, text("f"))).toEqual([{ ...allow("always"), rules: [folderRule] }])
    const accepted = play(...working, ...waits(scoped), text("s"))
    expect(accepted.wishes).toEqual([{ _tag: "Answer", to: scoped, answer: allow("once"), mode: "acceptEdits" }])
    expect(accepted.screen.view.status.mode).toBe("acceptEdits")
  })

  it("is given at once to an edit that was judged before the user accepted all edits, and to nothing else", () => {
    const scoped: PendingPrompt = { ...edit, question: { ...edit.question, editScope: { canAcceptEdits: true } } }
    const after = (...messages: ReadonlyArray<Screen.Message>) => play(...working, ...waits(scoped), text("s"), ...messages).wishes.slice(1)
    const next = { ...scoped } satisfies PendingPrompt
    expect(after({ _tag: "Pending", pending: next })).toEqual([{ _tag: "Answer", to: next, answer: allow("once") }])
    expect(after({ _tag: "Pending", pending: danger })).toEqual([])
    expect(after({ _tag: "Pending", pending: edit })).toEqual([])
    expect(after(key("tab", { shift: true }), { _tag: "Pending", pending: next })).toEqual([{ _tag: "Switch", mode: "plan" }])
    expect(after(...followed([{ _tag: "TaskFinished", result: "Done." }, ...Day.working]), { _tag: "Pending", pending: next })).toEqual([])
    expect(play(...working, key("tab", { shift: true }), ...waits(scoped)).wishes).toEqual([{ _tag: "Switch", mode: "acceptEdits" }])
  })

  it("shows the diff once: the edit that ran does not repeat it, another one shows its own", () => {
    const ran = (diff: string) => followed([...Day.working, Acts.finished("c3", { ...Outcome.succeeded("Changed."), display: diff })]).slice(-1)
    const shown = (...messages: ReadonlyArray<Screen.Message>) => BlockLines.allLines(play(...working, ...messages).screen.view, Renderers.plain).join("\n")
    const line = "7 +   return Math.round(net"
    expect(shown(...waits(edit), text("y"), ...ran(Day.diff)).split(line)).toHaveLength(2)
    expect(shown(...waits(edit), text("y"), ...ran(Day.diff.replace("net *", "net  *"))).split(line)).toHaveLength(3)
    expect(shown(...ran(Day.diff)).split(line)).toHaveLength(2)
  })

  it("lists the parts of a command only if they say more than its lines", () => {
    const shown = (parts: NonNullable<(typeof Day.dangerous)["parts"]>) =>
      BlockLines.allLines(play(...working, ...waits({ ...danger, question: { ...danger.question, parts } })).screen.view, Renderers.plain).join("\n")
    const undecided = ["rm -rf build", "echo done"].map((part) => ({ part, decision: "ask" as const, reason: `no rule allows ${part}` }))
    expect(shown(undecided)).not.toContain("? echo done")
    expect(shown(Day.dangerous.parts!)).toContain("✓ echo done: the rule Bash(echo:*) allows echo done")
  })

  it("takes no keys with Ctrl or Alt", () => {
    expect(answered(edit, ..."yasfmen".split("").flatMap((letter) => [ctrl(letter), key("text", { text: letter, alt: true })]))).toEqual([])
  })

  it("is answered by the choice that the arrows select, and with high risk by none before that", () => {
    expect(answered(edit, key("down"), enter)).toEqual([allow("session")])
    expect(answered(edit, key("up"), enter, text("no tabs"), enter)).toEqual([{ decision: "deny", scope: "once", by: "user", words: "no tabs" }])
    expect(answered(danger, enter, key("down"), enter)).toEqual([allow("once")])
  })
})

describe("a question of the model", () => {
  const replied = (...keys: ReadonlyArray<Screen.Message>) =>
    play(...working, ...waits(asks), ...keys).wishes.map((wish) => wish._tag === "Reply" ? wish.reply : wish)

  it("is answered by a number or with text", () => {
    expect(replied(text("2"), enter)).toEqual([{ by: "user", text: "the second" }])
    expect(replied(text("neither"), enter)).toEqual([{ by: "user", text: "neither" }])
    expect(replied(text("7"), enter)).toEqual([{ by: "user", text: "7" }])
  })

  it("is answered by the option that the arrows select, and by none before that", () => {
    expect(replied(enter)).toEqual([])
    expect(replied(key("down"), key("down"), enter)).toEqual([{ by: "user", text: "the second" }])
    expect(replied(key("up"), enter)).toEqual([{ by: "user", text: "the second" }])
    expect(replied(key("down"), text("neither"), enter)).toEqual([{ by: "user", text: "neither" }])
  })
})

describe("what is typed before a question was seen", () => {
  const list: Screen.Message = { _tag: "Pick", title: "Do you trust this folder?", options: ["No", "Yes"], selected: 0, answer: nothing }
  const comes = { "an approval": { _tag: "Pending", pending: edit }, "a dangerous approval": { _tag: "Pending", pending: danger }, "a question": { _tag: "Pending", pending: asks }, "a list": list } satisfies Record<string, Screen.Message>
  const ready = (screen: Screen.Screen): Screen.Message => ({ _tag: "Ready", prompt: Screen.activePrompt(screen) })

  for (const [name, question] of Object.entries(comes)) {
    it(`does not answer, and appears in the input line: ${name}`, () => {
      const { screen, wishes } = play(...working, text("use npm "), question, text("y"), text("2"), key("down"), enter, text("a"), text(" "), enter)
      expect([wishes, screen.editor.text]).toEqual([[], "use npm y2\na \n"])
      expect(Screen.isReady(screen)).toBe(false)
    })
  }

  it("answers the question once it is ready, and not the next one", () => {
    const seen = [...working, comes["an approval"], ready]
    expect(play(...seen, text("y")).wishes).toHaveLength(1)
    expect(play(...seen, comes["a dangerous approval"], text("y")).wishes).toEqual([])
    expect(play(...working, list, ready, key("down"), enter).wishes).toMatchObject([{ _tag: "Choose", choice: 1 }])
    expect(play(...working, list, comes["an approval"], { _tag: "Ready", prompt: edit }, enter, text("y")).wishes).toEqual([])
  })

  it("reappears after a denial, and when the denial is cancelled", () => {
    const before = [...working, text("then push"), comes["an approval"], { _tag: "Ready", prompt: edit } as const, text("n")]
    const refused = play(...before, text("use tabs"), enter)
    expect(refused.wishes).toMatchObject([{ _tag: "Answer", answer: { decision: "deny", words: "use tabs" } }])
    expect(refused.screen.editor.text).toBe("then push")
    expect(play(...before, text("hm"), escape).screen.editor.text).toBe("then push")
    expect(play(...before, text("hm"), { _tag: "Pending", pending: undefined }).screen.editor.text).toBe("then push\nhm")
  })

  it("still interrupts, if it is Escape or Ctrl-C", () => {
    expect(play(...working, comes["an approval"], escape).wishes).toEqual([{ _tag: "Interrupt" }])
    expect(play(list, ctrl("c")).wishes).toMatchObject([{ _tag: "Choose", choice: undefined }])
  })

  it("is pasted into the line, never into an answer", () => {
    const { screen, wishes } = play(...working, comes["an approval"], { _tag: "Ready", prompt: edit }, { _tag: "Pasted", text: "y" })
    expect([wishes, screen.editor.text]).toEqual([[], "y"])
  })
})

describe("a long pasted text", () => {
  const pasted = Array.from({ length: 42 }, (_, i) => `line ${i}`).join("\n")
  const paste = (text: string): Screen.Message => ({ _tag: "Pasted", text })
  const label = "[Pasted text #1 +42 lines]"

  it("is a label in the input line, and whole in the message, the history and the editor", () => {
    const typed = [text("why "), paste(pasted), text(" fails")]
    expect(play(...typed).screen.editor.text).toBe(`why ${label} fails`)
    expect(play(...typed, ctrl("g")).wishes).toEqual([{ _tag: "EditDraft", text: `why ${pasted} fails` }])
    const sent = play(...typed, enter, key("up"))
    expect(sent.wishes).toEqual([{ _tag: "Say", text: `why ${pasted} fails`, delivery: "task" }])
    expect(sent.screen.editor.text).toBe(`why ${pasted} fails`)
    expect(play(...working, ...typed, key("tab"), ...ending).wishes).toEqual([{ _tag: "Say", text: `why ${pasted} fails`, delivery: "task" }])
    expect(play(...working, ...typed, key("tab"), key("up")).screen.editor.text).toBe(`why ${label} fails`)
    expect(play(...typed, enter, paste(pasted)).screen.editor.text).toBe("[Pasted text #2 +42 lines]")
  })

  it("is whole in the answer to a question, in the reason for a denial and in a command", () => {
    expect(play(...working, ...waits(asks), paste(pasted), enter).wishes).toMatchObject([{ _tag: "Reply", reply: { text: pasted } }])
    expect(play(...working, ...waits(edit), text("n"), paste(pasted), enter).wishes).toMatchObject([{ _tag: "Answer", answer: { words: pasted } }])
    expect(play(text("/new "), paste(pasted), enter).wishes).toEqual([{ _tag: "Command", name: "new", args: pasted }])
  })

  it("stays a label where nothing is sent, and goes as a whole with Backspace", () => {
    expect(play(text("/xyzzy "), paste(pasted), enter).screen.editor.text).toBe(`/xyzzy ${label}`)
    expect(play(text("a "), paste(pasted), key("backspace")).screen.editor.text).toBe("a ")
    expect(play(text("a "), paste(pasted), key("backspace"), ctrl("_")).screen.editor.text).toBe(`a ${label}`)
  })

  it("has no escapes left in it, and a short one is inserted as it is", () => {
    expect(play(paste(`\u001b[31m${"\r\n".repeat(6)}x`), enter).wishes).toEqual([{ _tag: "Say", text: "x", delivery: "task" }])
    expect(play(paste("one\ntwo")).screen.editor.text).toBe("one\ntwo")
    expect(play(paste("x".repeat(5_000))).screen.editor.text).toBe("[Pasted text #1, 5.0k characters]")
  })

  it("is shortened in the conversation, where Ctrl-O shows all of it", () => {
    const said = followed([Day.began, { _tag: "UserSaid", text: pasted, delivery: "task" }])
    const shown = (...keys: ReadonlyArray<Screen.Message>) => BlockLines.allLines(play(...said, ...keys).screen.view, Renderers.plain).join("\n")
    expect(shown()).toContain("> line 0\n")
    expect(shown()).toContain("… 22 more lines …")
    expect(BlockLines.allLines(play(...said).screen.view, { ...Renderers.plain, openKey: "Ctrl-O" }).join("\n")).toContain("… 22 more lines (press Ctrl-O to show)")
    expect(shown()).not.toContain("line 20\n")
    expect(shown(ctrl("o"))).toContain("line 20\n")
  })
})

describe("Ctrl-O", () => {
  it("shows all of the last output that was shortened, then of the one before, and nothing else", () => {
    const outputs = ["one", "two"].flatMap((name) => [
      Acts.requested,
      Acts.responded([Acts.call(name, "run_command", { command: name })], "tool_calls"),
      { _tag: "ToolProposed", call: name, access: [Access.command(name)], kind: "command", action: "hash", decision: "allow", risk: "low", reason: "", offer: [] } as const,
      Acts.started(name),
      Acts.finished(name, Outcome.succeeded(Array.from({ length: 30 }, (_, i) => `${name} ${i}`).join("\n")))
    ])
    const shown = (presses: number) => BlockLines.allLines(play(...followed([Day.began, Day.prompted, ...outputs]), ...Array.from({ length: presses }, () => ctrl("o"))).screen.view, Renderers.plain).join("\n")
    expect([shown(0), shown(1), shown(2), shown(3)].map((text) => [text.includes("one 15"), text.includes("two 15")]))
      .toEqual([[false, false], [false, true], [true, true], [true, true]])
    expect(shown(3)).toBe(shown(2))
  })
})

describe("Shift-Tab", () => {
  const shiftTab = key("tab", { shift: true })
  const modes = (start: string, presses: number) => play({ _tag: "Mode", mode: start as "plan" }, ...Array.from({ length: presses }, () => shiftTab)).wishes.map((wish) => "mode" in wish ? wish.mode : wish)

  it("goes through the modes, and comes back to one that it does not go through otherwise", () => {
    expect(modes("default", 5)).toEqual(["acceptEdits", "plan", "auto", "default", "acceptEdits"])
    expect(modes("bypassPermissions", 6)).toEqual(["default", "acceptEdits", "plan", "auto", "bypassPermissions", "default"])
  })

  it("says what each mode permits, until the next key", () => {
    const hints = [1, 2, 3, 4].map((presses) => play(...Array.from({ length: presses }, () => shiftTab)).screen.hint)
    expect(hints).toEqual([
      "acceptEdits: accept edits; ask before commands",
      "plan: read and plan; change nothing",
      "auto: ask only about what is risky",
      "ask: ask before edits and commands"
    ])
    expect(play(shiftTab, text("a")).screen.hint).toBeUndefined()
  })

  it("and /plan are undone by /act", () => {
    expect(play(shiftTab, shiftTab, text("/act"), enter).wishes.at(-1)).toEqual({ _tag: "Switch", mode: "acceptEdits" })
    expect(play(text("/plan"), enter, text("/plan"), enter, text("/act"), enter).wishes.at(-1)).toEqual({ _tag: "Switch", mode: "default" })
  })
})

describe("a task whose process was killed", () => {
  const { settings } = Day.began as Extract<Settled, { readonly _tag: "SessionStarted" }>
  const resumed = (goOn: boolean) => followed([{ _tag: "Resumed", settings, version: "0.0.0", goOn }])

  it("runs no more once the session is resumed, and can be continued and interrupted", () => {
    const { screen } = play(...working, ...resumed(false))
    expect([screen.view.isWorking, Screen.needsTick(screen, 60_000), screen.view.calls.map(({ state }) => state)]).toEqual([false, false, ["interrupted"]])
    expect(play(...working, ...resumed(false), text("/continue"), enter).wishes).toEqual([{ _tag: "Command", name: "continue", args: "" }])
    const again = [...working, ...resumed(false), ...resumed(true)]
    expect(play(...again).screen.view.isWorking).toBe(true)
    expect(play(...again, escape).wishes).toEqual([{ _tag: "Interrupt" }])
    expect(play(...working, ...resumed(false), text("stop"), enter).wishes).toEqual([{ _tag: "Say", text: "stop", delivery: "task" }])
  })

  it("works again after /continue, also one that was interrupted or that its provider ended, but none that is done", () => {
    const works = (...acts: Parameters<typeof followed>[0]) => play(...working, ...followed(acts), ...resumed(true)).screen.view.isWorking
    expect([
      works({ _tag: "Interrupted", why: "x" }),
      works(Acts.fails("provider", "Overloaded.")),
      works(Acts.fails("turns", "Reached the limit.")),
      works(Acts.done("Done."))
    ]).toEqual([true, true, false, false])
  })
})

describe("a word that leaves other programs", () => {
  it("leaves, but not while a task runs", () => {
    const wish = (...messages: ReadonlyArray<Screen.Message>) => play(...messages).wishes.at(-1)
    for (const word of ["exit", "quit", ":q"]) {
      expect(wish(text(word), enter)).toEqual({ _tag: "Leave", by: "command" })
      expect(wish(...working, text(word), enter)).toEqual({ _tag: "Say", text: word, delivery: "steer" })
    }
    expect(wish(text("exit the loop early"), enter)).toMatchObject({ _tag: "Say" })
  })
})

describe("an interrupted task", () => {
  it("ends on the screen when the log says so", () => {
    const { screen } = play(...working, escape, ...followed([{ _tag: "Interrupted", why: "x" }]))
    expect([screen.isInterrupting, screen.view.isWorking]).toEqual([false, false])
    expect(play(...working, escape, ...followed([Acts.done("")]), text("more"), enter).wishes.at(-1)).toEqual({ _tag: "Say", text: "more", delivery: "task" })
  })
})

describe("letters that are keys of their own, and arrive together", () => {
  const todo: Screen.Message = { _tag: "EditTodo", items: [{ text: "Read", state: "done" }, { text: "Test", state: "pending" }] }

  it("edit the to-do list one after the other", () => {
    const { wishes } = play(todo, text("aWrite the docs"), enter, text("xd"), enter)
    expect(wishes).toMatchObject([{ _tag: "SaveTodo", items: [{ text: "Read" }, { text: "Test" }] }])
    expect(play(todo, text("aWrite the docs"), enter, enter).wishes)
      .toMatchObject([{ items: [{ text: "Read" }, { text: "Write the docs" }, { text: "Test" }] }])
    expect(play(todo, text("🌱"), text("d".repeat(65)), escape).wishes).toEqual([])
  })

  it("scroll the output of a command", () => {
    const lines = Array.from({ length: 100 }, (_, i) => [i + 1, `line ${i + 1}`] as const)
    const input = { mode: "lines", isReading: false } as const
    const opened: Screen.Message =
      { _tag: "CommandOpened", id: "call_1", command: "seq 100", snapshot: { lines, count: 100, ending: undefined, hasTerminal: true, input, isSecret: false } }
    const [{ screen: one }, { screen: two }] = [play(opened, text("g"), text("j"), text("j")), play(opened, text("gjj"))]
    expect(two.commandView?.top).toBe(3)
    expect(two.commandView).toEqual(one.commandView)
    expect(play(opened, text("qhello")).screen.editor.text).toBe("hello")
  })
})
