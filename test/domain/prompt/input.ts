/** The input of the prompts in the tests. */
import type { PromptInput } from "../../../src/domain/prompt/Section.ts"
import type { Model } from "../../../src/domain/provider/Model.ts"
import type { Facts } from "../../../src/domain/session/SessionEvent.ts"
import * as ToolSpec from "../../../src/domain/tool/ToolSpec.ts"
import { builtin } from "../../../src/layers/tool/builtin.ts"
import type { Any } from "../../../src/services/Tool.ts"

export const model: Model = {
  provider: "test",
  id: "model",
  name: "Model",
  window: 200_000,
  maxOutput: 16_000,
  nativeTools: true,
  reasoning: false,
  images: false,
  documents: false,
  temperature: true
}

export const facts: Facts = {
  platform: "linux",
  shell: "bash",
  date: "2026-11-21",
  git: { branch: "main", head: "0123456789abcdef0123456789abcdef01234567" },
  rules: []
}

/** What a session has whose settings turn nothing on. */
export const specs = builtin.filter(({ isEnabled, modes }: Any) => modes === undefined && (isEnabled?.({}) ?? true)).map((tool) => ToolSpec.fromParams(tool))

export const input: PromptInput = {
  model,
  mode: "act",
  toolFormat: "native",
  offer: { servers: [], tools: [] },
  tools: specs,
  cwd: "/repo",
  facts,
  previousFacts: undefined,
  turns: 0,
  todo: []
}
