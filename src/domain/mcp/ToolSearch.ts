/** Tools by words: what the model looks for where not all tools are told. */
import type { OfferedTool } from "./ServerTools.ts"

/** What a word is worth where it stands: in the name as a whole word or a part of one, in the description. */
const worth = { word: 6, part: 3, said: 1 }

/** The tools that the words fit best, at most so many; a tool that is named whole comes first. */
export const tools = (all: ReadonlyArray<OfferedTool>, query: string, most: number): ReadonlyArray<OfferedTool> => {
  const words = [...new Set(split(query))]
  const scored = all.map((tool) => ({ tool, score: query.includes(tool.name) ? Infinity : score(tool, words) }))
  return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(0, most).map(({ tool }) => tool)
}

const score = ({ description, server, tool }: OfferedTool, words: ReadonlyArray<string>): number => {
  const named = split(`${server} ${tool}`)
  const text = description.toLowerCase()
  return words.reduce((sum, word) =>
    sum + (named.includes(word) ? worth.word : named.some((one) => one.includes(word) || word.includes(one) && one.length > 3) ? worth.part : 0) + (text.includes(word) ? worth.said : 0), 0)
}

/** Words in small letters; `listPullRequests` and `list_pull_requests` are three. */
const split = (text: string): ReadonlyArray<string> =>
  text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1)
