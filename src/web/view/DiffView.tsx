/** A diff, in one column or side by side. The words that differ are marked once the library that compares them is loaded. */
import type { diffWordsWithSpace } from "diff"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { line as safe } from "../../cli/render/view/DisplayText.ts"
import * as DiffRows from "../model/DiffRows.ts"

type Compare = typeof diffWordsWithSpace

/** Longer lines are not compared word by word. */
const maxWordLine = 1_000
/** How many rows are drawn before the user asks for more. */
const maxRows = 400

export const DiffView = ({ diff, isOpenWide = false }: { readonly diff: string; readonly isOpenWide?: boolean }) => {
  const [isSplit, setSplit] = useState(isOpenWide)
  const [limit, setLimit] = useState(maxRows)
  const [compare, setCompare] = useState<{ readonly words: Compare }>()
  useEffect(() => void import("diff").then(({ diffWordsWithSpace }) => setCompare({ words: diffWordsWithSpace })), [])
  const all = useMemo(() => DiffRows.parse(diff), [diff])
  const rows = all.slice(0, limit)
  const others = useMemo(() => DiffRows.counterparts(rows), [all, limit])
  const text = (row: DiffRows.Row) => <Words row={row} other={others.get(row)} compare={compare?.words} />
  return (
    <div class="diff">
      <div class="bar">
        <button type="button" class="link" aria-pressed={isSplit} onClick={() => setSplit(!isSplit)}>
          {isSplit ? "Unified" : "Side by side"}
        </button>
      </div>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Diff">
        {isSplit
          ? (
            <table class="split">
              {/* The first row spans them all, and would make them equally wide. */}
              <colgroup>
                <col class="number" />
                <col />
                <col class="number" />
                <col />
              </colgroup>
              <tbody>{DiffRows.pairs(rows).map((pair, i) => <SplitRow key={i} pair={pair} text={text} />)}</tbody>
            </table>
          )
          : (
            <table>
              <tbody>{rows.map((row, i) => <UnifiedRow key={i} row={row} text={text} />)}</tbody>
            </table>
          )}
      </div>
      {all.length > limit
        ? <button type="button" class="link" onClick={() => setLimit(limit + 2_000)}>Show {all.length - limit} more lines</button> : null}
    </div>
  )
}

type Render = (row: DiffRows.Row) => ComponentChildren

const signs = { added: "+", removed: "−", context: " ", file: "", hunk: "" } as const

const UnifiedRow = ({ row, text }: { readonly row: DiffRows.Row; readonly text: Render }) =>
  row.kind === "file" || row.kind === "hunk"
    ? (
      <tr class={row.kind}>
        <td colSpan={4}>{safe(row.text)}</td>
      </tr>
    )
    : (
      <tr class={row.kind}>
        <td class="number">{row.oldLine}</td>
        <td class="number">{row.newLine}</td>
        <td class="sign">{signs[row.kind]}</td>
        <td class="line">{text(row)}</td>
      </tr>
    )

const SplitRow = ({ pair, text }: { readonly pair: DiffRows.Pair; readonly text: Render }) => {
  const { old } = pair
  if (old?.kind === "file" || old?.kind === "hunk")
    return (
      <tr class={old.kind}>
        <td colSpan={4}>{safe(old.text)}</td>
      </tr>
    )
  return (
    <tr>
      <td class={`number ${old?.kind ?? "none"}`}>{old?.oldLine}</td>
      <td class={`line ${old?.kind ?? "none"}`}>{old === undefined ? null : text(old)}</td>
      <td class={`number ${pair.new?.kind ?? "none"}`}>{pair.new?.newLine}</td>
      <td class={`line ${pair.new?.kind ?? "none"}`}>{pair.new === undefined ? null : text(pair.new)}</td>
    </tr>
  )
}

const Words = (
  { compare, other, row }: { readonly row: DiffRows.Row; readonly other: DiffRows.Row | undefined; readonly compare: Compare | undefined }
) => {
  const text = safe(row.text)
  if (compare === undefined || other === undefined || row.text.length + other.text.length > maxWordLine) return <>{text}</>
  const isNew = row.kind === "added"
  const parts = isNew ? compare(safe(other.text), text) : compare(text, safe(other.text))
  const same = parts.reduce((sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length), 0)
  // Lines that share little are two lines, not two versions of one.
  if (same * 3 < text.trim().length) return <>{text}</>
  return (
    <>
      {parts.flatMap((part, i): ReadonlyArray<ComponentChildren> =>
        (isNew ? part.removed : part.added) ? [] : part.added || part.removed ? [<mark key={i}>{part.value}</mark>] : [part.value]
      )}
    </>
  )
}
