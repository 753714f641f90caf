/** Headless mode: runs a task without prompting, and prints the response or a stream of JSON. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import * as SlashCommand from "../../domain/message/SlashCommand.ts"
import * as Session from "../../domain/session/Session.ts"
import * as CommandFiles from "../../layers/context/CommandFiles.ts"
import { endSession } from "../../layers/agent/EndSession.ts"
import * as PendingRequests from "../../layers/control/PendingRequests.ts"
import { Agent, type SessionOptions as SessionConfig } from "../../services/Agent.ts"
import { Approver } from "../../services/Approver.ts"
import { ClientProgram } from "../../services/extension/ClientProgram.ts"
import { ProgramAgents } from "../../services/extension/ProgramAgents.ts"
import { SettingsSnapshot } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import * as AgentFlag from "../start/AgentFlag.ts"
import * as TrustChanges from "../start/TrustChanges.ts"
import type { Invocation } from "../Command.ts"
import { InputError, UntrustedError, UsageError } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import * as ResumeSession from "../start/ResumeSession.ts"
import { isError } from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as UnattendedApprover from "./UnattendedApprover.ts"
import * as ToolsFlag from "../start/ToolsFlag.ts"
import * as SessionFolder from "../start/SessionFolder.ts"
import * as PromptInput from "../start/PromptInput.ts"
import * as View from "../render/view/View.ts"
import * as JsonSchemaFlag from "../start/JsonSchemaFlag.ts"
import * as FollowInput from "./FollowInput.ts"
import * as FollowTask from "./FollowTask.ts"
import * as ProgramInput from "./ProgramInput.ts"
import * as SdkFlags from "../start/SdkFlags.ts"
import * as SessionOptions from "../start/SessionOptions.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run = Effect.fnUntraced(function*({ values: flags, args }: Invocation) {
  const conclusion = yield* Conclusion
  const host = yield* Host
  const agentLayers = yield* AgentLayers
  const isStreamed = flags.inputFormat === "stream-json"
  const isProgram = flags.permissionPromptTool === "stdio"
  const canAsk = isProgram && flags.permissionPrompts !== "none"
  if (isProgram && (!isStreamed || flags.outputFormat !== "stream-json")) {
    return yield* new UsageError({
      message: "--permission-prompt-tool stdio needs --input-format stream-json and --output-format stream-json."
    })
  }
  const prompt = isStreamed ? joinArgs(args) : yield* PromptInput.gather(args)
  if (prompt === undefined && !isStreamed && flags.resume === undefined && flags.continue !== true) {
    return yield* new InputError({ message: "No prompt. Give one as an argument or on standard input." })
  }
  const problem = prompt === undefined ? undefined : UserMessage.messageProblem(prompt)
  if (problem !== undefined) return yield* new InputError({ message: problem })
  const program = isStreamed ? yield* ProgramInput.open(flags, prompt !== undefined) : undefined
  const { profiles } = program ?? (yield* SdkFlags.definedAgents(flags, undefined))
  const values = yield* ToolsFlag.resolveTools(program?.values ?? flags)
  const { cwd, roots, session: resumedId } = yield* SessionFolder.resolve(values)
  const profile = resumedId === undefined ? yield* AgentFlag.resolve(values, cwd) : undefined
  const schemaCheck = values.jsonSchema === undefined ? undefined : yield* JsonSchemaFlag.read(values.jsonSchema)
  yield* warnTrustChanges(cwd)
  if (prompt !== undefined) yield* checkTrusted(prompt, cwd)
  const pending = PendingRequests.make()
  const layer = agentLayers.layer({
    ...yield* SessionOptions.layerOptions(values, { cwd, roots }),
    approver: canAsk
      ? Layer.succeed(Approver, pending.approver)
      : Layer.provide(UnattendedApprover.layer(values.onAsk ?? "deny"), Layer.succeed(Host, host))
  })
  const interactionMode = canAsk ? "program" : "headless"
  const appendedPrompt = [values.appendSystemPrompt, schemaCheck?.instructions].filter((text) => text !== undefined).join("\n\n")
  const effectiveValues = appendedPrompt === "" ? values : { ...values, appendSystemPrompt: appendedPrompt }
  for (const note of [...values.verbose === true ? AgentFlag.profileNotes(profile, cwd) : [], ...program?.notes ?? []]) {
    yield* Effect.ignore(host.stderr.write(`dacapo: ${View.line(note)}\n`))
  }
  const work = Effect.gen(function*() {
    const agent = yield* Agent
    const session = resumedId === undefined
      ? yield* agent.start({
        ...withHooks(
          yield* SessionOptions.resolve(effectiveValues, interactionMode, host.environment, {
            cwd,
            roots,
            profile,
            settings: SdkFlags.restrictSettings(yield* SettingsSnapshot, values.settingSources, cwd)
          }),
          program
        ),
        ...(program?.title === undefined ? {} : { name: program.title })
      })
      : yield* ResumeSession.resume(values, resumedId)
    const stateBefore = yield* agent.state(session)
    if (prompt === undefined && !isStreamed && !Session.canResume(stateBefore)) {
      return yield* new InputError({ message: `Session ${session} has no unfinished task. Give it a prompt.` })
    }
    if (resumedId !== undefined) {
      yield* SessionOptions.checkFlagRules(values)
      const options = {
        ...withHooks(
          SessionOptions.resumeOptions(effectiveValues, interactionMode, SessionOptions.currentSettings(stateBefore.settings)),
          program
        ),
        roots
      }
      yield* agent.resume(session, { overrides: options, shouldContinue: prompt === undefined && !isStreamed })
    }
    const options = {
      fromSeq: resumedId === undefined ? 0 : stateBefore.seq + 1,
      verbose: values.verbose === true,
      isPartial: values.includePartialMessages === true,
      prompt,
      agents: program?.firstLine?.type === "control_request"
        ? (yield* Effect.provideService(AgentFlag.loadProfiles(cwd), ProgramAgents, profiles)).profiles.agents.map(({ name }) => name)
        : [],
      ...(schemaCheck === undefined ? {} : { schemaCheck })
    }
    const state = yield* agent.state(session)
    const follow = program === undefined
      ? FollowTask.run(state, options)
      : FollowInput.run(state, { ...options, ...program, values, pending })
    return yield* Effect.onExit(follow, () => Effect.ignore(endSession(session, "other")))
  })
  const ending = yield* Effect.provide(
    work,
    Layer.provide(
      layer,
      Layer.merge(
        Layer.succeed(ProgramAgents, profiles),
        program === undefined ? Layer.empty : Layer.succeed(ClientProgram, program.connection)
      )
    )
  )
  const { result } = yield* Ref.get(conclusion.report)
  if (values.outputLastMessage !== undefined && !isError(ending)) yield* writeLastMessage(values.outputLastMessage, result)
  return yield* conclusion.finish(ending)
}, Effect.scoped)

/** With the hooks of the program, after those of the settings. */
const withHooks = <O extends Pick<SessionConfig, "hooks">>(options: O, program: ProgramInput.ProgramInput | undefined): O =>
  program === undefined || program.hooks.length === 0 ? options : { ...options, hooks: [...options.hooks ?? [], ...program.hooks] }

