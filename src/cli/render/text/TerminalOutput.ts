/**
 * The last filter before standard output and standard error: everything a command writes becomes printable text, with the
 * colours of our themes if enabled. Callers sanitise untrusted text for its context (`View.text`, `View.line`); if one forgets,
 * the output can look wrong but do no harm.
 */
import * as SafeText from "../../../domain/message/SafeText.ts"
import * as Theme from "./Theme.ts"

const stylePattern = new RegExp(`(\\u001b\\[(?:${Theme.codes.join("|")})m)`)

export const text = (output: string, isColored: boolean): string =>
  isColored ? output.split(stylePattern).map((part, i) => i % 2 === 1 ? part : SafeText.of(part)).join("") : SafeText.of(output)
