/** The routes of web_search, alphabetical: adding one takes its two functions and a line here. */
import { brave, exa, searxng, tavily } from "./routes/engines.ts"
import { anthropic, openai } from "./routes/models.ts"

export const builtin = [anthropic, brave, exa, openai, searxng, tavily] as const
