/** Small parts that every view uses. */
import type { ComponentChildren } from "preact"
import { text as safe } from "../../cli/render/view/DisplayText.ts"

export { safe }

/** Text from outside: nothing in it is hidden or turns the direction of what follows. */
export const Text = ({ of }: { readonly of: string }) => <>{safe(of)}</>

/** A button with a key that does the same. */
export const Button = (
  { children, hint, isPrimary = false, label, onPress, isDisabled = false, isDanger = false, isPressed }: {
    readonly children: ComponentChildren
    readonly onPress: () => void
    readonly label?: string
    readonly hint?: string
    readonly isPrimary?: boolean
    readonly isDanger?: boolean
    readonly isDisabled?: boolean
    readonly isPressed?: boolean
  }
) => (
  <button
    type="button"
    class={`button${isPrimary ? " primary" : ""}${isDanger ? " danger" : ""}`}
    aria-label={label}
    aria-pressed={isPressed}
    disabled={isDisabled}
    onClick={onPress}
  >
    {children}
    {hint === undefined ? null : <kbd>{hint}</kbd>}
  </button>
)

/** One of a few values, by what each is called. */
export const Choice = <A extends string>({ label, onChange, options, value }: {
  readonly label: string
  readonly value: A
  readonly options: Readonly<Record<A, string>>
  readonly onChange: (value: A) => void
}) => (
  <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as A)}>
    {Object.entries<string>(options).map(([name, title]) => <option key={name} value={name}>{safe(title)}</option>)}
  </select>
)

export const dollars = (usd: number): string => usd === 0 ? "$0" : usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`

/** A cost where a glance is enough: no fractions of a cent. */
export const cents = (usd: number): string => usd > 0 && usd < 0.01 ? "<$0.01" : dollars(usd)

export const count = (n: number): string =>
  n < 1_000 ? `${n}` : n < 1_000_000 ? `${(n / 1_000).toFixed(n < 10_000 ? 1 : 0)}k` : `${(n / 1_000_000).toFixed(1)}M`

export const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`

/** A length of time, as in `340 ms`, `12 s` and `3 min`. */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s` : `${Math.round(ms / 60_000)} min`

/** How long ago, as in `4 min`. */
export const age = (time: number, now: number): string => {
  const minutes = Math.max(0, now - time) / 60_000
  return minutes < 1 ? "now"
    : minutes < 60 ? `${Math.floor(minutes)} min`
    : minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60 / 24)} d`
}

export const clock = (time: number): string =>
  new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" })
