/** The prompt of a task, from the arguments, standard input, or both. */
import * as Effect from "effect/Effect"
import { InputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

/**
 * The prompt, or undefined if there is none. The argument `-` stands for standard input; input beside other arguments is
 * appended in a `<stdin>` block. Text that is not UTF-8 is rejected, because a model would see something else.
 */
export const gather = Effect.fnUntraced(function*(args: ReadonlyArray<string>): Effect.fn.Return<string | undefined, InputError, Host> {
  const { stdin } = yield* Host
  if (args.some((arg) => arg.includes("\uFFFD"))) {
    return yield* new InputError({ message: "The prompt is not valid UTF-8." })
  }
  const hasDash = args.includes("-")
  const argsText = args.filter((arg) => arg !== "-").join(" ")
  if (args.length > 0 && argsText === "" && !hasDash) return yield* new InputError({ message: "The prompt is empty." })
  if (stdin.tty && !hasDash) return argsText === "" ? undefined : argsText
  const bytes = argsText === "" || hasDash ? yield* stdin.all : yield* stdin.piped
  const piped = bytes === null ? "" : yield* decode(bytes)
  if (piped.trim() === "") {
    if (hasDash && argsText === "") return yield* new InputError({ message: "The prompt on standard input is empty." })
    return argsText === "" ? undefined : argsText
  }
  return argsText === "" ? piped : `${argsText}\n\n<stdin>\n${piped.replace(/\n$/, "")}\n</stdin>`
})

const decode = (bytes: Uint8Array): Effect.Effect<string, InputError> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () =>
      new InputError({
        message: `Standard input is not valid UTF-8 (at byte ${firstInvalidByte(bytes)}). Convert it first, for example with iconv.`
      })
  })

/** Offset of the first byte that does not decode. */
const firstInvalidByte = (bytes: Uint8Array): number => {
  let low = 0
  let high = bytes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isValidUtf8(bytes.subarray(0, middle + 1))) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a prefix is valid UTF-8; its last character may be incomplete. */
const isValidUtf8 = (prefix: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(prefix, { stream: true })
    return true
  } catch {
    return false
  }
}
