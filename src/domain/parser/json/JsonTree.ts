/** The growing value: containers that are changed in place, and the path to where it grows. */
import type * as Schema from "effect/Schema"
import { define } from "../OwnProperty.ts"

export type Path = ReadonlyArray<string | number>

/** An open object or array. `at` is its own key in `parent`; `key` is where its next value goes. */
export interface Frame {
  readonly parent: Frame | undefined
  readonly at: string | number | undefined
  readonly depth: number
  readonly container: Record<string, Schema.Json> | Array<Schema.Json>
  readonly isArray: boolean
  /** The innermost container of the other kind around it. */
  readonly otherKind: Frame | undefined
  key: string | number | undefined
  /** A comma was read, and nothing after it. */
  hasTrailingComma: boolean
}

export const open = (parent: Frame | undefined, isArray: boolean): Frame => ({
  parent,
  at: parent?.key,
  depth: parent === undefined ? 1 : parent.depth + 1,
  container: isArray ? [] : {},
  isArray,
  otherKind: parent?.isArray === isArray ? parent.otherKind : parent,
  key: isArray ? 0 : undefined,
  hasTrailingComma: false
})

/** Puts a value at the frame's position. */
export const put = (frame: Frame, value: Schema.Json): void =>
  define(frame.container as Record<string | number, Schema.Json>, frame.key!, value)

/** From the root to `key` in `frame`. O(depth). */
export const path = (frame: Frame | undefined, key: Frame["key"]): Path => {
  const keys: Array<string | number> = []
  let last = key
  for (let at = frame; at !== undefined; at = at.parent) {
    if (last !== undefined) keys.push(last)
    last = at.at
  }
  return keys.reverse()
}
