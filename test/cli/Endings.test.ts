import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ContextError } from "../../src/domain/context/ContextError.ts"
import { LogError, type LogReason } from "../../src/domain/session/LogError.ts"
import { ProviderError, type ProviderReason } from "../../src/domain/provider/ProviderError.ts"
import { SettingsError } from "../../src/domain/config/SettingsError.ts"
import { CheckpointError } from "../../src/domain/workspace/Checkpoint.ts"
import { InputError, UsageError } from "../../src/cli/process/CliError.ts"
import * as ExitCode from "../../src/cli/process/ExitCode.ts"
import type { Settled } from "../../src/domain/session/SessionEvent.ts"
import { Agent } from "../../src/services/Agent.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as Acts from "./support/Acts.ts"
import { dacapo, objects, type Called } from "./support/Called.ts"
import * as Played from "./support/Played.ts"

const failed = (reason: "provider" | "turns" | "time" | "mistakes" | "repeats" | "budget" | "approval" | "context") => [Acts.requested, Acts.fails(reason, "It is over.")]

const modelFailed = (reason: ProviderReason): Settled => ({ _tag: "ModelFailed", reason, provider: "p", message: "no", draft: null })

/** An agent that can't even start. */
const broken = (error: LogError | ProviderError | SettingsError) =>
  Layer.provideMerge(
    Layer.effect(Agent, Effect.map(Agent, (agent) => Agent.of({ ...agent, start: () => Effect.fail(error), follow: () => Stream.empty }))),
    Played.runtime([])
  )

const log = (reason: LogReason) => broken(new LogError({ session: "s", message: "The log is as it is.", reason }))
const provider = (reason: ProviderReason) => broken(new ProviderError({ provider: "p", message: "The provider says so.", reason }))

const denied: ReadonlyArray<Played.Act> = [
  Acts.requested,
  Acts.responded([Acts.call("c1", "run_command", { command: "rm -rf ." })], "tool_calls"),
  Acts.finished("c1", Outcome.denied("Denied.")),
  Acts.requested,
  Acts.responded([Acts.text("I was not allowed.")]),
  Acts.done("I was not allowed.")
]

type Row = readonly [string, Parameters<typeof dacapo>[1], ReadonlyArray<string>, { readonly subtype: string; readonly exit: number; readonly reason?: string }]

const prompt = ["-p", "do it"]
const error = "error_during_execution"

