/** The process's environment, read once: nothing else reads variables, the platform or the user's folders. */
import { homedir, userInfo } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Environment } from "../../services/Environment.ts"
import { version } from "./version.ts"

type Folders = Environment["Service"]["folders"]
type Variables = Environment["Service"]["variables"]

/**
 * Where data is stored: the XDG folders on every platform, or all under `DACAPO_HOME`, whose own folder then holds the
 * configuration. A relative XDG folder is ignored, as its specification requires.
 */
export const folders = (variables: Variables, home: string): Folders => {
  const override = variables["DACAPO_HOME"]
  if (override !== undefined && override !== "") {
    const root = resolve(override)
    return { home, config: root, data: join(root, "data"), state: join(root, "state"), cache: join(root, "cache") }
  }
  const xdg = (name: string, ...fallback: ReadonlyArray<string>) => {
    const base = variables[name]
    return join(base !== undefined && isAbsolute(base) ? base : join(home, ...fallback), "dacapo")
  }
  return {
    home,
    config: xdg("XDG_CONFIG_HOME", ".config"),
    data: xdg("XDG_DATA_HOME", ".local", "share"),
    state: xdg("XDG_STATE_HOME", ".local", "state"),
    cache: xdg("XDG_CACHE_HOME", ".cache")
  }
}

/** The home folder. An empty or relative HOME would put our files into the current folder, so the system's own record counts then. */
export const home = (fromVariable: string): string => isAbsolute(fromVariable) ? fromVariable : userInfo().homedir

/** With these variables in place of the process's own of the same name. */
export const layerWith = (overrides: Variables): Layer.Layer<Environment> =>
  Layer.effect(
    Environment,
    Effect.sync(() => {
      const variables = { ...process.env, ...overrides }
      return Environment.of({ variables, folders: folders(variables, home(homedir())), platform: process.platform, version })
    })
  )

export const layer: Layer.Layer<Environment> = layerWith({})
