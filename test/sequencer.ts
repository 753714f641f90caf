/** Starts the files that take longest first: one that began last would run while nothing else is left to run beside it. */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const longest = [
  "layers/testing/simulation/Simulation.slow.test.ts",
  "scenarios/screens.slow.test.ts",
  "consumer.slow.test.ts",
  "cli/HostileNames.slow.test.ts",
  "cli/AgentSdk.slow.test.ts",
  "scenarios/openCircuit.slow.test.ts",
  "web/Page.slow.test.ts",
  "cli/Contract.slow.test.ts",
  "layers/testing/simulation/Simulation.test.ts",
  "layers/workspace/shell/ShellLive.test.ts",
  "scenarios/sentences.test.ts",
  "layers/approval/Ordinary.test.ts"
].map((path) => new URL(path, import.meta.url).pathname)

/** Files of one project stay together: the quick ones share processes. */
const rank = ({ moduleId, project }: TestSpecification): number => {
  const index = longest.indexOf(moduleId)
  return (project.name === "slow" ? 0 : longest.length + 1) + (index === -1 ? longest.length : index)
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
