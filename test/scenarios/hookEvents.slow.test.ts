/** A session for each hook event: the hook runs with what the event is about, the session replays, and the replay runs no hook. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { HookEvent } from "../../src/domain/hook/Hook.ts"
import * as Process from "../cli/support/Process.ts"

interface Scene {
  /** Fields of the input, as the hook reads them. */
  readonly input: object
  readonly run: (place: Process.Place) => Promise<unknown>
}

const bypass = ["--permission-mode", "bypassPermissions"]
const task = (turns: ReadonlyArray<object>, ...flags: ReadonlyArray<string>) => (place: Process.Place) =>
  Process.run(place, ["-p", ...flags, "--model", place.script(...turns), "Go"])
const command = (text: string) => ({ calls: [{ name: "run_command", params: { command: text } }] })
const read = (path: string) => ({ calls: [{ name: "read_file", params: { path } }] })
const done = { text: "Done." }

const model = (place: Process.Place, script: object) => {
  writeFileSync(join(place.root, "own.json"), JSON.stringify(script))
  return `scripted/${place.root}/own.json`
}

const delegation = (place: Process.Place) =>
  Process.run(place, ["-p", "--model", model(place, {
    turns: [{ calls: [{ name: "delegate", params: { tasks: [{ name: "doors", prompt: "Count the doors." }] } }] }, done],
    children: [{ prompt: "Count the doors.", turns: [{ text: "Two doors." }] }]
  }), "Go"])

/** A small window that fills until its turns are summarised. */
const compaction = (place: Process.Place) => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
  for (const name of names) writeFileSync(join(place.cwd, name), Array.from({ length: 60 }, (_, i) => `const ${name}${i} = compute(${i}, "a word or two")\n`).join(""))
  return Process.run(place, ["-p", "--model", model(place, {
    model: { window: 12_000, maxOutput: 1000 },
    turns: [...names.map(read), done],
    summary: { text: "## Goal\nRead all files.\n## Next step\nAnswer." }
  }), "Go"])
}

/** A missing event is a missing property here, which the compiler reports. */
const scenes: Readonly<Record<HookEvent, Scene>> = {
  SessionStart: { input: { source: "startup" }, run: task([done]) },
  SessionEnd: { input: { reason: "other" }, run: task([done]) },
  UserPromptSubmit: { input: { prompt: "Go" }, run: task([done]) },
  PreToolUse: { input: { tool_name: "Bash", tool_input: { command: "touch a" }, tool_use_id: "call_1_1" }, run: task([command("touch a"), done], ...bypass) },
  PermissionRequest: { input: { tool_name: "Bash", tool_input: { command: "touch a" } }, run: task([command("touch a"), done]) },
  Notification: { input: { notification_type: "permission_prompt", message: expect.stringContaining("permission") }, run: task([command("touch a"), done]) },
  PostToolUse: { input: { tool_name: "Bash", tool_response: { output: expect.stringContaining("hello") } }, run: task([command("echo hello"), done], ...bypass) },
  PostToolUseFailure: { input: { tool_name: "Read", tool_input: { file_path: "missing.txt" }, error: expect.stringContaining("missing.txt") }, run: task([read("missing.txt"), done]) },
  SubagentStart: { input: { agent_type: expect.any(String) }, run: delegation },
  SubagentStop: { input: { last_assistant_message: "Two doors.", stop_hook_active: false }, run: delegation },
  PreCompact: { input: { trigger: "auto" }, run: compaction },
  PostCompact: { input: { trigger: "auto" }, run: compaction },
  Stop: { input: { last_assistant_message: "Done.", stop_hook_active: false }, run: task([done]) }
}

describe("a hook for", () => {
  for (const [event, { input, run }] of Object.entries(scenes)) {
    it(`${event} runs once it is due, and not again in a replay`, async () => {
      await using place = Process.scene()
      const asked = join(place.root, "asked")
      mkdirSync(join(place.root, "home"))
      writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command: `cat >> '${asked}' && echo >> '${asked}'` }] }] } }))
      const ended = await run(place)
      expect({ ended, hasRun: existsSync(asked) }).toMatchObject({ hasRun: true })
      const [first = "", ...others] = readFileSync(asked, "utf8").trim().split("\n")
      expect(JSON.parse(first)).toMatchObject({ hook_event_name: event, cwd: place.cwd, session_id: expect.stringMatching(/^\S+$/), ...input })
      for (const line of others) expect(JSON.parse(line)).toMatchObject({ hook_event_name: event })
      const log = (await Process.run(place, ["sessions", "export", "latest", "--format", "jsonl"])).stdout
      if (!event.startsWith("Subagent")) expect(log).toContain(`"_tag":"HookRan","hook":"${event}"`)
      expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
      expect(readFileSync(asked, "utf8").trim().split("\n")).toHaveLength(1 + others.length)
    })
  }
})
