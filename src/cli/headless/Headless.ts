/** A task without anyone watching: a prompt in, an answer or a stream of JSON out, never a question. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import * as Saying from "../../domain/message/UserMessage.ts"
import * as SlashCommand from "../../domain/message/SlashCommand.ts"
import * as Session from "../../domain/session/Session.ts"
import { Agent } from "../../services/Agent.ts"
import { Trust } from "../../services/Trust.ts"
import * as As from "../start/AgentFlag.ts"
import type { Given } from "../Commands.ts"
import { InputError, Untrusted } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import * as Earlier from "../start/ResumeSession.ts"
import { isError } from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as McpConfig from "../start/McpConfigFlag.ts"
import * as NobodyApprover from "./UnattendedApprover.ts"
import * as OnlyTools from "../start/ToolsFlag.ts"
import * as Place from "../start/SessionFolder.ts"
import * as Prompt from "../start/PromptInput.ts"
import * as View from "../render/view/View.ts"
import * as StreamInput from "./StreamInput.ts"
import * as Structured from "../start/JsonSchemaFlag.ts"
import * as Watched from "./FollowTask.ts"
import * as Wanted from "../start/SessionOptions.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run = Effect.fnUntraced(function*({ values: given, words }: Given) {
  const values = yield* OnlyTools.resolved(given)
  const conclusion = yield* Conclusion
  const host = yield* Host
  const wiring = yield* Wiring
  const streamed = values.inputFormat === "stream-json"
  const prompt = streamed ? spoken(words) : yield* Prompt.gather(words)
  if (prompt === undefined && !streamed && values.resume === undefined && values.continue !== true) {
    return yield* new InputError({ message: "There is no prompt: give one as an argument or on standard input." })
  }
  const problem = prompt === undefined ? undefined : Saying.problem(prompt)
  if (problem !== undefined) return yield* new InputError({ message: problem })
  const { cwd, roots, session: earlier } = yield* Place.find(values)
  const as = earlier === undefined ? yield* As.named(values, cwd) : undefined
  const structured = values.jsonSchema === undefined ? undefined : yield* Structured.read(values.jsonSchema)
  if (prompt !== undefined) yield* trusted(prompt, cwd)
  const layer = wiring.layer({
    roots: [cwd, ...roots],
    approver: Layer.provide(NobodyApprover.layer(values.onAsk ?? "deny"), Layer.succeed(Host, host)),
    ...Wanted.confined(values),
    ...(yield* McpConfig.servers(values, cwd)),
    ...(values.ephemeral === true ? { ephemeral: true } : {}),
    ...(values.baseUrl === undefined ? {} : { baseUrl: values.baseUrl })
  })
  const also = [values.appendSystemPrompt, structured?.told].filter((text) => text !== undefined).join("\n\n")
  const asked = also === "" ? values : { ...values, appendSystemPrompt: also }
  for (const remark of values.verbose === true ? As.remarks(as, cwd) : []) yield* Effect.ignore(host.stderr.write(`${View.text(remark)}\n`))
  const work = Effect.gen(function*() {
    const agent = yield* Agent
    const session = earlier === undefined
      ? yield* agent.start({ ...yield* Wanted.whole(asked, "headless", cwd, host.environment.variables, as), roots })
      : yield* Earlier.take(values, earlier)
    const before = yield* agent.state(session)
    if (prompt === undefined && !streamed && !Session.resumable(before)) {
      return yield* new InputError({ message: `Session ${session} has nothing left to do: give it a prompt.` })
    }
    if (earlier !== undefined) {
      yield* Wanted.checked(values)
      const wanted = { ...Wanted.again(asked, "headless", Wanted.before(before.settings)), roots }
      yield* agent.resume(session, { wanted, goOn: prompt === undefined && !streamed })
    }
    const first: Stream.Stream<StreamInput.Said, InputError> = prompt === undefined ? Stream.empty : Stream.make({ text: prompt, delivery: "task" })
    return yield* Watched.run(yield* agent.state(session), {
      from: earlier === undefined ? 0 : before.seq + 1,
      says: streamed ? Stream.concat(first, StreamInput.said(host.stdin.lines)) : first,
      verbose: values.verbose === true,
      ...(structured === undefined ? {} : { structured })
    })
  })
  const ending = yield* Effect.provide(work, layer)
  const { result } = yield* Ref.get(conclusion.report)
  if (values.outputLastMessage !== undefined && !isError(ending)) yield* keep(values.outputLastMessage, result)
  return yield* conclusion.tell(ending)
}, Effect.scoped)

/** The answer in a file of its own. */
const keep = Effect.fnUntraced(function*(file: string, answer: string) {
  const { cwd } = yield* Host
  yield* Effect.tryPromise({
    try: () => writeFile(resolve(cwd, file), answer.endsWith("\n") ? answer : `${answer}\n`),
    catch: (error) => new InputError({ message: `-o ${file} can't be written: ${(error as NodeJS.ErrnoException).code}. The answer is in the session.` })
  })
})

/** A command that is written down in a folder which nobody trusts is not sent to a model as if it were a question. */
const trusted = Effect.fnUntraced(function*(prompt: string, cwd: string) {
  const called = SlashCommand.called(prompt)
  if (called === undefined) return
  const { records } = yield* Wiring
  const untrusted = Effect.gen(function*() {
    const { holds, waiting } = yield* Trust
    const isHere = (yield* waiting(cwd)).some(({ path }) => path.endsWith("/commands") && existsSync(join(cwd, path, `${called.name.replaceAll(":", "/")}.md`)))
    return isHere && !(yield* holds(cwd))
  })
  if (!(yield* Effect.provide(untrusted, records))) return
  return yield* new Untrusted({ message: `/${called.name} is written down in this folder, which is not trusted: \`dacapo trust\` lets its commands act.` })
})

const spoken = (words: ReadonlyArray<string>): string | undefined => words.length === 0 ? undefined : words.join(" ")
