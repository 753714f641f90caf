/** Renders the typed view of a tool's result as lines of text. Every text in it is foreign and becomes one printable line. */
import * as ResultView from "../../../domain/tool/ResultView.ts"
import { line as safe, text as safeText } from "../view/DisplayText.ts"
import * as CellWidth from "./CellWidth.ts"
import * as DiffLines from "./DiffLines.ts"
import type { Theme } from "./Theme.ts"

/** Cells of the widest column, and of a bar at its longest. */
const limits = { column: 40, bar: 30 }

/** The lines; `columns` is how wide they may be. */
export const lines = (view: ResultView.ResultView, theme: Theme, columns = 80): ReadonlyArray<string> => {
  const title = "title" in view && view.title !== undefined ? [theme.bold(safe(view.title))] : []
  return [
    ...title,
    ...ResultView.match(view, {
      table: (table) => tableLines(table, theme, columns),
      chart: (chart) => chart.kind === "line" ? sparklines(chart, theme) : bars(chart, theme),
      form: ({ fields }) => [
        ...fields.map((field) => {
          const hint = ResultView.fieldHint(field)
          return `${safe(field.label)}${hint === "" ? "" : theme.dim(` (${safe(hint)})`)}`
        }),
        theme.dim("Answer with a message.")
      ],
      progress: ({ items }) => {
        const labelWidth = widest(items.map(({ label }) => safe(label)))
        return items.map((item) =>
          `${pad(safe(item.label), labelWidth)} ${bar(ResultView.percent(item) / 100, 20, theme)} ${
            theme.dim(`${item.done} of ${item.total}, ${ResultView.percent(item)}%`)
          }`
        )
      },
      image: ({ alt, mediaType }) => [theme.dim(`[image: ${safe(alt)}, ${safe(mediaType)}]`)],
      diff: ({ diff }) => DiffLines.rows(safeText(diff), theme)
    })
  ]
}

const cut = (text: string, cells: number): string => CellWidth.cut(safe(text), cells)

const pad = (text: string, cells: number, align: "left" | "right" = "left"): string => {
  const space = " ".repeat(Math.max(0, cells - CellWidth.width(text)))
  return align === "right" ? space + text : text + space
}

const widest = (texts: ReadonlyArray<string>): number => Math.min(limits.column, Math.max(1, ...texts.map(CellWidth.width)))

const tableLines = (
  { columns: heads, rows }: Pick<ResultView.Of<"table">, "columns" | "rows">,
  theme: Theme,
  columns: number
): ReadonlyArray<string> => {
  const labels = heads.map(({ label }) => safe(label))
  const cells = rows.map((row) => heads.map((_, i) => safe(ResultView.cellText(row[i]))))
  const widths = fitting(heads.map((_, i) => widest([labels[i]!, ...cells.map((row) => row[i]!)])), columns)
  const line = (row: ReadonlyArray<string>): string =>
    row.map((cell, i) => pad(cut(cell, widths[i]!), widths[i]!, heads[i]?.align)).join("  ").trimEnd()
  return [theme.bold(line(labels)), theme.dim(widths.map((width) => "─".repeat(width)).join("  ")), ...cells.map(line)]
}

/** The widths with the widest columns made narrower until the line fits. */
const fitting = (widths: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  const result = [...widths]
  const total = () => result.reduce((sum, width) => sum + width + 2, -2)
  while (total() > columns && Math.max(...result) > 4) result[result.indexOf(Math.max(...result))]! -= 1
  return result
}

const bar = (part: number, cells: number, theme: Theme): string => {
  const full = Math.round(Math.min(1, Math.max(0, part)) * cells)
  return theme.accent("█".repeat(full)) + theme.dim("░".repeat(cells - full))
}

const numbers = (series: ResultView.Of<"chart">["series"]): ReadonlyArray<number> =>
  series.flatMap(({ values }) => values.filter((value) => value !== null))

const withUnit = (value: number | null | undefined, unit: string | undefined): string =>
  value === null || value === undefined ? "–" : unit === undefined ? `${value}` : `${value} ${safe(unit)}`

/** One bar for each label and series. A negative value has no bar. */
const bars = ({ labels, series, unit }: ResultView.Of<"chart">, theme: Theme): ReadonlyArray<string> => {
  const largest = Math.max(...numbers(series), Number.MIN_VALUE)
  const names = series.length > 1 ? series.map(({ name }) => safe(name)) : [""]
  const [labelWidth, nameWidth] = [widest(labels.map(safe)), names[0] === "" ? 0 : widest(names)]
  return labels.flatMap((label, i) =>
    series.map(({ values }, j) => {
      const value = values[i]
      const cells = Math.max(0, Math.round((value ?? 0) / largest * limits.bar))
      return `${pad(j === 0 ? cut(label, labelWidth) : "", labelWidth)} ${
        nameWidth === 0 ? "" : `${pad(cut(names[j]!, nameWidth), nameWidth)} `
      }${theme.accent("█".repeat(cells))}${cells === 0 ? "" : " "}${withUnit(value, unit)}`
    })
  )
}

const levels = "▁▂▃▄▅▆▇█"

/** One line for each series, from the lowest value of the chart to the highest. */
const sparklines = ({ labels, series, unit }: ResultView.Of<"chart">, theme: Theme): ReadonlyArray<string> => {
  const all = numbers(series)
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const nameWidth = widest(series.map(({ name }) => safe(name)))
  const level = (value: number | null): string =>
    value === null ? " " : levels[high === low ? 0 : Math.round((value - low) / (high - low) * (levels.length - 1))]!
  return [
    ...series.map(({ name, values }) =>
      `${pad(cut(name, nameWidth), nameWidth)} ${theme.accent(values.slice(0, labels.length).map(level).join(""))} ${
        theme.dim(withUnit(values.findLast((value) => value !== null), unit))
      }`
    ),
    ...(all.length === 0 ? [] : [
      theme.dim(`${safe(labels[0] ?? "")} to ${safe(labels.at(-1) ?? "")}; lowest ${withUnit(low, unit)}, highest ${withUnit(high, unit)}`)
    ])
  ]
}
