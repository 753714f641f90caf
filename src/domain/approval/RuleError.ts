/** What is wrong with a rule, where it stands, and what was probably meant. */
import * as Schema from "effect/Schema"

export class RuleError extends Schema.TaggedError<RuleError>()("RuleError", {
  rule: Schema.String,
  /** What is wrong and, where it can be told, what to write instead. */
  problem: Schema.String,
  list: Schema.optionalKey(Schema.Literals(["allow", "ask", "deny"])),
  file: Schema.optionalKey(Schema.String),
  /** The first line is 1. */
  line: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const where = this.file === undefined ? "" : `${this.file}${this.line === undefined ? "" : `:${this.line}`}: `
    return `${where}${this.list === undefined ? "rule" : `${this.list} rule`} ${this.rule}: ${this.problem}`
  }
}
