/** `dacapo/ai`: the agent for programs that use `effect/ai`, and models of the Vercel AI SDK as routes. */
export * as AgentLanguageModel from "./layers/control/AgentLanguageModel.ts"
export * as AgentToolkit from "./layers/control/AgentToolkit.ts"
export * as AiSdk from "./layers/provider/AiSdk.ts"
export type { TaskResult } from "./layers/control/RunTask.ts"
