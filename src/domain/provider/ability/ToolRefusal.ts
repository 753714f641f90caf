/** Servers that do not take native tool calls: how they say so, and for which models that is believed. */
import type { Model } from "../Model.ts"
import type { ProviderReason } from "../ProviderError.ts"

/** A server that does not take tools says so in many ways. */
const speaksOfTools = /\btools?\b|tool[_-](?:choice|call|use)|function[ _-]call/i

/** Whether an error means that the server refused a request because of its native tools; only for a model that nobody described. */
export const isToolRefusal = ({ assumed }: Model, reason: ProviderReason, message: string): boolean =>
  assumed === true && reason._tag === "BadRequest" && speaksOfTools.test(message)
