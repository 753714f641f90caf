import { describe, expect, it } from "vitest"
import * as InputRules from "../../../src/domain/approval/InputRules.ts"

describe("what is typed into a running command", () => {
  it("can be any command for shells, interpreters, consoles, pagers and editors", () => {
    for (const command of ["bash", "bash -i", "sudo sh", "python3", "node", "psql shop", "ssh host", "less README.md", "vim a.ts", "git log | less", "man ls", "$EDITOR x"])
      expect(InputRules.takesAnyCommand(command), command).toBe(true)
    for (const command of ["npm init", "./ask.sh", "gh auth login", "npx create-vite"])
      expect(InputRules.takesAnyCommand(command), command).toBe(false)
  })

  it("is covered by a rule for the command, unless it can be any command; a deny stays a deny", () => {
    const allow = { decision: "allow", rule: "Bash(x)", reason: "allowed" } as const
    expect(InputRules.evaluate("npm init", allow, true)).toEqual(allow)
    expect(InputRules.evaluate("bash", allow, false)).toEqual({ decision: "ask", reason: "no rule covers what is typed there" })
    expect(InputRules.evaluate("bash", allow, true)).toEqual({ decision: "ask", reason: "no rule covers what is typed there", isOpaque: true })
    expect(InputRules.evaluate("bash", { ...allow, decision: "deny" }, false).decision).toBe("deny")
    expect(InputRules.evaluate("npm init", { ...allow, decision: "ask" }, false)).toEqual({ decision: "ask", rule: "Bash(x)", reason: "allowed" })
  })
})
