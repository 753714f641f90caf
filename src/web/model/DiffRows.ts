/** A unified diff as rows, for one column or two side by side. */

export interface Row {
  readonly kind: "file" | "hunk" | "context" | "removed" | "added"
  readonly text: string
  readonly oldLine: number | undefined
  readonly newLine: number | undefined
}

/** A row of two columns: a side without a line is undefined. */
export interface Pair {
  readonly old: Row | undefined
  readonly new: Row | undefined
}

export const parse = (diff: string): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let oldLine = 0
  let newLine = 0
  let oldLeft = 0
  let newLeft = 0
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    const row = (kind: Row["kind"], text: string, old?: number, next?: number): void =>
      void rows.push({ kind, text, oldLine: old, newLine: next })
    if (hunk !== null) {
      oldLine = Number(hunk[1])
      newLine = Number(hunk[3])
      oldLeft = Number(hunk[2] ?? 1)
      newLeft = Number(hunk[4] ?? 1)
      row("hunk", line)
    } else if (oldLeft <= 0 && newLeft <= 0) {
      const name = /^\+\+\+ (?:b\/)?(.*)$/.exec(line)?.[1]
      const removed = /^--- (?:a\/)?(.*)$/.exec(line)?.[1]
      if (name !== undefined && name !== "/dev/null") row("file", name)
      else if (name === "/dev/null") rows.push({ ...rows.pop()!, kind: "file" })
      else if (removed !== undefined && removed !== "/dev/null" && isDeleted(diff, line)) row("file", `${removed} (deleted)`)
    } else if (line.startsWith("+")) {
      row("added", line.slice(1), undefined, newLine++)
      newLeft--
    } else if (line.startsWith("-")) {
      row("removed", line.slice(1), oldLine++)
      oldLeft--
    } else if (!line.startsWith("\\")) {
      row("context", line.slice(1), oldLine++, newLine++)
      oldLeft--
      newLeft--
    }
  }
  return rows
}

const isDeleted = (diff: string, line: string): boolean => diff.includes(`${line}\n+++ /dev/null`)

/** Removed lines beside the added ones that follow them. */
export const pairs = (rows: ReadonlyArray<Row>): ReadonlyArray<Pair> => {
  const result: Array<Pair> = []
  let removed: Array<Row> = []
  let added: Array<Row> = []
  const flush = (): void => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) result.push({ old: removed[i], new: added[i] })
    removed = []
    added = []
  }
  for (const row of rows) {
    if (row.kind === "removed") {
      if (added.length > 0) flush()
      removed.push(row)
    } else if (row.kind === "added") added.push(row)
    else {
      flush()
      result.push({ old: row, new: row })
    }
  }
  flush()
  return result
}

/** Which line each removed or added line is the other version of, by their order within a change. */
export const counterparts = (rows: ReadonlyArray<Row>): ReadonlyMap<Row, Row> =>
  new Map(
    pairs(rows).flatMap((pair) =>
      pair.old?.kind === "removed" && pair.new?.kind === "added" ? [[pair.old, pair.new], [pair.new, pair.old]] as const : []
    )
  )
