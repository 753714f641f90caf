/** Typing at random over every kind of prompt, in virtual time: it never answers one. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import type { Key } from "../../../src/cli/render/terminal/LineEditor.ts"
import * as Screen from "../../../src/cli/render/terminal/Screen.ts"
import * as PromptReadiness from "../../../src/cli/terminal/PromptReadiness.ts"
import * as ScreenStore from "../../../src/cli/terminal/ScreenStore.ts"
import { randomAt } from "../../../src/domain/session/SeededRandom.ts"
import type { Access } from "../../../src/domain/tool/Access.ts"
import type { Question } from "../../../src/services/Approver.ts"
import * as Day from "../support/Day.ts"

const nothing = () => {}
const approval = (question: Question): Screen.Message => ({ _tag: "Pending", pending: { _tag: "Approval", question, answer: nothing } })

const about = (access: Access, more: Partial<Question> = {}): Screen.Message => approval({ ...Day.dangerous, access: [access], parts: [], ...more })

/** Each kind of thing that approval is asked for, at its risk. */
const accesses: { readonly [Tag in Access["_tag"]]: Screen.Message } = {
  Read: about({ _tag: "Read", path: "/etc/hosts" }, { offer: ["Read(//etc/hosts)"] }),
  Edit: approval(Day.question),
  Command: approval(Day.dangerous),
  Fetch: about({ _tag: "Fetch", url: "https://example.com" }, { offer: ["WebFetch(domain:example.com)"] }),
  Browse: about({ _tag: "Browse", url: "https://example.com" }, { offer: ["Browser(domain:example.com)"] }),
  Mcp: about({ _tag: "Mcp", server: "shop", tool: "pay", input: { sum: 7 } }, { offer: ["mcp__shop__pay"] }),
  Other: about({ _tag: "Other", tool: "deploy", input: {} }, { risk: "medium" })
}

const asked = (text: string, options: ReadonlyArray<string>): Screen.Message => ({ _tag: "Pending", pending: { _tag: "Question", text, options, answer: nothing } })
const list = (title: string, options: ReadonlyArray<string>): Screen.Message => ({ _tag: "Pick", title, options, selected: 0, answer: nothing })

const prompts: Readonly<Record<string, Screen.Message>> = {
  ...Object.fromEntries(Object.entries(accesses).map(([tag, message]) => [`approval of ${tag}`, message])),
  "an edit that can extend to the session and a folder": approval({ ...Day.question, editScope: { folderRule: "Edit(./src/**)", canAcceptEdits: true } }),
  "a command with a rule to save": approval({ ...Day.dangerous, risk: "low", offer: ["Bash(rm -rf build)"] }),
  "a long command": approval({ ...Day.dangerous, access: [{ _tag: "Command", command: "echo\n".repeat(60) }] }),
  "a question of the model": asked("Which one?", ["the first", "the second"]),
  "a question without suggestions": asked("Which one?", []),
  "a limit that is reached": asked("The session budget does not cover the next request. Continue with twice the budget?", ["Continue", "Stop"]),
  "whether to trust a folder": list("Do you trust this folder?", ["No", "Yes"]),
  "the end of a plan": list("Implement this plan?", ["Yes, and accept edits", "Yes, and ask before each edit", "No, keep planning"]),
  "what to rewind": list("What do you want to restore?", ["Files and conversation", "Conversation only", "Files only"])
}

const key = (name: Key["name"], text = "", shift = false): Screen.Message => ({ _tag: "Key", key: { name, text, ctrl: false, alt: false, shift } })

const typed: ReadonlyArray<Screen.Message> = [
  ..."yasfmden 12Y?".split("").map((letter) => key("text", letter)),
  ...(["enter", "enter", "up", "down", "tab", "backspace", "left", "end"] as const).map((name) => key(name)),
  key("tab", "", true),
  key("text", "yes please"),
  { _tag: "Pasted", text: "y\n" }
]

/** What answers a prompt. */
const isAnswer = ({ _tag }: Screen.Action): boolean => _tag === "Answer" || _tag === "Reply" || _tag === "Choose" || _tag === "Edit"

/** A screen with a running task, whose frames are drawn at once. */
const open = Effect.gen(function*() {
  const store = yield* ScreenStore.open
  let drawn: Screen.ActivePrompt | undefined
  const dispatch = Effect.fnUntraced(function*(message: Screen.Message) {
    store.dispatch(message)
    if (Screen.activePrompt(store.screen()) !== drawn) {
      drawn = Screen.activePrompt(store.screen())
      Queue.offerUnsafe(store.activity, undefined)
    }
    yield* TestClock.adjust(0)
  })
  for (const followed of Day.followed(Day.working)) yield* dispatch({ _tag: "Followed", followed })
  yield* Effect.forkScoped(PromptReadiness.run(store, () => drawn))
  return { dispatch, store }
})

describe("a prompt", () => {
  for (const [name, prompt] of Object.entries(prompts)) {
    it.effect(`is never answered by typing that began before it: ${name}`, () =>
      Effect.gen(function*() {
        for (let round = 0; round < 20; round++) {
          let drawn = 0
          const random = (below: number) => Math.floor(randomAt(`${name} ${round}`, drawn++) * below)
          const { dispatch, store } = yield* open
          const promptAt = random(10)
          for (let i = 0; i < 40; i++) {
            if (i === promptAt) yield* dispatch(prompt)
            yield* dispatch(typed[random(typed.length)]!)
            yield* TestClock.adjust(random(700))
          }
          expect((yield* Queue.clear(store.actions)).filter(isAnswer)).toEqual([])
          expect(Screen.isReady(store.screen())).toBe(false)
        }
      }).pipe(Effect.scoped))

    it.effect(`accepts keys 700 ms after the last one, and not before: ${name}`, () =>
      Effect.gen(function*() {
        const { dispatch, store } = yield* open
        yield* dispatch(prompt)
        yield* TestClock.adjust(400)
        yield* dispatch(key("text", "x"))
        yield* TestClock.adjust(699)
        expect(Screen.isReady(store.screen())).toBe(false)
        yield* TestClock.adjust(1)
        expect(Screen.isReady(store.screen())).toBe(true)
      }).pipe(Effect.scoped))
  }
})
