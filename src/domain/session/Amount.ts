/** Money and tokens. */
import * as Schema from "effect/Schema"

/** USD and tokens, of input and output together. */
export const Amount = Schema.Struct({ usd: Schema.Finite, tokens: Schema.Int }).annotate({ identifier: "Amount" })
export type Amount = typeof Amount.Type
