/** What a settings file may have meant by a field that does not exist. */
import { alternatives, similarNames } from "../provider/SimilarNames.ts"
import { ModelSettings, ProviderSettings, SettingsFile } from "./Settings.ts"

/** The fields of an object at a path of the settings; undefined where they are not ours to name. */
const fieldsAt = (path: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [first, , third] = path
  return path.length === 0 ? Object.keys(SettingsFile.fields)
    : first !== "providers" ? undefined
    : path.length === 2 ? Object.keys(ProviderSettings.fields)
    : path.length === 4 && third === "models" ? Object.keys(ModelSettings.fields)
    : undefined
}

/** The message of a schema in one line; for an unknown field with the names that are close to it. `fields` names those of a path. */
export const explain = (message: string, fields = fieldsAt): string => {
  const text = message.replaceAll(/\s*\n\s*/g, " ")
  const location = /^Expected no excess property\s+at ((?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])+)$/.exec(text.trim())?.[1] ?? ""
  const path = [...location.matchAll(/\[("(?:[^"\\]|\\.)*"|\d+)\]/g)].map(([, key = ""]) => String(JSON.parse(key)))
  const name = path.pop()
  const names = name === undefined ? undefined : fields(path)
  if (name === undefined || names === undefined) return text
  const near = similarNames(name, names)
  const where = path.length === 0 ? "" : ` in ${path.join(".")}`
  return `"${name}" is not a setting${where}.${near.length === 0 ? "" : ` Did you mean ${alternatives(near.map((one) => `"${one}"`))}?`}`
}
