/** Prompt caching that a request must ask for: Claude caches only what is marked, also behind a gateway with another wire. */

/** Ids of Claude models as gateways write them: `claude-…`, `anthropic/claude-…`, `bedrock/us.anthropic.claude-…`. */
const claude = /claude/i

/**
 * Whether the requests of a model carry cache marks: as the user set it, else by the model's id. Undefined where its wire decides:
 * Anthropic's and Bedrock's mark what they can, and servers on the user's machine need no marks.
 */
export const needed = (
  { local, wire }: { readonly local: boolean; readonly wire: string },
  id: string,
  setting: boolean | undefined
): boolean | undefined => setting ?? (wire === "openai-chat" && !local && claude.test(id) ? true : undefined)
