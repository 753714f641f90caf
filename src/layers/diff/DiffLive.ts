/** The edit engine as a service. */
import * as Layer from "effect/Layer"
import * as Apply from "../../domain/diff/Apply.ts"
import * as DetectFormat from "../../domain/diff/DetectFormat.ts"
import * as ExactEdit from "../../domain/diff/ExactEdit.ts"
import { Diff } from "../../services/Diff.ts"

export const layer: Layer.Layer<Diff> = Layer.succeed(
  Diff,
  Diff.of({
    parse: DetectFormat.parseAny,
    exact: ExactEdit.parse,
    apply: (content, edits) => Apply.apply(content, edits),
    applyAll: (files, edits) => Apply.fileChanges(files, edits),
    print: (path, before, after, oldPath = path) => Apply.print(before, after, { path, oldPath })
  })
)
