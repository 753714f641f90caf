/** Describes what in a folder needs the user's trust. */
import type { TrustItem } from "../../services/Trust.ts"
import * as View from "../render/view/View.ts"

/** Maximum number of files to list per item. */
const maxFiles = 5

/** The changed items; an item with only some changed files is described by those. "" if there are none. */
export const describe = (waiting: ReadonlyArray<TrustItem>): View.SafeText =>
  View.text(
    waiting.filter(({ changed }) => changed.length > 0).map(({ changed, files, path, effect }) =>
      changed.length === Object.keys(files).length ?
        `${path} ${effect}`
        : `${changed.slice(0, maxFiles).join(", ")}${changed.length > maxFiles ? ` and ${changed.length - maxFiles} more` : ""} ${effect}`
    ).join("; ")
  )
