/** Typing at random over every kind of prompt, in virtual time: it never answers one. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
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

const marked = (title: string, options: ReadonlyArray<string>): Screen.Message => ({ _tag: "Pick", title, options, selected: 0, marks: new Set([1]), answer: nothing })

/** By the file of src that asks, each kind of prompt that it has. */
const prompts: Readonly<Record<string, Readonly<Record<string, Screen.Message>>>> = {
  "layers/agent/Ask.ts": {
    ...Object.fromEntries(Object.entries(accesses).map(([tag, message]) => [`approval of ${tag}`, message])),
    "an edit that can extend to the session and a folder": approval({ ...Day.question, editScope: { folderRule: "Edit(./src/**)", canAcceptEdits: true } }),
    "a command with a rule to save": approval({ ...Day.dangerous, risk: "low", offer: ["Bash(rm -rf build)"] }),
    "a long command": approval({ ...Day.dangerous, access: [{ _tag: "Command", command: "echo\n".repeat(60) }] }),
    "input to a command": about({ _tag: "Command", command: "npm init", input: { text: "yes", keys: ["enter"] } }, { risk: "medium" }),
    "several accesses at once": approval({ ...Day.question, access: [...Day.question.access, ...Day.dangerous.access] }),
    "a call that was repeated": about({ _tag: "Read", path: "a" }, { risk: "low", reason: "The model repeated this call several times in a row." }),
    "a call of a subagent": approval({ ...Day.question, from: "tests" }),
    "a budget that is spent": asked("The session budget does not cover the next request. Continue with a budget of $2?", ["Continue", "Stop"]),
    "a long pause of a provider": asked("The rate limit is reached. Wait 20 min and try again?", ["Wait", "Stop"]),
    "a limit of turns, mistakes or repeats": asked("The task made 3 mistakes in a row. Continue?", ["Continue for 3 more attempts", "Stop"])
  },
  "layers/tool/AskUser.ts": {
    "a question of the model": asked("Which one?", ["the first", "the second"]),
    "a question without suggestions": asked("Which one?", [])
  },
  "layers/tool/command/RunCommand.ts": {
    "a command that takes long": asked("This command has been running for 120 s: make", ["Keep waiting", "Put it in the background", "Stop it"])
  },
  "layers/context/IntakeLive.ts": { "a command in the user's own slash command": about({ _tag: "Command", command: "git log -1" }, { risk: "low" }) },
  "layers/diagnostics/DiagnosticsLive.ts": { "the start of a language server": about({ _tag: "Command", command: "tsserver --stdio" }, { offer: ["Bash(tsserver:*)"] }) },
  "layers/mcp/client/StartApproval.ts": {
    "the start of an MCP server": about({ _tag: "Command", command: "npx shop-server" }, { call: { _tag: "ToolCall", id: "mcp:shop", name: "mcp", params: { server: "shop" } } }),
    "the start of an MCP server in the program": approval({ ...Day.dangerous, access: [], parts: [], call: { _tag: "ToolCall", id: "mcp:shop", name: "mcp", params: { server: "shop" } } })
  },
  "layers/mcp/ToolConsent.ts": {
    "changed tools of an MCP server": about({ _tag: "Other", tool: "offer_changed_mcp_tools", input: { server: "shop" } }, { diff: "+pay: Pays\n+  {}" })
  },
  "layers/mcp/client/Sampling.ts": { "an MCP server that uses the model": about({ _tag: "Mcp", server: "shop", tool: "sampling", input: {} }, { risk: "medium", offer: ["mcp__shop__sampling"] }) },
  "layers/mcp/client/ServerRequests.ts": {
    "a form of an MCP server": asked("The MCP server shop asks: Pay?", ["Accept", "Decline"]),
    "a field of a form": asked("The MCP server shop asks: Size?\nsize", ["small", "large", "Decline"]),
    "an address to open": asked("The MCP server shop asks you to open this address yourself: https://example.com", ["Done", "Decline"])
  },
  // These pass on what others ask.
  "cli/attach/RemoteAgent.ts": {},
  "cli/terminal/ChooseOne.ts": {},
  "cli/terminal/Onboarding.ts": {
    "the first model": list("No model is configured. Choose a model", ["vllm/qwen3-coder (local)", "Watch the demo, which needs no key", "Enter an API key"]),
    "whether to trust a folder": list("Do you trust this folder?", ["No", "Yes"]),
    "whether to trust changes": list("Do you trust the changes?", ["No", "Yes"]),
    "a session to resume": marked("Choose a session to resume", ["one", "two"])
  },
  "cli/commands/Auth.ts": { "a provider to sign in to": list("For which provider?", ["Anthropic", "OpenAI"]) },
  "cli/terminal/Confirm.ts": { "a deletion": list("This deletes 3 sessions. Continue?", ["No", "Yes"]) },
  "cli/terminal/PlanEnding.ts": { "the end of a plan": list("Implement this plan?", ["Yes, and accept edits", "Yes, and ask before each edit", "No, keep planning"]) },
  "cli/terminal/CommandViews.ts": { "a command to show": list("Choose a command to show", ["running  make", "ended  ls"]) },
  "cli/terminal/slash/auth.ts": { "a key to delete": list("Delete the saved key of which provider?", ["anthropic  file"]) },
  "cli/terminal/slash/mode.ts": { "a permission mode": list("Choose a permission mode", ["ask", "bypassPermissions"]) },
  "cli/terminal/slash/model.ts": {
    "a model": list("Choose a model", ["anthropic/claude", "openai/gpt"]),
    "an effort": list("How much should it think?", ["default", "high"])
  },
  "cli/terminal/slash/resume.ts": { "another session to resume": marked("Choose a session to resume", ["one", "two"]) },
  "cli/terminal/slash/rewind.ts": { "what to rewind": list("What do you want to restore?", ["Files and conversation", "Conversation only", "Files only"]) }
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

/** Files that ask: through the approver, or with a list. */
const asks = /(?:Approver\)|approver)\.(?:ask|question)\(|ScreenStore\.pick|ChooseOne\.(?:choose|onScreen)\(/

describe("a prompt", () => {
  it("of each file that asks is among these", () => {
    const root = fileURLToPath(new URL("../../../src/", import.meta.url))
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
      /^(?:layers|cli)\/.*\.tsx?$/.test(file) && !file.startsWith("layers/testing/") && asks.test(readFileSync(join(root, file), "utf8"))
    )
    expect(files.toSorted()).toEqual(Object.keys(prompts).toSorted())
  })

  for (const [name, prompt] of Object.values(prompts).flatMap((ofFile) => Object.entries(ofFile))) {
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
