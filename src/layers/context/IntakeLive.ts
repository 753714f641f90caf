/** Processes user input: custom slash commands are expanded, mentions are read concurrently, overlong text is stored as a blob. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import * as Prompt from "../../domain/mcp/Prompt.ts"
import * as SlashCommand from "../../domain/message/SlashCommand.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { activeModel, type Session } from "../../domain/session/Session.ts"
import * as Access from "../../domain/tool/Access.ts"
import { Approval } from "../../services/Approval.ts"
import { Approver } from "../../services/Approver.ts"
import { Environment } from "../../services/Environment.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { Intake } from "../../services/Intake.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Shell } from "../../services/Shell.ts"
import { Trust } from "../../services/Trust.ts"
import { Web } from "../../services/Web.ts"
import { Workspace } from "../../services/Workspace.ts"
import { ofJson } from "../storage/Digest.ts"
import * as ReadAccess from "../approval/ReadAccess.ts"
import { resolveLookups } from "../tool/ResolveLookups.ts"
import * as CommandFiles from "./CommandFiles.ts"
import type { MentionContext } from "./MentionPart.ts"
import * as ReadMention from "./ReadMention.ts"
import type { SmallFiles } from "./sources/SmallFile.ts"

/** The number of mentions read concurrently. */
const concurrency = 8

type Services = Approval | Approver | Environment | Shell | SmallFiles | Trust | Web | Workspace

export const layer: Layer.Layer<Intake, never, Services> = Layer.effect(
  Intake,
  Effect.gen(function*() {
    const services = yield* Effect.context<Services>()
    return Intake.of({
      commands: (cwd) =>
        Effect.gen(function*() {
          const plugins = yield* Plugins
          return [
            ...yield* CommandFiles.all(cwd),
            ...(yield* plugins.commands(cwd)).map((command) => ({ ...command, body: "" }))
          ]
        }).pipe(Effect.provide(services)),
      read: (at, text) => Effect.provide(read(at, text), services)
    })
  })
)

const read = Effect.fn("Intake.read")(function*(context: MentionContext, input: string) {
  const { mentionText, notice, text } = yield* expand(context.session, input).pipe(
    ReadAccess.withReadPolicy(context.session, "read_file", () => ReadAccess.unattended)
  )
  const long = text.length > UserMessage.maxTextCharacters(activeModel(context.session).model)
  const mentions = Mention.find(mentionText.slice(0, UserMessage.limits.text)).slice(0, Mention.maxMentions)
  // A file that the user mentions has the user's consent; the text of a command file, or of a commit, may be someone else's.
  const userMentions = new Set(Mention.find(input).map(Mention.mentionText))
  const grantFor = (mention: Mention.Mention) =>
    mention._tag === "file" && userMentions.has(Mention.mentionText(mention)) ? ReadAccess.ofUser : ReadAccess.unattended
  const parts = yield* Effect.forEach(
    mentions,
    (mention) => ReadMention.read(mention, context).pipe(ReadAccess.withReadPolicy(context.session, "read_file", () => grantFor(mention))),
    { concurrency }
  )
  return {
    text: long ? UserMessage.excerpt(text, yield* context.putBlob(new TextEncoder().encode(text))) : text,
    parts: [
      ...(notice === undefined ? [] : [{ _tag: "Text" as const, text: notice, origin: "notice" as const }]),
      ...parts.filter((part): part is Content => part !== undefined)
    ]
  }
})

/** A text as the model gets it, and the part of it that the user wrote: text from a command or a server mentions nothing. */
interface ExpandedInput {
  readonly text: string
  readonly mentionText: string
  /** Why its command could not be used. */
  readonly notice?: string
}

/** `/name rest` as the prompt in its file; any other text unchanged. */
const expand = Effect.fnUntraced(function*(session: Session, input: string): Effect.fn.Return<ExpandedInput, never, Services> {
  const unchanged = { text: input, mentionText: input }
  const invocation = SlashCommand.parseCall(input)
  if (invocation === undefined) return unchanged
  const command = yield* CommandFiles.find(session.cwd, invocation.name)
  if (command === undefined) {
    const prompt = (yield* (yield* Plugins).command(session.cwd, invocation.name, invocation.rest)) ??
      (yield* serverPrompt(session, invocation))
    return prompt === undefined ? unchanged : { text: prompt, mentionText: invocation.rest }
  }
  if (Result.isFailure(command)) {
    const { file, why } = command.failure
    return { ...unchanged, notice: `[/${invocation.name} was not expanded: ${PathName.relativePath(session.cwd, file)}: ${why}.]` }
  }
  const pieces = SlashCommand.expand(command.success, invocation.rest)
  // Asked one after the other: a person answers one question at a time.
  const texts = yield* Effect.forEach(
    pieces,
    (piece) => "command" in piece ? runCommand(session, piece.command) : Effect.succeed(piece.text)
  )
  return { text: texts.join(""), mentionText: pieces.map((piece) => "command" in piece ? " " : piece.text).join("") }
})

/** `/mcp__server__prompt rest` as the server expands it; the server is started if permitted. */
const serverPrompt = Effect.fnUntraced(function*(session: Session, { name, rest }: { readonly name: string; readonly rest: string }) {
  if (!name.startsWith("mcp__")) return undefined
  const mcp = yield* Mcp
  yield* mcp.refresh(session)
  return yield* mcp.prompt(session.cwd, session.id, name, (prompt) => Prompt.promptArguments(prompt, SlashCommand.splitArguments(rest)))
})

/** The output of a command in a prompt, if the rules or the user let it run. */
const runCommand = Effect.fnUntraced(function*(session: Session, command: string) {
  const approval = yield* Approval
  const shell = yield* Shell
  const commandAccess = { ...Access.command(command, session.cwd), ...(yield* shell.inspect(command, session.cwd)) }
  const access = [yield* resolveLookups(yield* Workspace)(commandAccess, session)]
  const verdict = approval.judge({ name: "run_command", kind: "command", tags: ["command"], access, requestsApproval: false }, session)
  const call = { _tag: "ToolCall" as const, id: "", name: "run_command", params: { command } }
  const { action, ...question } = {
    session: session.id,
    call,
    action: ofJson(["run_command", { command }, access]),
    access,
    risk: verdict.risk,
    reason: verdict.reason,
    offer: []
  }
  const decision = verdict.decision === "ask" ? (yield* (yield* Approver).ask({ ...question, action })).decision : verdict.decision
  if (decision === "deny") return `[\`${command}\` was not run: ${verdict.reason}]`
  return yield* shell.run({
    command,
    cwd: session.cwd,
    reads: verdict.decision === "allow" && verdict.rule === undefined,
    timeoutMs: 60_000,
    maxOutputCharacters: 20_000,
    onOutput: () => {}
  }).pipe(
    Effect.map(({ code, output }) => code === 0 ? output.trimEnd() : `${output.trimEnd()}\n[\`${command}\` ended with exit code ${code}]`),
    Effect.catch(({ message }) => Effect.succeed(`[\`${command}\` could not run: ${message}]`))
  )
})
