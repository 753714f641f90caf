/** How long ago something happened, for lists: `just now`, `5 min ago`, `3 d ago`. */
const units = [["min", 60_000], ["h", 3_600_000], ["d", 86_400_000]] as const

export const age = (ms: number): string => {
  const unit = units.findLast(([, length]) => ms >= length)
  return unit === undefined ? "just now" : `${Math.floor(ms / unit[1])} ${unit[0]} ago`
}
