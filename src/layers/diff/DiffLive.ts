/** The edit engine as a service: formats told apart by their first marker. */
import * as Layer from "effect/Layer"
import * as Apply from "../../domain/diff/Apply.ts"
import * as ExactEdit from "../../domain/diff/ExactEdit.ts"
import { Diff } from "../../services/Diff.ts"
import { builtin, type Format } from "./builtin.ts"

export const layer: Layer.Layer<Diff> = Layer.succeed(
  Diff,
  Diff.of({
    parse: (text) => formatOf(text).parse(text),
    exact: ExactEdit.parse,
    apply: (content, edits) => Apply.apply(content, edits),
    print: (path, before, after) => Apply.print(before, after, { path })
  })
)

/** The format whose marker comes first; a text without any is for the first format to refuse. */
const formatOf = (text: string): Format =>
  builtin
    .map((format) => ({ format, at: text.search(format.marker) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at)[0]?.format ?? builtin[0]
