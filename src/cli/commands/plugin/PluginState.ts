/** What an installed plugin does here, in words: for `plugin list`, `doctor` and the page. */
import type { InstalledPlugin } from "../../../layers/extension/PluginStore.ts"

/** `changed`: enabled, but its content is not what was installed, so that nothing of it is used. */
export const of = ({ enabled, problem }: InstalledPlugin): "active" | "changed" | "disabled" =>
  !enabled ? "disabled" : problem === undefined ? "active" : "changed"

/** Its name with its version. */
export const title = ({ name, version }: InstalledPlugin): string => version === undefined ? name : `${name} ${version}`

/** Its state, with what to do about it. */
export const describe = (plugin: InstalledPlugin): string => {
  const { code, hash, module, name, problem } = plugin
  switch (of(plugin)) {
    case "disabled":
      return "disabled"
    case "changed":
      return `${problem}; run \`dacapo plugin update ${name}\` to install it again`
    case "active":
      return module === undefined || code === hash ? "active" : "active without its code, which you have not allowed"
  }
}
