/** Reads what a user typed: their own commands are written out, mentions are read side by side, what is too long is kept beside the text. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import * as Saying from "../../domain/message/UserMessage.ts"
import * as Prompt from "../../domain/mcp/Prompt.ts"
import * as SlashCommand from "../../domain/message/SlashCommand.ts"
import { speaker, type Session } from "../../domain/session/Session.ts"
import * as Access from "../../domain/tool/Access.ts"
import { Approval } from "../../services/Approval.ts"
import { Approver } from "../../services/Approver.ts"
import { Environment } from "../../services/Environment.ts"
import { Intake } from "../../services/Intake.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Shell } from "../../services/Shell.ts"
import { Trust } from "../../services/Trust.ts"
import { Web } from "../../services/Web.ts"
import { Workspace } from "../../services/Workspace.ts"
import { ofJson } from "../storage/Digest.ts"
import * as CommandFiles from "./CommandFiles.ts"
import type { At } from "./MentionPart.ts"
import * as Mentioned from "./ReadMention.ts"

/** Mentions that are read at once. */
const concurrency = 8

type Needs = Approval | Approver | Environment | FileSystem.FileSystem | Shell | Trust | Web | Workspace

export const layer: Layer.Layer<Intake, never, Needs> = Layer.effect(Intake, Effect.gen(function*() {
  const services = yield* Effect.context<Needs>()
  return Intake.of({
    commands: (cwd) => Effect.provide(CommandFiles.all(cwd), services),
    read: (at, text) => Effect.provide(read(at, text), services)
  })
}))

const read = Effect.fn("Intake.read")(function*(at: At, typed: string) {
  const { text, words } = yield* writtenOut(at.session, typed)
  const long = text.length > Saying.most(speaker(at.session).model)
  const mentions = Mention.find(words.slice(0, Saying.limits.text)).slice(0, Mention.most)
  const parts = yield* Effect.forEach(mentions, (mention) => Mentioned.read(mention, at), { concurrency })
  return {
    text: long ? Saying.excerpt(text, yield* at.putBlob(new TextEncoder().encode(text))) : text,
    parts: parts.filter((part): part is Content => part !== undefined)
  }
})

/** A text as the model gets it, and the words in it that the user wrote: what a command or a server says names nothing. */
interface Written {
  readonly text: string
  readonly words: string
}

/** `/name rest` as the prompt that its file holds; any other text as it is. */
const writtenOut = Effect.fnUntraced(function*(session: Session, typed: string): Effect.fn.Return<Written, never, Needs> {
  const asTyped = { text: typed, words: typed }
  const called = SlashCommand.called(typed)
  if (called === undefined) return asTyped
  const command = yield* CommandFiles.find(session.cwd, called.name)
  if (command === undefined) {
    const prompt = yield* ofServer(session, called)
    return prompt === undefined ? asTyped : { text: prompt, words: called.rest }
  }
  const pieces = SlashCommand.expand(command, called.rest)
  // Asked one after the other: a person answers one question at a time.
  const said = yield* Effect.forEach(pieces, (piece) => "command" in piece ? ran(session, piece.command) : Effect.succeed(piece.text))
  return { text: said.join(""), words: pieces.map((piece) => "command" in piece ? " " : piece.text).join("") }
})

/** `/mcp__server__prompt rest` as the server writes it out; the server is started where it may. */
const ofServer = Effect.fnUntraced(function*(session: Session, { name, rest }: { readonly name: string; readonly rest: string }) {
  if (!name.startsWith("mcp__")) return undefined
  const mcp = yield* Mcp
  yield* mcp.renewed(session)
  return yield* mcp.prompt(session.cwd, session.id, name, (prompt) => Prompt.given(prompt, SlashCommand.words(rest)))
})

/** What a command in a prompt says, if the rules or the user let it run. */
const ran = Effect.fnUntraced(function*(session: Session, command: string) {
  const approval = yield* Approval
  const access = [Access.command(command, session.cwd)]
  const verdict = approval.judge({ name: "run_command", kind: "command", tags: ["command"], access, asks: false }, session)
  const call = { _tag: "ToolCall" as const, id: "", name: "run_command", params: { command } }
  const { action, ...question } = { call, action: ofJson(["run_command", { command }, access]), access, risk: verdict.risk, reason: verdict.reason, offer: [] }
  const decision = verdict.decision === "ask" ? (yield* (yield* Approver).ask({ ...question, action })).decision : verdict.decision
  if (decision === "deny") return `[\`${command}\` was not run: ${verdict.reason}]`
  return yield* (yield* Shell).run({ command, cwd: session.cwd, timeoutMs: 60_000, keep: 20_000, onOutput: () => {} }).pipe(
    Effect.map(({ code, output }) => code === 0 ? output.trimEnd() : `${output.trimEnd()}\n[\`${command}\` ended with exit code ${code}]`),
    Effect.catch(({ message }) => Effect.succeed(`[\`${command}\` could not run: ${message}]`))
  )
})
