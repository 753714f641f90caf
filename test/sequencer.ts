/** Starts the files that take longest first: one that began last would run while nothing else is left to run beside it. */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const longest = [
  "layers/testing/simulation/Simulation.slow.test.ts",
  "scenarios/screens.slow.test.ts",
  "layers/testing/simulation/Simulation.test.ts",
  "consumer.slow.test.ts",
  "cli/Contract.test.ts",
  "cli/HostileNames.slow.test.ts",
  "cli/AgentSdk.slow.test.ts",
  "scenarios/openCircuit.slow.test.ts",
  "web/Page.slow.test.ts"
].map((path) => new URL(path, import.meta.url).pathname)

/** Pure files, which share processes, stay together in front. */
const rank = ({ moduleId, project }: TestSpecification): number => {
  if (project.name === "pure") return -1
  const index = longest.indexOf(moduleId)
  return index === -1 ? longest.length : index
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
