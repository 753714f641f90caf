/** A chart of data: bars side by side or stacked, or lines. Its numbers are also there as a table. */
import * as ResultView from "../../domain/tool/ResultView.ts"
import { text as safe } from "../../cli/render/view/DisplayText.ts"
import { DataTable } from "./DataTable.tsx"
import { Text } from "./Text.tsx"

type Data = Omit<ResultView.Of<"chart">, "type">

/** How many labels stand below a chart. */
const maxLabels = 6

interface Scale {
  readonly low: number
  readonly high: number
  /** The place of a value between the lowest and the highest, in percent. */
  readonly at: (value: number) => number
}

const scaleOf = (values: ReadonlyArray<number>): Scale => {
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  const range = high - low
  const at = (value: number): number => range > 0 && Number.isFinite(range) ? (value - low) / range * 100 : 0
  return { low, high, at }
}

const sums = ({ labels, series }: Data): ReadonlyArray<number> =>
  labels.map((_, i) => series.reduce((sum, { values }) => sum + Math.max(0, values[i] ?? 0), 0))

/** `format` writes a number of the axis; `isStacked` puts the bars of a label on each other. */
export const Chart = ({ data, format, isStacked = false }: {
  readonly data: Data
  readonly format?: (value: number) => string
  readonly isStacked?: boolean
}) => {
  const { kind, labels, series, title, unit } = data
  const scale = scaleOf(isStacked ? sums(data) : series.flatMap(({ values }) => values.filter((value) => value !== null)))
  const write = format ?? ((value: number) => `${Number(value.toPrecision(3))}${unit === undefined ? "" : ` ${unit}`}`)
  const name = title ?? series.map(({ name }) => name).join(", ")
  const step = Math.max(1, Math.ceil(labels.length / maxLabels))
  return (
    <figure class="chart">
      {title === undefined ? null : (
        <figcaption>
          <Text of={title} />
        </figcaption>
      )}
      {series.length < 2 ? null : (
        <ul class="legend">
          {series.map(({ name }, i) => (
            <li key={i}>
              <span class={`swatch series-${i % 8}`} aria-hidden="true" />
              <Text of={name} />
            </li>
          ))}
        </ul>
      )}
      <div class="plot" role="img" aria-label={safe(`${kind === "bar" ? "Bar" : "Line"} chart: ${name}`)}>
        <div class="axis">
          <span>
            <Text of={write(scale.high)} />
          </span>
          <span>
            <Text of={write(scale.low)} />
          </span>
        </div>
        <div class="area">
          {kind === "bar" ? <Bars data={data} scale={scale} isStacked={isStacked} /> : <Lines data={data} scale={scale} />}
        </div>
        <div class={kind === "bar" && step === 1 ? "labels each" : "labels"}>
          {labels.filter((_, i) => i % step === 0).map((label, i) => (
            <span key={i}>
              <Text of={label} />
            </span>
          ))}
        </div>
      </div>
      <details class="chart-data">
        <summary>Data</summary>
        <DataTable {...ResultView.chartTable({ type: "chart", ...data })} label={safe(`Data of ${name}`)} />
      </details>
    </figure>
  )
}

const Bars = (
  { data: { labels, series }, isStacked, scale }: { readonly data: Data; readonly scale: Scale; readonly isStacked: boolean }
) => (
  <>
    {labels.map((label, i) => (
      <div key={i} class={isStacked ? "group stacked" : "group"}>
        {series.map(({ name, values }, j) => {
          const value = values[i] ?? 0
          const [from, to] = [scale.at(Math.min(0, value)), scale.at(Math.max(0, value))]
          return (
            <span
              key={j}
              class={`bar-mark series-${j % 8}`}
              title={safe(`${label}, ${name}: ${values[i] ?? "no value"}`)}
              style={isStacked ? { height: `${to}%` }
                : { height: `${to - from}%`, marginBlockEnd: `calc(var(--plot-height) * ${from / 100})` }}
            />
          )
        })}
      </div>
    ))}
  </>
)

const Lines = ({ data: { labels, series }, scale }: { readonly data: Data; readonly scale: Scale }) => {
  const x = (i: number): number => labels.length < 2 ? 50 : i / (labels.length - 1) * 100
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {series.map(({ values }, j) =>
        segments(values.slice(0, labels.length)).map((points, k) => (
          <polyline
            key={`${j}-${k}`}
            class={`line-mark series-${j % 8}`}
            points={(points.length === 1 ? [points[0]!, points[0]!] : points).map(([i, value]) => `${x(i)},${100 - scale.at(value)}`).join(
              " "
            )}
          />
        ))
      )}
    </svg>
  )
}

/** The stretches without a gap. */
const segments = (values: ReadonlyArray<number | null>): ReadonlyArray<ReadonlyArray<readonly [number, number]>> => {
  const all: Array<Array<readonly [number, number]>> = [[]]
  values.forEach((value, i) => {
    if (value === null) all.push([])
    else all.at(-1)!.push([i, value])
  })
  return all.filter((points) => points.length > 0)
}
