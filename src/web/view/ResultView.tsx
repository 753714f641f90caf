/** The typed view of a tool's result. Everything in it is text: no part of it becomes markup, a link or code. */
import { useContext, useState } from "preact/hooks"
import * as View from "../../domain/tool/ResultView.ts"
import { text as safe } from "../../cli/render/view/DisplayText.ts"
import * as Api from "../client/Api.ts"
import { Chart } from "./Chart.tsx"
import { DataTable } from "./DataTable.tsx"
import { DiffView } from "./DiffView.tsx"
import { StoreContext } from "./StoreContext.ts"
import { Text } from "./Text.tsx"

export const ResultView = ({ view }: { readonly view: View.ResultView }) => (
  <div class="result-view">
    {"title" in view && view.title !== undefined && view.type !== "chart" ? (
      <h3 class="view-title">
        <Text of={view.title} />
      </h3>
    ) : null}
    {View.match(view, {
      table: ({ columns, rows, title }) => <DataTable columns={columns} rows={rows} label={safe(title ?? "Table")} />,
      chart: (chart) => <Chart data={chart} />,
      form: (form) => <Form form={form} />,
      progress: ({ items }) => <Progress items={items} />,
      image: ({ alt, blob }) => <img class="attached" src={Api.imagePath(blob)} alt={safe(alt)} loading="lazy" />,
      diff: ({ diff }) => <DiffView diff={diff} />
    })}
  </div>
)

const Progress = ({ items }: Pick<View.Of<"progress">, "items">) => (
  <ul class="plain progress">
    {items.map((item, i) => (
      <li key={i}>
        <span>
          <Text of={item.label} />
        </span>
        <meter min={0} max={100} value={View.percent(item)} aria-label={safe(item.label)} />
        <span class="muted">{item.done} of {item.total}, {View.percent(item)}%</span>
      </li>
    ))}
  </ul>
)

/** Questions, answered with one message. */
const Form = ({ form }: { readonly form: View.Of<"form"> }) => {
  const store = useContext(StoreContext)
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(form.fields.map(({ kind, name, value }) => [name, value ?? (kind === "confirm" ? "no" : "")]))
  )
  const [isSent, setSent] = useState(false)
  const isMissing = form.fields.some(({ name, required }) => required === true && (values[name] ?? "").trim() === "")
  const submit = async (event: Event) => {
    event.preventDefault()
    if (store === undefined || isMissing) return
    const isRunning = store.history.current.session.task.state === "running"
    const sent = await store.operate({
      _tag: "Say",
      session: store.id,
      text: View.answers(form, values),
      ...(isRunning ? { delivery: "steer" as const } : {})
    })
    setSent(sent)
  }
  return (
    <form class="result-form" onSubmit={(event) => void submit(event)}>
      {form.fields.map((field, i) => (
        <Input
          key={i}
          field={field}
          value={values[field.name] ?? ""}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      <div class="bar">
        <button type="submit" class="button primary" disabled={store === undefined || isMissing || isSent}>
          {isSent ? "Sent" : "Send the answers"}
        </button>
      </div>
    </form>
  )
}

const Input = ({ field, onChange, value }: {
  readonly field: View.Field
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const { kind, label, options = [], required = false } = field
  if (kind === "confirm") {
    return (
      <label class="check">
        <input type="checkbox" checked={value === "yes"} onInput={({ currentTarget }) => onChange(currentTarget.checked ? "yes" : "no")} />
        <Text of={label} />
      </label>
    )
  }
  return (
    <label class="field">
      <span>
        <Text of={label} />
        {required ? " (required)" : ""}
      </span>
      {kind === "choice"
        ? (
          <select value={value} required={required} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
            <option value="" />
            {options.map((option, i) => (
              <option key={i} value={option}>
                <Text of={option} />
              </option>
            ))}
          </select>
        )
        : (
          <input
            inputMode={kind === "number" ? "decimal" : "text"}
            value={value}
            required={required}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
        )}
    </label>
  )
}
