/** A stretch of text that holds a secret. */

/** From `start` to before `end`, in UTF-16 units; `kind` names what it is in the placeholder: `anthropic`, `password`. */
export interface Found {
  readonly start: number
  readonly end: number
  readonly kind: string
}
