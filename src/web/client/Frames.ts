/** Time in the page: the clock, the next drawing, and pauses that can be ended. */

/** ms since the page was loaded; it never goes back. */
export const monotonicMs = (): number => performance.now()

/** ms since the epoch. */
export const now = (): number => Date.now()

/** Runs once after a pause, unless the returned function is called before. */
export const after = (ms: number, run: () => unknown): () => void => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Runs before the next drawing; in a hidden page, which draws nothing, soon. */
export const nextFrame = (run: () => void): void => {
  if (document.hidden) setTimeout(run, 200)
  else requestAnimationFrame(run)
}

/** Waits, until one of `wake` is called or the signal aborts. */
export const pause = (ms: number, wake: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      wake.delete(end)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    wake.add(end)
    signal.addEventListener("abort", end)
  })
