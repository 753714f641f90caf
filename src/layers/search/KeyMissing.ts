/** What to do if the service of a search has no key. */
import type { KeyStore } from "../../services/Keys.ts"
import type { KeyedService } from "./KeyedServices.ts"

/** `names` are the variables that were looked up; a variable of the settings' own can't be saved. */
export const sentence = ({ keys, name, title }: KeyedService, names: ReadonlyArray<string>, { advice }: KeyStore): string =>
  `No API key for ${title}. ${
    advice?.(names) ??
      `${names.some((one) => keys.includes(one)) ? `Run "dacapo auth login ${name}" or set` : "Set"} ${names.join(" or ")}.`
  }`
