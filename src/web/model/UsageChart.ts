/** Requests as the data of a chart: a bar for each day, in parts by model or session. */
import type * as ResultView from "../../domain/tool/ResultView.ts"
import type { Request } from "../../domain/session/UsageReport.ts"
import * as Usage from "../../domain/session/Usage.ts"

export const measures = { cost: "Cost", input: "Input tokens", output: "Output tokens", requests: "Requests" } as const
export type Measure = keyof typeof measures

export type Part = "model" | "session"

/** How many parts have a colour of their own; the others are summed. */
const maxParts = 6
const others = "Others"

const dayMs = 24 * 60 * 60_000

const values: Readonly<Record<Measure, (request: Request) => number>> = {
  cost: ({ cost }) => cost ?? 0,
  input: ({ usage }) => Usage.inputTotal(usage),
  output: ({ usage }) => usage.output,
  requests: () => 1
}

/** The requests of the last `days` days before `now` (ms since the epoch); all of them for 0. */
export const recent = (requests: ReadonlyArray<Request>, days: number, now: number): ReadonlyArray<Request> =>
  days === 0 ? requests : requests.filter(({ time }) => time > now - days * dayMs)

/** Every day from the first request to the last, also those without one; days are UTC. */
const daysOf = (requests: ReadonlyArray<Request>): ReadonlyArray<string> => {
  const times = requests.map(({ time }) => time)
  const first = times.reduce((a, b) => Math.min(a, b), Infinity)
  const last = times.reduce((a, b) => Math.max(a, b), -Infinity)
  const days: Array<string> = []
  for (let time = Math.floor(first / dayMs) * dayMs; time <= last && days.length < 370; time += dayMs) days.push(Usage.formatDay(time))
  return days
}

/** `nameOf` is what a part is called on the screen. */
export const data = (
  requests: ReadonlyArray<Request>,
  { measure, nameOf = (name) => name, part }: {
    readonly measure: Measure
    readonly part: Part
    readonly nameOf?: (name: string) => string
  }
): Omit<ResultView.Of<"chart">, "type"> => {
  const value = values[measure]
  const totals = new Map<string, number>()
  for (const request of requests) totals.set(request[part], (totals.get(request[part]) ?? 0) + value(request))
  const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name)
  const ranking = ranked.slice(0, ranked.length > maxParts ? maxParts - 1 : maxParts)
  const names = ranked.length > ranking.length ? [...ranking, others] : ranking
  const labels = daysOf(requests)
  const places = new Map(labels.map((label, i) => [label, i]))
  const series = names.map((name) => ({ name: name === others ? others : nameOf(name), values: labels.map(() => 0) }))
  for (const request of requests) {
    const row = ranking.indexOf(request[part])
    const place = places.get(Usage.formatDay(request.time))
    if (place !== undefined) series[row === -1 ? names.length - 1 : row]!.values[place]! += value(request)
  }
  return { kind: "bar", title: `${measures[measure]} by day and ${part}`, labels, series }
}
