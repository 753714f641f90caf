/** Services made of a program's functions. What these return is checked: in a program without types it may be anything. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { optional } from "../domain/Optional.ts"
import { type Answer, Approver, type Question, type Reply } from "../services/Approver.ts"
import * as CrashReports from "../services/process/CrashReports.ts"
import type { CommandResult } from "../services/Shell.ts"
import * as FunctionShell from "./workspace/shell/FunctionShell.ts"

/** A decision, by itself or in an answer: for this once and by the user, unless the answer says otherwise. */
export type Decision = Answer["decision"] | Pick<Answer, "decision"> & Partial<Answer>

/** Decides on a call that no rule allows. Its signal is aborted when the question is withdrawn. */
export type Approve = (question: Question, signal: AbortSignal) => Decision | Promise<Decision>

/** Answers a question of the model, with one of the options or another text; undefined if no one is there. */
export type AnswerQuestion = (
  question: string,
  options: ReadonlyArray<string>,
  signal: AbortSignal
) => string | undefined | Promise<string | undefined>

/**
 * Runs a command wherever the program wants: in a container, on another machine. What it leaves out is a success without output.
 * `input` is for the command's standard input and `variables` for its environment, where a hook or a background command has them.
 */
export type RunCommand = (
  command: FunctionShell.FunctionCommand,
  signal: AbortSignal
) => Partial<CommandResult> | Promise<Partial<CommandResult>>

/** The approver of the options `approve` and `answer`. */
export const approver = (approve: Approve = () => "deny", answer: AnswerQuestion = () => undefined) =>
  Layer.succeed(Approver, {
    ask: (question) =>
      Effect.map(
        Effect.promise(async (signal) => approve(question, signal)),
        (decision): Answer => {
          const answer: unknown = {
            scope: "once",
            by: "user",
            ...(typeof decision === "string" ? { decision } : optional(Object(decision)))
          }
          if (isAnswer(answer)) return answer
          throw new TypeError(`\`approve\` must return "allow", "deny" or an Answer, not ${CrashReports.messageOf(decision)}`)
        }
      ),
    question: (text, options) =>
      Effect.map(
        Effect.promise(async (signal) => answer(text, options, signal)),
        (reply): Reply => {
          if (reply === undefined) return { by: "nobody" }
          if (typeof reply === "string") return { by: "user", text: reply }
          throw new TypeError(`\`answer\` must return a text or undefined, not ${CrashReports.messageOf(reply)}`)
        }
      )
  })

const isAnswer = Schema.is(Schema.Struct({
  decision: Schema.Literals(["allow", "deny"]),
  scope: Schema.Literals(["once", "session", "always"]),
  rules: Schema.optionalKey(Schema.Array(Schema.String)),
  words: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(Schema.Json),
  by: Schema.Literals(["user", "nobody"])
}))

/** The shell of the option `shell`. */
export const shell = (run: RunCommand) =>
  FunctionShell.layer((command) =>
    Effect.promise(async (signal) => {
      const result = await run(command, signal)
      const commandResult: unknown = Predicate.isObject(result) ? optional(result) : result
      if (isResult(commandResult)) return commandResult
      throw new TypeError(`\`shell\` must return { output, code }, not ${CrashReports.messageOf(result)}.`)
    })
  )

const isResult = Schema.is(Schema.Struct({
  output: Schema.optionalKey(Schema.String),
  omittedCharacters: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  signal: Schema.optionalKey(Schema.NullOr(Schema.String)),
  hasTimedOut: Schema.optionalKey(Schema.Boolean)
}))
