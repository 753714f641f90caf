/** One task with tools against a server that others wrote (`@copilotkit/aimock`), on each wire that it speaks. */
import { LLMock } from "@copilotkit/aimock"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const aws = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret-of-a-test", AWS_REGION: "eu-central-1" }
const google = { GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.test", GOOGLE_CLOUD_PROJECT: "some-project", GOOGLE_CLOUD_LOCATION: "europe-west1" }

/** A model of each wire, and what its service asks of the environment. */
const models: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
  ["anthropic/claude-sonnet-4-6", { ANTHROPIC_API_KEY: "sk-ant-test" }],
  ["openai-chat/gpt-4.1", { OPENAI_API_KEY: "sk-test" }],
  ["openai/gpt-5.4", { OPENAI_API_KEY: "sk-test" }],
  ["openai-responses/gpt-5.4", { OPENAI_API_KEY: "sk-test" }],
  ["gemini/gemini-3-flash-preview", { GEMINI_API_KEY: "test-key" }],
  ["gemini-vertex/gemini-2.5-flash", google],
  ["bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", aws],
  ["anthropic-bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", aws]
]

describe("against aimock", () => {
  for (const [model, environment] of models) {
    it.live(`${model} writes a file, reads it, and says what it did`, () => Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(Effect.sync(() => new LLMock({ port: 0 })), (server) => Effect.promise(() => server.stop()))
      const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] })
      server.on({ turnIndex: 0 }, { content: "I write.", ...call("write_file", { path: "hello.txt", content: "Grüße, 世界\n" }) })
      server.on({ turnIndex: 1 }, call("read_file", { path: "hello.txt" }))
      server.on({ turnIndex: 2, toolResultContains: "Grüße, 世界" }, { content: "It says: Grüße." })
      const url = yield* Effect.promise(() => server.start())
      const at = yield* Effect.acquireRelease(Effect.sync(Process.place), (at) => Effect.sync(() => at[Symbol.dispose]()))
      const place = { ...at, environment: { ...at.environment, ...environment } }
      const ended = yield* Effect.promise(() =>
        Process.run(place, ["-p", "--output-format", "json", "--model", model, "--base-url", `${url}/v1`, "--permission-mode", "acceptEdits", "Say hello in a file"])
      )
      expect([ended.code, ended.stderr]).toEqual([0, ""])
      expect(JSON.parse(ended.stdout)).toMatchObject({ subtype: "success", is_error: false, num_turns: 3, result: "It says: Grüße." })
      expect(readFileSync(join(place.cwd, "hello.txt"), "utf8")).toBe("Grüße, 世界\n")
    }).pipe(Effect.scoped))
  }
})
