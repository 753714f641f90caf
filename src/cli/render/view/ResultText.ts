/** What people read of a tool result: without what the call's mark says already, and without advice for the model. */
import * as ErrorReport from "../../../domain/ErrorReport.ts"
import type { Status } from "../../../domain/tool/Outcome.ts"
import type { SafeText } from "./DisplayText.ts"

/** `result` is the text for the model; `output` is what a running command had printed so far. */
export const of = (status: Status, result: SafeText, output: SafeText): SafeText => {
  switch (status) {
    case "denied":
      return capitalize(result.replace(/^Denied[.:] ?/, ""))
    case "interrupted":
      return output
    case "succeeded":
      return withoutAdvice(result)
    case "failed":
      return withoutSteps(result)
    case "unknown":
      return result
  }
}

/** A denial, and on a line of its own what would allow it. */
export const withRemedy = (result: SafeText, remedy: SafeText | undefined): SafeText =>
  (remedy === undefined ? result : `${result.replace(/(?<![.!?])$/, ".")}\n${remedy}`) as SafeText

/** Removes from the first line of a command's result (RunCommand, StopCommand), which is ours, what only concerns the model. */
const withoutAdvice = (result: SafeText): SafeText => {
  const [, first = "", rest = ""] = /^([^\n]*)\n?([^]*)$/.exec(result)!
  const header = headers.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), first)
  const output = header === first ? rest : rest.replace(/^Lines \d+ to \d+[^\n]*:\n/, "").replace(/^\(no (?:new )?output\)$/, "")
  return [header, output].filter((text) => text !== "").join("\n") as SafeText
}

const headers: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Exit code 0\. ?/, ""],
  [/^(\d+ characters were cut from the middle of the output): .*$/, "$1."],
  [/ Read its output with command_output, stop it with stop_command \(id [^)]*\)\./, ""],
  [/^(.*background\.) \S+ is running\./, "$1"],
  [/^The user moved it to the background\./, "Moved to the background."],
  [/^(It waits for input.*): answer with command_input\. \S+ is running\./, "$1."],
  [/^Stopped \S+\. (?=Ended by |Exit code )/, ""]
]

/** Removes from a failed result what only the model can do next. */
export const withoutSteps = (result: SafeText): SafeText =>
  ErrorReport.withoutModelSteps(result)
    .replace(/(?<=^(?:Unknown tool "[^\n]*"|The call names no tool)\.) Available tools: [^\n]*$/, "")
    .replace(/(?<= is not available in plan mode, because it changes things\.) Read, ask questions, and end with present_plan\.$/, "")
    .replace(/(?<=\nThe file does not exist\.) Create it with write_file\.$/, "") as SafeText

/** Our own reason in sentence case; the words of a user stay as they are. */
const capitalize = (reason: string): SafeText => (/^the rule /.test(reason) ? `T${reason.slice(1)}` : reason) as SafeText