const rows: ReadonlyArray<Row> = [
  ["finished", { tasks: [Acts.answer("Done.")] }, prompt, { subtype: "success", exit: 0 }],
  ["finished with a denial", { tasks: [denied] }, prompt, { subtype: "success", exit: 0 }],
  ["the turn limit", { tasks: [failed("turns")] }, prompt, { subtype: "error_max_turns", exit: 53 }],
  ["the time limit", { tasks: [failed("time")] }, prompt, { subtype: error, exit: 53, reason: "time" }],
  ["mistakes in a row", { tasks: [failed("mistakes")] }, prompt, { subtype: error, exit: 53, reason: "mistakes" }],
  ["the same call again and again", { tasks: [failed("repeats")] }, prompt, { subtype: error, exit: 53, reason: "repeats" }],
  ["the budget", { tasks: [failed("budget")] }, prompt, { subtype: "error_max_budget_usd", exit: 56 }],
  ["an approval with --on-ask exit", { tasks: [failed("approval")] }, [...prompt, "--on-ask", "exit"], { subtype: error, exit: 58 }],
  ["a provider that failed for good", { tasks: [failed("provider")] }, prompt, { subtype: error, exit: 1 }],
  ["a key that was refused", { tasks: [[Acts.requested, modelFailed({ _tag: "Auth" }), Acts.fails("provider", "Refused.")]] }, prompt, { subtype: error, exit: 41 }],
  ["a request that does not fit", { tasks: [failed("context")] }, prompt, { subtype: error, exit: 1 }],
  ["a bad flag", {}, ["-p", "--nonsense", "x"], { subtype: error, exit: 2 }],
  ["a bad value", {}, ["-p", "--max-turns", "x"], { subtype: error, exit: 2 }],
  ["no prompt", {}, ["-p"], { subtype: error, exit: 42 }],
  ["an empty prompt", {}, ["-p", ""], { subtype: error, exit: 42 }],
  ["a prompt that is not UTF-8", { stdin: new Uint8Array([0x66, 0xff, 0xfe]) }, ["-p"], { subtype: error, exit: 42 }],
  ["a folder that is not there", {}, ["-p", "x", "-C", "/no/such/folder"], { subtype: error, exit: 42 }],
  ["a session that is not there", {}, ["-p", "x", "--resume", "01979f0e-8a9b-7c00-8000-000000000001"], { subtype: error, exit: 42 }],
  ["no session to continue", {}, ["-p", "x", "--continue"], { subtype: error, exit: 42 }],
  ["no model", { variables: { DACAPO_MODEL: "" } }, prompt, { subtype: error, exit: 52 }],
  ["a rule that can't be", { runtime: broken(new SettingsError({ where: "--allowedTools", message: "Bash() is empty." })) }, prompt, { subtype: error, exit: 52 }],
  ["an unknown provider", { runtime: provider({ _tag: "UnknownModel", near: ["openai/gpt-5"] }) }, prompt, { subtype: error, exit: 52 }],
  ["a missing key", { runtime: provider({ _tag: "Auth" }) }, prompt, { subtype: error, exit: 41 }],
  ["a locked session", { runtime: log({ _tag: "Locked", pid: 7 }) }, prompt, { subtype: error, exit: 59 }],
  ["a broken chain", { runtime: log({ _tag: "Corrupt", seq: 3 }) }, prompt, { subtype: error, exit: 59 }],
  ["a full disk", { runtime: log({ _tag: "Disk", code: "ENOSPC" }) }, prompt, { subtype: error, exit: 59 }]
]

const results = (called: Called) => objects(called).filter(({ type }) => type === "result")

describe("every ending has one result, and its exit code", () => {
  for (const [name, call, args, { exit, reason, subtype }] of rows) {
    it.effect(name, () =>
      Effect.gen(function*() {
        for (const format of ["json", "stream-json"]) {
          const called = yield* dacapo([...args, "--output-format", format], call)
          const [result, ...more] = results(called)
          expect(more).toEqual([])
          expect({ exit: called.exit, subtype: result?.["subtype"], error: result?.["is_error"] })
            .toEqual({ exit, subtype, error: exit !== 0 })
          if (reason !== undefined) expect(result?.["reason"]).toBe(reason)
          if (format === "json") expect(objects(called)).toHaveLength(1)
          expect(objects(called).at(-1)?.["type"]).toBe("result")
        }
        const text = yield* dacapo(args, call)
        expect(text.exit).toBe(exit)
        if (exit === 0) expect(text.stderr).toBe("")
        else {
          expect(text.stdout).toBe("")
          expect(text.stderr).toMatch(/^dacapo: [^\n]+\n$/)
        }
      }))
  }

  it.effect("exits quietly when its output is closed", () =>
    Effect.gen(function*() {
      const called = yield* dacapo([...prompt, "--output-format", "stream-json"], { tasks: [Acts.answer("Done.")], deaf: 1 })
      expect(called).toMatchObject({ exit: 0, stderr: "" })
      expect(results(called)).toEqual([])
    }))
})

describe("typed errors", () => {
  it("each have an ending", () => {
    expect(ExitCode.fromFailure(new UsageError({ message: "" })).exit).toBe(2)
    expect(ExitCode.fromFailure(new InputError({ message: "" })).exit).toBe(42)
    expect(ExitCode.fromFailure(new ContextError({ message: "", tokens: 1, window: 1 })).exit).toBe(1)
    expect(ExitCode.fromFailure(new CheckpointError({ message: "", reason: "NotFound" })).exit).toBe(42)
  })
})
