/** Counts as people read them. */

/** `950`, `1.2k`, `31k`, `1.0M`. */
export const thousands = (count: number): string =>
  count < 1000 ? `${count}`
    : count < 1_000_000 ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k` : `${(count / 1_000_000).toFixed(1)}M`

/** `2 files +3 -1`. */
export const changes = ({ added, files, removed }: { readonly files: number; readonly added: number; readonly removed: number }): string =>
  files === 0 ? "no changes" : `${plural(files, "file")} +${added} -${removed}`

/** `1 file`, `2 files`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
