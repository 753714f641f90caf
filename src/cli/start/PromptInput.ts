/** Where a task's words come from: the arguments, standard input, or both. */
import * as Effect from "effect/Effect"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

/**
 * The prompt, undefined where there is none. `-` among the words stands for standard input; input beside words is
 * appended in a `<stdin>` block. Text that is no UTF-8 is refused: a model would be shown something else.
 */
export const gather = Effect.fnUntraced(function*(words: ReadonlyArray<string>): Effect.fn.Return<string | undefined, InputError, Host> {
  const { stdin } = yield* Host
  if (words.some((word) => word.includes("\uFFFD"))) {
    return yield* new InputError({ message: "The prompt holds bytes that are not UTF-8." })
  }
  const dash = words.includes("-")
  const spoken = words.filter((word) => word !== "-").join(" ")
  if (words.length > 0 && spoken === "" && !dash) return yield* new InputError({ message: "The prompt is empty." })
  if (stdin.tty && !dash) return spoken === "" ? undefined : spoken
  const bytes = spoken === "" || dash ? yield* stdin.all : yield* stdin.offered
  const piped = bytes === null ? "" : yield* decode(bytes)
  if (piped.trim() === "") {
    if (dash && spoken === "") return yield* new InputError({ message: "The prompt on standard input is empty." })
    return spoken === "" ? undefined : spoken
  }
  return spoken === "" ? piped : `${spoken}\n\n<stdin>\n${piped.replace(/\n$/, "")}\n</stdin>`
})

const decode = (bytes: Uint8Array): Effect.Effect<string, InputError> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new InputError({ message: `Standard input is not UTF-8 (byte ${firstBad(bytes)}): convert it first, with iconv for example.` })
  })

/** Offset of the first byte that does not decode: where the replacement character first stands for something else. */
const firstBad = (bytes: Uint8Array): number => {
  let low = 0
  let high = bytes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (decodes(bytes.subarray(0, middle + 1))) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a prefix is UTF-8 so far; its last character may be unfinished. */
const decodes = (prefix: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(prefix, { stream: true })
    return true
  } catch {
    return false
  }
}
