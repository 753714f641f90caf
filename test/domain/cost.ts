/** Work that must grow with its input and no faster, told by processor time, which a busy machine does not stretch. */
import { assert } from "@effect/vitest"

const cost = (run: () => unknown): number => {
  const before = process.cpuUsage()
  run()
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Of three runs: what else the machine does, and collecting what others left, is not what the work costs. */
const cheapest = (run: () => unknown): number => Math.min(cost(run), cost(run), cost(run))

/** Eight times the text costs about eight times as much; what is quadratic costs sixty-four times. */
export const assertLinear = (run: (text: string) => unknown, piece: string, times: number): void => {
  const [small, large] = [piece.repeat(times), piece.repeat(times * 8)]
  run(small)
  const ratio = (cheapest(() => run(large)) - 30) / Math.max(1, cheapest(() => run(small)))
  assert.isBelow(ratio, 32, JSON.stringify(piece))
}
