import { readdirSync, readFileSync } from "node:fs"

/** Pids of living processes whose command line holds the word; one that has ended and is not yet waited for does not live. */
export const living = (word: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
    } catch {
      return false
    }
  })
