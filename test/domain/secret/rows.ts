/** The rows of corpora/secrets.json, put together when the tests run. */
import corpus from "../../corpora/secrets.json" with { type: "json" }

export interface Row {
  readonly id: string
  readonly kind: string
  readonly text: string
  readonly secret: string | null
  readonly expected: "redact" | "keep"
  readonly why: string
}

const joined = ({ join }: { readonly join: ReadonlyArray<string> }): string => join.join("")

export const rows: ReadonlyArray<Row> = corpus.rows.map(({ expected, id, kind, secretPart, text, why }) => ({
  id,
  kind,
  why,
  text: joined(text),
  secret: secretPart === null ? null : joined(secretPart),
  expected: expected as Row["expected"]
}))

/** What our own store holds, by how the rows of that kind write it. */
const held: Readonly<Record<string, (written: string) => string>> = {
  "registered": (written) => written,
  "registered-urlenc": decodeURIComponent,
  "registered-b64": (written) => atob(written).replace(/^[^:]*:/, ""),
  "registered-json": (written) => JSON.parse(`"${written}"`)
}

export const known: ReadonlyArray<string> = rows.flatMap(({ kind, secret }) => secret !== null && held[kind] !== undefined ? [held[kind](secret)] : [])
