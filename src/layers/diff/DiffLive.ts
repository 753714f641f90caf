/** The edit engine as a service. */
import * as Layer from "effect/Layer"
import * as Apply from "../../domain/diff/Apply.ts"
import * as Detect from "../../domain/diff/DetectFormat.ts"
import * as ExactEdit from "../../domain/diff/ExactEdit.ts"
import { Diff } from "../../services/Diff.ts"

export const layer: Layer.Layer<Diff> = Layer.succeed(
  Diff,
  Diff.of({
    parse: Detect.parseAny,
    exact: ExactEdit.parse,
    apply: (content, edits) => Apply.apply(content, edits),
    applyAll: (files, edits) => Apply.outcomes(files, edits),
    print: (path, before, after, oldPath = path) => Apply.print(before, after, { path, oldPath })
  })
)
