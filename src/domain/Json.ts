/** JSON values: which kind one is. */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"

/** Neither an array nor null. */
export const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject => Predicate.isObject(value)
