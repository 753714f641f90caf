/** The files and terminals of an ACP client, as far as it offers them, for one session. */
import type {
  AgentContext,
  ClientCapabilities,
  CreateTerminalResponse,
  TerminalOutputResponse,
  WaitForTerminalExitResponse
} from "@agentclientprotocol/sdk"
import { methods, RequestError } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { type EditorCommand, type EditorConnection, EditorError, type EditorTerminal } from "../../services/extension/Editor.ts"

/** Bytes of a terminal's output that the client keeps for us. */
const outputByteLimit = 1024 * 1024

/** `sessionId` is the session that the client knows; `show` puts a terminal into a tool call before its command runs. */
export interface Options {
  readonly capabilities: ClientCapabilities
  readonly sessionId: () => string
  readonly show: (call: string, terminalId: string) => Effect.Effect<void>
}

export const make = (client: AgentContext, options: Options): EditorConnection => {
  const { capabilities: { fs, terminal }, sessionId } = options
  return {
    ...(fs?.readTextFile === true
      ? {
        readText: (path) =>
          attempt((signal) =>
            client.request(methods.client.fs.readTextFile, { sessionId: sessionId(), path }, { cancellationSignal: signal })
          ).pipe(Effect.map(({ content }) => content))
      }
      : {}),
    ...(fs?.writeTextFile === true
      ? {
        writeText: (path, content) =>
          Effect.asVoid(attempt(() => client.request(methods.client.fs.writeTextFile, { sessionId: sessionId(), path, content })))
      }
      : {}),
    ...(terminal === true ? { openTerminal: (command) => openTerminal(client, options, command) } : {})
  }
}

const openTerminal = Effect.fnUntraced(function*(client: AgentContext, { sessionId: knownId, show }: Options, command: EditorCommand) {
  const { args, call, cwd, env, program } = command
  const sessionId = knownId()
  // The calls of a subagent are not shown to the client.
  if (command.session !== sessionId) return yield* new EditorError({ message: "the client does not know this session" })
  const { create, kill, output, release, waitForExit } = methods.client.terminal
  const request = {
    sessionId,
    command: program,
    args: [...args],
    cwd,
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    outputByteLimit
  }
  const { terminalId } = yield* Effect.acquireRelease(
    attempt<CreateTerminalResponse>(() => client.request(create, request)),
    ({ terminalId }) => Effect.ignore(attempt(() => client.request(release, { sessionId, terminalId })))
  )
  const params = { sessionId, terminalId }
  yield* show(call, terminalId)
  return {
    output: Effect.map(
      attempt<TerminalOutputResponse>(() => client.request(output, params)),
      ({ output, truncated }) => ({ text: output, isCut: truncated })
    ),
    exit: Effect.map(
      attempt<WaitForTerminalExitResponse>((signal) => client.request(waitForExit, params, { cancellationSignal: signal })),
      ({ exitCode, signal }) => ({ code: exitCode ?? null, signal: signal ?? null })
    ),
    kill: Effect.ignore(attempt(() => client.request(kill, params)))
  } satisfies EditorTerminal as EditorTerminal
})

const attempt = <A>(request: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, EditorError> =>
  Effect.tryPromise({
    try: request,
    catch: (cause) => new EditorError({ message: cause instanceof RequestError ? cause.message : String(cause) })
  })
