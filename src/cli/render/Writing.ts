/** What a model writes into a call, while it comes: the end of the text that grows, as the diff that it will be. */
import { text, type Shown } from "./view/DisplayText.ts"

/** The sign before each line, by the name of the parameter; what is not named here is no text to watch. */
const signs: Readonly<Record<string, string>> = { old_text: "-", new_text: "+", content: "+", patch: "", command: "" }

/** Characters of the end that are looked at for each drawing. */
const most = 2_000

/** The last lines of the parameter that came last; empty where there is nothing to watch. */
export const end = (params: unknown): ReadonlyArray<Shown> => {
  const [name, value] = typeof params === "object" && params !== null ? Object.entries(params).at(-1) ?? [] : []
  const sign = name !== undefined && Object.hasOwn(signs, name) ? signs[name]! : undefined
  if (sign === undefined || typeof value !== "string") return []
  const tail = value.length <= most ? value : value.slice(value.indexOf("\n", value.length - most) + 1)
  return text(tail).split("\n").slice(-lines).map((line) => `${sign}${line}` as Shown)
}

/** Lines that are shown of it. */
const lines = 8
