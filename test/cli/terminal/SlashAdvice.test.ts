/** Inside the terminal, advice names slash commands where they exist. */
import { describe, expect, it } from "@effect/vitest"
import * as BlockLines from "../../../src/cli/render/text/BlockLines.ts"
import * as SlashAdvice from "../../../src/cli/render/terminal/SlashAdvice.ts"
import * as Theme from "../../../src/cli/render/text/Theme.ts"
import * as View from "../../../src/cli/render/view/View.ts"

const advice = {
  "Run `dacapo auth status` to see which key is used, or `dacapo auth login` to save another.": "Type /login to save another.",
  "No API key for Anthropic. Run \"dacapo auth login anthropic\" or set ANTHROPIC_API_KEY.": "No API key for Anthropic. Run /login anthropic or set ANTHROPIC_API_KEY.",
  "Add credit and continue (`dacapo --continue`), or use another model (--model).": "Add credit and continue (/continue), or use another model (/model).",
  "Continue the session to try again, or use another model (--model).": "Type /continue to try again, or use another model (/model).",
  "Run `dacapo models` for a list of known models.": "Type /model to choose another.",
  "There is no session x. Run `dacapo sessions list` to see the available sessions.": "There is no session x. Type /resume to choose one.",
  "\"x\" is not a mode. Run `dacapo --help` for usage.": "\"x\" is not a mode. Type /help for the commands.",
  "Run `dacapo mcp allow tax` to allow it.": "Run `dacapo mcp allow tax` to allow it."
}

describe("advice in the terminal", () => {
  it.each(Object.entries(advice))("%s", (shell, slash) => {
    expect(SlashAdvice.translate(View.text(shell))).toBe(slash)
  })

  it("stays as it is in the output of commands and outside of the terminal", () => {
    const [shell = "", slash = ""] = Object.entries(advice)[0]!
    const lines = (tone: View.Tone, translate: boolean) =>
      BlockLines.blockLines({ _tag: "Note", text: View.text(shell), tone }, {
        theme: Theme.of("never", false, {}),
        markdown: (text) => [text],
        ...(translate ? { advice: SlashAdvice.translate } : {})
      })
    expect([lines("bad", true), lines("info", true), lines("bad", false)]).toEqual([[`· ${slash}`], [`· ${shell}`], [`· ${shell}`]])
  })
})
