/** Sums of requests with a bar for the cost of each. */
import { Fragment } from "preact"
import type * as UsageReport from "../../domain/session/UsageReport.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { count, dollars, Text } from "./Text.tsx"

/** How many rows are listed; the first ones. */
const maxRows = 200

/** `href`: where a row leads. */
export const UsageTable = ({ areRequests = false, head, href, rows, title }: {
  readonly title: string
  /** What the first column names. */
  readonly head: string
  /** Whether each row is one request. */
  readonly areRequests?: boolean
  readonly rows: ReadonlyArray<UsageReport.Row>
  readonly href?: (row: UsageReport.Row) => string
}) => {
  const largest = Math.max(...rows.map(({ cost }) => cost), 1e-9)
  return (
    <section class="usage-table">
      <h2>{title}</h2>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={title}>
        <table class="bars">
          <thead>
            <tr>
              <th>{head}</th>
              {areRequests ? null : <th class="right">Requests</th>}
              <th class="right">Input</th>
              <th class="right wide-only">Cached</th>
              <th class="right">Output</th>
              <th class="right">Cost</th>
              <th class="hidden">Share</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, maxRows).map((row) => (
              <tr key={row.name}>
                <td class="name">
                  {href === undefined ? <Name of={row.name} /> : (
                    <a href={href(row)}>
                      <Name of={row.name} />
                    </a>
                  )}
                </td>
                {areRequests ? null : <td class="right">{row.requests}</td>}
                <td class="right">{count(Usage.inputTotal(row.usage))}</td>
                <td class="right wide-only">{Math.round(row.hitRate * 100)}%</td>
                <td class="right">{count(row.usage.output)}</td>
                <td class="right">{row.unpriced === row.requests ? "unknown" : dollars(row.cost)}</td>
                <td class="share" aria-hidden="true">
                  <span style={{ width: `${row.cost / largest * 100}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** A name that breaks after a slash first. */
const Name = ({ of }: { readonly of: string }) => (
  <>
    {of.split(/(?<=\/)/).map((part, i) => (
      <Fragment key={i}>
        {i === 0 ? null : <wbr />}
        <Text of={part} />
      </Fragment>
    ))}
  </>
)
