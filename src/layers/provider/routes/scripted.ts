/** A file of turns in place of a model: `scripted/<file>`, relative to the folder that the command runs in. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ParseError } from "jsonc-parser"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import * as Script from "../../../domain/provider/Script.ts"
import type { Connection, Route } from "../../../services/Route.ts"
import * as Play from "./PlayScript.ts"

const refuse = (message: string) => new ProviderError({ provider: "scripted", message, reason: { _tag: "BadRequest" } })

/** Reads a script, written as JSON with comments if one likes. */
const load = Effect.fn("scripted.load")(function*(file: string) {
  const text = yield* Effect.tryPromise({
    try: async () => (await import("node:fs/promises")).readFile(file, "utf8"),
    catch: (error) => refuse(`The script ${file} can't be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  const { parse, printParseErrorCode } = yield* Effect.promise(() => import("jsonc-parser"))
  const errors: Array<ParseError> = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [wrong] = errors
  if (wrong !== undefined) {
    const line = text.slice(0, wrong.offset).split("\n").length
    return yield* refuse(`The script ${file} is no JSON: ${printParseErrorCode(wrong.error)} in line ${line}.`)
  }
  return yield* Schema.decodeUnknownEffect(Script.Script)(value).pipe(
    Effect.mapError((error) => refuse(`The script ${file} is not a list of turns: ${error.message}`))
  )
})

/** A script is read again for each request: it may have been mended meanwhile. */
const connect = (): Connection => {
  const failed = new Map<string, Map<string, number>>()
  const failures = (file: string) => failed.get(file) ?? failed.set(file, new Map()).get(file)!
  return {
    encode: Play.encode,
    describe: (file) => load(file).pipe(Effect.map((script) => Script.model(file, script))),
    send: (_, { model, request }) =>
      Stream.unwrap(load(model.id).pipe(Effect.map((script) => Play.play(script, request, failures(model.id)))))
  }
}

export const scripted: Route = {
  name: "scripted",
  title: "A file of turns, for demonstrations and tests",
  wire: "script",
  keys: [],
  baseUrl: "",
  local: true,
  connect
}
