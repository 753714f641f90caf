/**
 * The sections of a prompt in the order in which the model reads them. `system` sections make up the system prompt
 * and must not change from turn to turn, or the provider's cache is lost; `current` ones appear once, at the end of the
 * newest message.
 */
import * as RepositoryState from "../workspace/RepositoryState.ts"
import * as ModelFamily from "./ModelFamily.ts"
import type { PromptInput, Section } from "./Section.ts"
import * as CurrentText from "./CurrentText.ts"
import * as SystemText from "./SystemText.ts"

export const system: ReadonlyArray<Section> = [
  {
    name: "base",
    priority: 1,
    required: true,
    render: (input) => input.prompt?.instead ?? ModelFamily.of(input).texts.base,
    alternatives: [({ prompt }) => prompt?.instead ?? ModelFamily.shortestBase]
  },
  { name: "mode", priority: 3, required: true, render: (input) => ModelFamily.of(input).texts[input.mode] },
  { name: "family notes", priority: 4, required: true, render: (input) => ModelFamily.of(input).texts.notes },
  {
    name: "tool format",
    priority: 5,
    required: true,
    when: ({ toolFormat }) => toolFormat === "xml",
    render: () => SystemText.toolFormat
  },
  {
    name: "tools",
    priority: 18,
    required: true,
    when: ({ toolFormat, tools }) => toolFormat === "xml" && tools.length > 0,
    render: SystemText.tools("full"),
    alternatives: [SystemText.tools("short"), SystemText.tools("names")]
  },
  { name: "MCP servers", priority: 19, render: SystemText.mcpServers },
  { name: "environment", priority: 10, render: SystemText.environment },
  {
    name: "project rules",
    priority: 11,
    when: ({ facts }) => facts.rules.length > 0,
    render: SystemText.projectRules,
    alternatives: [SystemText.projectRulesByName]
  },
  {
    name: "skills",
    priority: 13,
    when: ({ facts: { skills = [] } }) => skills.length > 0,
    render: SystemText.skills,
    alternatives: [SystemText.skillsByName]
  },
  {
    name: "agents",
    priority: 14,
    when: ({ facts: { agents = [] }, tools }) => agents.length > 0 && tools.some(({ name }) => name === "delegate"),
    render: SystemText.agents,
    alternatives: [SystemText.agentsByName]
  },
  {
    name: "memory bank",
    priority: 12,
    when: ({ facts: { memory = [] } }) => memory.length > 0,
    render: SystemText.memoryBank,
    alternatives: [SystemText.memoryBankByName]
  },
  {
    name: "plugin context",
    priority: 20,
    when: ({ facts: { plugins = [] } }) => plugins.length > 0,
    render: SystemText.pluginContext
  },
  {
    name: "directory tree",
    priority: 17,
    when: ({ facts: { tree = [] } }) => tree.length > 0,
    render: SystemText.directoryTree(3),
    alternatives: [SystemText.directoryTree(2), SystemText.directoryTree(1)]
  },
  { name: "user instructions", priority: 2, required: true, render: ({ prompt }) => prompt?.also }
]

export const current: ReadonlyArray<Section> = [
  { name: "date", priority: 15, render: CurrentText.date },
  { name: "changed files", priority: 6, render: CurrentText.changedFiles },
  {
    name: "ended commands",
    priority: 7,
    render: CurrentText.endedCommands(5),
    alternatives: [CurrentText.endedCommands(1), CurrentText.endedCommands(0)]
  },
  {
    name: "check failures",
    priority: 8,
    when: ({ failures, turns }) => turns === 0 && failures !== undefined && failures.lines.length > 0,
    render: CurrentText.checkFailures(8),
    alternatives: [CurrentText.checkFailures(2)]
  },
  { name: "git state", priority: 16, render: CurrentText.gitState },
  {
    name: "repository",
    priority: 21,
    when: ({ facts: { repository }, previousFacts }) => previousFacts === undefined && repository !== undefined,
    render: CurrentText.repository(30, 8),
    alternatives: [CurrentText.repository(8, 3)],
    summary: ({ facts: { repository } }) => repository === undefined ? undefined : RepositoryState.summary(repository)
  },
  { name: "todo reminder", priority: 9, when: CurrentText.isTodoDue, render: CurrentText.todoReminder }
]

/** The sections of a table that the model's family gets. */
export const forModel = (sections: ReadonlyArray<Section>, input: PromptInput): ReadonlyArray<Section> => {
  const { omits } = ModelFamily.of(input)
  return sections.filter(({ name }) => !omits.includes(name))
}
