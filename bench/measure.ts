/** What every benchmark shares: medians, and one table of ours against a peer, as a ratio. */

/** Milliseconds of one call: the median of `runs` after one warm-up. */
export const time = (run: () => unknown, runs = 5): number => {
  run()
  return median(Array.from({ length: runs }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  }))
}

/**
 * Milliseconds of this thread's processor time since some moment. For work that only computes it is what an idle
 * machine's clock would show, whatever else runs meanwhile; waiting, and what the garbage collector does on other
 * threads, is not in it.
 */
export const cpu = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Milliseconds of processor time of one call: the mean over a batch that fills 60 ms, for the clock is coarse, and the
 * fastest of six batches, for a machine that does other work is slower at its own. Work that takes long is run less often.
 */
export const cpuTime = (run: () => unknown): number => {
  run()
  const batches: Array<number> = []
  while (isShort(batches)) {
    const start = cpu()
    let calls = 0
    for (; cpu() - start < 60; calls++) run()
    batches.push((cpu() - start) / calls)
  }
  return Math.min(...batches)
}

/** The same for what can only be awaited. */
export const cpuTimeAsync = async (run: () => Promise<unknown>): Promise<number> => {
  await run()
  const batches: Array<number> = []
  while (isShort(batches)) {
    const start = cpu()
    let calls = 0
    for (; cpu() - start < 60; calls++) await run()
    batches.push((cpu() - start) / calls)
  }
  return Math.min(...batches)
}

const isShort = (batches: ReadonlyArray<number>): boolean =>
  batches.length < 6 && batches.reduce((sum, batch) => sum + Math.max(60, batch), 0) < 2_000

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** `part` of the values are at most this. */
export const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)]!

export interface Row {
  readonly claim: string
  /** In `unit`; lower is better. */
  readonly ours: number
  /** What the claim allows, in the same unit. */
  readonly limit?: number
  readonly peer?: { readonly name: string; readonly value: number }
}

/** Prints one line a claim: ours, limit, peer, and peer ÷ ours (how many times better we are). */
export const report = (title: string, unit: string, rows: ReadonlyArray<Row>): void => {
  console.log(`\n## ${title} (${unit})`)
  for (const { claim, limit, ours, peer } of rows) {
    const bound = limit === undefined ? "" : `  limit ${round(limit)} ${ours <= limit ? "ok" : "MISSED"}`
    const beside = peer === undefined ? "" : `  ${peer.name} ${round(peer.value)}  ratio ${round(peer.value / ours)}x`
    console.log(`${claim.padEnd(52)} ours ${round(ours)}${bound}${beside}`)
  }
}

const round = (n: number): string => n >= 100 ? n.toFixed(0) : n >= 1 ? n.toFixed(1) : n.toFixed(3)
