/** What slash commands work with: the conversation, its folder and screen, and the commands of the command line. */
import * as Effect from "effect/Effect"
import type { Command, Run } from "../../Command.ts"
import { InputError, type UsageError } from "../../process/CliError.ts"
import type { AgentServices } from "../../process/AgentLayers.ts"
import type { Failure } from "../../process/ExitCode.ts"
import type { Conversation } from "../Conversation.ts"
import type { LendTerminal } from "../DrawLoop.ts"
import type { ScreenStore } from "../ScreenStore.ts"

export interface SlashContext {
  readonly commands: ReadonlyArray<Command>
  readonly conversation: Conversation
  readonly cwd: string
  /** The session runs on a server (`--attach`). */
  readonly isRemote: boolean
  readonly isScreenReader: boolean
  readonly store: ScreenStore
  readonly lendTerminal: LendTerminal
  /** Sends a message as if the user had typed it. */
  readonly say: (text: string) => Effect.Effect<void, Failure>
  /** Lets the user choose a running or finished command, and shows its output. */
  readonly chooseCommand: Effect.Effect<void>
}

/** The services of slash commands: those of the agent, and of commands of the command line. */
export type SlashServices = AgentServices | Effect.Services<ReturnType<Run>>

export type SlashHandler = (context: SlashContext, args: string) => Effect.Effect<void, Failure | UsageError, SlashServices>

/** Fails where the session runs on a server, which has its own. */
export const requireLocal = ({ isRemote }: SlashContext, what: "keys" | "settings"): Effect.Effect<void, InputError> =>
  isRemote ? Effect.fail(new InputError({ message: `This session runs on a server. Change its ${what} there.` })) : Effect.void

/** The session of the conversation; fails before the first message. */
export const sessionId = ({ conversation }: SlashContext): Effect.Effect<string, InputError> =>
  Effect.suspend(() => {
    const id = conversation.id()
    return id === undefined ? Effect.fail(new InputError({ message: "This session has no messages yet." })) : Effect.succeed(id)
  })
