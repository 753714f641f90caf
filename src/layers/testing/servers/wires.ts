/** Every wire that a scripted server speaks. */
import { anthropic } from "./anthropic.ts"
import { openAiChat } from "./openAiChat.ts"
import { openAiResponses } from "./openAiResponses.ts"
import type { Wire } from "./Wire.ts"

export const wires: ReadonlyArray<Wire> = [anthropic, openAiChat, openAiResponses]
