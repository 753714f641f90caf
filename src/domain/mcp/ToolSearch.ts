/** Keyword search over tools: for the model, when not all tools are declared. */
import type { ServerTool } from "./ServerTools.ts"

/** The weight of a match by its location: in the name as a complete word or a part of one, or in the description. */
const weights = { word: 6, part: 3, description: 1 }

/** The tools that match best, up to a limit; an exact name comes first. */
export const searchTools = (all: ReadonlyArray<ServerTool>, query: string, maxResults: number): ReadonlyArray<ServerTool> => {
  const words = [...new Set(splitWords(query))]
  const scored = all.map((tool) => ({ tool, score: query.includes(tool.name) ? Infinity : score(tool, words) }))
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(0, maxResults).map(({ tool }) => tool)
}

const score = ({ description, server, tool }: ServerTool, words: ReadonlyArray<string>): number => {
  const nameWords = splitWords(`${server} ${tool}`)
  const text = description.toLowerCase()
  return words.reduce(
    (sum, word) =>
      sum + (nameWords.includes(word) ? weights.word : nameWords.some((one) =>
          one.includes(word) || word.includes(one) && one.length > 3
        ) ? weights.part : 0) +
      (text.includes(word) ? weights.description : 0),
    0
  )
}

/** Lower-case words; `listPullRequests` and `list_pull_requests` are three. */
const splitWords = (text: string): ReadonlyArray<string> =>
  text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1)
