/** The process that runs a model's expressions: it is killed when one takes too long. */
import process from "node:process"
import * as LineMatch from "./files/LineMatch.ts"

/** An expression in RegExp syntax, and the texts to search. */
export interface MatchRequest {
  readonly source: string
  readonly flags: string
  readonly texts: ReadonlyArray<string>
}

process.on("message", ({ flags, source, texts }: MatchRequest) => void process.send?.(LineMatch.of(new RegExp(source, flags))(texts)))
process.on("disconnect", () => process.exit())