/** Writes the response to a file (`-o`). */
const writeLastMessage = Effect.fnUntraced(function*(file: string, response: string) {
  const { cwd } = yield* Host
  yield* Effect.tryPromise({
    try: () => writeFile(resolve(cwd, file), response.endsWith("\n") ? response : `${response}\n`),
    catch: (error) =>
      new InputError({ message: `Can't write ${file}: ${(error as NodeJS.ErrnoException).code}. The response is stored in the session.` })
  })
})

/** Warns once about changes in a trusted folder, which have no effect until they are confirmed. */
const warnTrustChanges = Effect.fnUntraced(function*(cwd: string) {
  const { records } = yield* AgentLayers
  const { stderr } = yield* Host
  const waiting = yield* Effect.provide(
    Effect.flatMap(
      Trust,
      (trust) => Effect.flatMap(trust.isTrusted(cwd), (isTrusted) => isTrusted ? trust.items(cwd) : Effect.succeed([]))
    ),
    records
  )
  const summary = TrustChanges.describe(waiting)
  if (summary !== "") {
    yield* Effect.ignore(
      stderr.write(
        `dacapo: Not in effect, because it changed since you trusted this folder: ${summary}. Run \`dacapo trust\` to confirm it.\n`
      )
    )
  }
})

/** Fails for a custom command of an untrusted folder, rather than sending its name to the model as a prompt. */
const checkTrusted = Effect.fnUntraced(function*(prompt: string, cwd: string) {
  const command = SlashCommand.parseCall(prompt)
  if (command === undefined) return
  const { records } = yield* AgentLayers
  const { isTrusted, waiting } = yield* Effect.provide(
    Effect.flatMap(Trust, (trust) => Effect.all({ isTrusted: trust.isTrusted(cwd), waiting: trust.items(cwd) })),
    records
  )
  const files = CommandFiles.projectFiles(command.name)
  if (!waiting.some(({ changed }) => changed.some((path) => files.includes(path)))) return
  return yield* new UntrustedError({
    message: isTrusted
      ? `/${command.name} changed since you trusted this folder. Run \`dacapo trust\` to confirm it.`
      : `/${command.name} is defined in this folder, which is not trusted. Run \`dacapo trust\` to use its commands.`
  })
})

const joinArgs = (args: ReadonlyArray<string>): string | undefined => args.length === 0 ? undefined : args.join(" ")
