/** Every wire that a scripted server speaks. */
import { anthropic } from "./anthropic.ts"
import { anthropicBedrock, anthropicVertex } from "./anthropicHosted.ts"
import { bedrock } from "./bedrock.ts"
import { gemini } from "./gemini.ts"
import { openAiChat } from "./openAiChat.ts"
import { openAiResponses } from "./openAiResponses.ts"
import type { Wire } from "./Wire.ts"

export const wires: ReadonlyArray<Wire> = [anthropic, anthropicBedrock, anthropicVertex, bedrock, gemini, openAiChat, openAiResponses]
