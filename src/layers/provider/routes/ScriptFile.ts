/** The connection of the route `scripted`, whose models are files. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ParseError } from "jsonc-parser"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import * as Script from "../../../domain/provider/Script.ts"
import type { Connection } from "../../../services/Route.ts"
import * as PlayScript from "./PlayScript.ts"

const badScript = (message: string) => new ProviderError({ provider: "scripted", message, reason: { _tag: "BadRequest" } })

/** Reads a script. It is JSON and may contain comments. */
const load = Effect.fn("scripted.load")(function*(file: string) {
  const text = yield* Effect.tryPromise({
    try: async () => (await import("node:fs/promises")).readFile(file, "utf8"),
    catch: (error) => badScript(`Could not read the script ${file}: ${error instanceof Error ? error.message : String(error)}`)
  })
  const { parse, printParseErrorCode } = yield* Effect.promise(() => import("jsonc-parser"))
  const errors: Array<ParseError> = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [parseError] = errors
  if (parseError !== undefined) {
    const line = text.slice(0, parseError.offset).split("\n").length
    return yield* badScript(`The script ${file} is not valid JSON: ${printParseErrorCode(parseError.error)} on line ${line}.`)
  }
  return yield* Schema.decodeUnknownEffect(Script.Script)(value).pipe(
    Effect.mapError((error) => badScript(`The script ${file} is not a list of turns: ${error.message}`))
  )
})

/** A script is read again for each request: it may have been edited in the meantime. */
export const connect = (): Connection => {
  const failureCounts = new Map<string, Map<string, number>>()
  const failuresOf = (file: string) => failureCounts.get(file) ?? failureCounts.set(file, new Map()).get(file)!
  return {
    encode: PlayScript.encode,
    describe: (file) => load(file).pipe(Effect.map((script) => Script.model(file, script))),
    send: (_, { model, request }) =>
      Stream.unwrap(load(model.id).pipe(Effect.map((script) => PlayScript.play(script, request, failuresOf(model.id)))))
  }
}
