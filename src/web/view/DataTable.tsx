/** Rows of plain values under their heads. */
import * as ResultView from "../../domain/tool/ResultView.ts"
import { Text } from "./Text.tsx"

/** How many rows are drawn. */
const maxRows = 500

export const DataTable = ({ columns, label, rows }: Pick<ResultView.Of<"table">, "columns" | "rows"> & { readonly label: string }) => (
  <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
    <table class="data">
      <thead>
        <tr>
          {columns.map(({ align, label }, i) => (
            <th key={i} class={align === "right" ? "right" : undefined!} scope="col">
              <Text of={label} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, maxRows).map((row, i) => (
          <tr key={i}>
            {columns.map(({ align }, j) => (
              <td key={j} class={align === "right" ? "right" : undefined!}>
                <Text of={ResultView.cellText(row[j])} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
