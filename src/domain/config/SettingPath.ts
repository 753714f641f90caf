/** The path of a setting, as people write it (`permissions.allow`), and the values it may have. */
import { SettingsFile } from "./Settings.ts"

export const parse = (text: string): ReadonlyArray<string> => text.split(".")

/** The value at a path; undefined if there is none. */
export const get = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (current, key) =>
      typeof current === "object" && current !== null && Object.hasOwn(current, key) ? (current as Record<string, unknown>)[key]
        : undefined,
    value
  )

/** The same with another value at a path; undefined removes it. */
export const set = (value: unknown, [key, ...path]: ReadonlyArray<string>, newValue: unknown): unknown => {
  if (key === undefined) return newValue
  const object = typeof value === "object" && value !== null ? value as Record<string, unknown> : {}
  const { [key]: oldValue, ...rest } = object
  const next = set(oldValue, path, newValue)
  return next === undefined ? rest : { ...object, [key]: next }
}

/** An argument as JSON if it is JSON, else as text: `20`, `true`, `["Read"]`, `anthropic/claude`. */
export const literal = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `name=value` as people write it; undefined if it names no setting. */
export const assignment = (text: string): { readonly path: ReadonlyArray<string>; readonly value: unknown } | undefined => {
  const separator = text.indexOf("=")
  const path = parse(text.slice(0, Math.max(0, separator)))
  return separator === -1 || !names.includes(path[0]!) ? undefined : { path, value: literal(text.slice(separator + 1)) }
}

/** Every setting at the top level of a file. */
export const names: ReadonlyArray<string> = Object.keys(SettingsFile.fields).filter((name) => name !== "$schema")
