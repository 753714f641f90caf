/** The place of a setting, as people write it (`permissions.allow`), and what may stand there. */
import { SettingsFile } from "./Settings.ts"

export const parse = (text: string): ReadonlyArray<string> => text.split(".")

/** The value at a place; undefined where there is none. */
export const get = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((at, key) => typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined, value)

/** The same with another value at a place; undefined takes it away. */
export const set = (value: unknown, [key, ...path]: ReadonlyArray<string>, to: unknown): unknown => {
  if (key === undefined) return to
  const before = typeof value === "object" && value !== null ? value as Record<string, unknown> : {}
  const { [key]: old, ...rest } = before
  const next = set(old, path, to)
  return next === undefined ? rest : { ...before, [key]: next }
}

/** A word as JSON where it is JSON, else as text: `20`, `true`, `["Read"]`, `anthropic/claude`. */
export const literal = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `name=value` as people write it; undefined where it names no setting. */
export const assignment = (text: string): { readonly path: ReadonlyArray<string>; readonly value: unknown } | undefined => {
  const at = text.indexOf("=")
  const path = parse(text.slice(0, Math.max(0, at)))
  return at === -1 || !names.includes(path[0]!) ? undefined : { path, value: literal(text.slice(at + 1)) }
}

/** Every setting at the top of a file. */
export const names: ReadonlyArray<string> = Object.keys(SettingsFile.fields).filter((name) => name !== "$schema")
