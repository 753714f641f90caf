/**
 * One language server over its standard input and output: LSP 3.17
 * (https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/), as far as diagnostics need it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { pathToFileURL } from "node:url"
import { createMessageConnection, type MessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node"
import { LanguageServerError } from "../../domain/diagnostics/LanguageServers.ts"
import type { Problem } from "../../domain/diagnostics/Problem.ts"
import * as Reader from "../../domain/provider/Reader.ts"
import * as ProcessTree from "../workspace/shell/ProcessTree.ts"

/** `argv` is what is started, sandbox included; `marker` names the process and what it starts. */
export interface Options {
  readonly name: string
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly marker: string
  readonly cwd: string
  readonly options?: Schema.Json
}

/**
 * ms: to be ready, for the problems of a file, of silence after which they are complete, to exit. A server that checks a project for the
 * first time takes longer than it does later.
 */
const limits = { startMs: 30_000, firstMs: 20_000, nextMs: 6_000, quietMs: 400, exitMs: 1_000 }

/** Problems of a file that are used, and characters of a message. */
const maxima = { problems: 500, characters: 1_000, stderr: 2_000 }

export interface LanguageServer {
  /** The problems of a file with this text; `path` is absolute. */
  readonly problems: (
    path: string,
    language: string,
    text: string
  ) => Effect.Effect<ReadonlyArray<Omit<Problem, "path">>, LanguageServerError>
  readonly hasEnded: () => boolean
}

interface OpenFile {
  version: number
  readonly published: Queue.Queue<ReadonlyArray<Omit<Problem, "path">>>
  isFirst: boolean
}

/** Open until the scope closes; then no process of it is left. */
export const open = Effect.fn("LanguageServer.open")(function*({ argv, cwd, env, marker, name, options }: Options) {
  const [program = "", ...args] = argv
  let stderr = ""
  let ended = false
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, args, { cwd, env: { ...env, [ProcessTree.variable]: marker }, stdio: "pipe", detached: true })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(-maxima.stderr)
      })
      child.on("exit", () => {
        ended = true
      }).on("error", (error) => {
        ended = true
        stderr = error.message
      })
      return child
    }),
    ({ pid }) => pid === undefined ? Effect.void : ProcessTree.stop({ leader: pid, marker }, limits.exitMs)
  )
  const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin))
  // What it sends after its end, or what does not follow the protocol, concerns nobody.
  connection.onError(() => {})
  child.stdin.on("error", () => {})
  const failed = (what: string) => {
    const last = stderr.trim().split("\n").at(-1)?.trim() ?? ""
    return new LanguageServerError({ message: `The language server ${name} ${what}.${last === "" ? "" : ` It says: ${last}`}` })
  }
  const request = (method: string, params: object, timeoutMs: number): Effect.Effect<unknown, LanguageServerError> =>
    Effect.tryPromise({
      try: () => Promise.race([connection.sendRequest<unknown>(method, params), endOf(connection, child)]),
      catch: (cause) => failed(ended || cause instanceof Ended ? "ended" : `refused ${method}: ${(cause as Error).message}`)
    }).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(failed(`did not answer ${method} in time`)) }))
  const notify = (method: string, params: object) =>
    Effect.tryPromise({ try: () => connection.sendNotification(method, params), catch: () => failed("ended") })

  const files = new Map<string, OpenFile>()
  connection.onNotification("textDocument/publishDiagnostics", (params: unknown) => {
    const { diagnostics = [], uri = "", version } = published(params) ?? {}
    const file = files.get(uri)
    // Problems of an earlier text, or of a file that nobody asked about.
    if (file === undefined || version !== undefined && version < file.version) return
    Queue.offerUnsafe(file.published, diagnostics.slice(0, maxima.problems).map(toProblem))
  })
  connection.onRequest(
    "workspace/configuration",
    (params: unknown) => (Reader.list(Reader.fields)(Reader.fields(params)?.["items"]) ?? []).map(() => null)
  )
  connection.onRequest("workspace/workspaceFolders", () => [folder])
  connection.onRequest("client/registerCapability", () => null)
  connection.onRequest("client/unregisterCapability", () => null)
  connection.onRequest("window/workDoneProgress/create", () => null)
  connection.onRequest("window/showMessageRequest", () => null)
  connection.onRequest("workspace/applyEdit", () => ({ applied: false }))
  connection.listen()

  const rootUri = pathToFileURL(cwd).href
  const folder = { uri: rootUri, name: cwd.slice(cwd.lastIndexOf("/") + 1) }
  const response = yield* request("initialize", {
    processId: ProcessTree.self,
    rootUri,
    rootPath: cwd,
    workspaceFolders: [folder],
    capabilities: {
      textDocument: {
        synchronization: {},
        publishDiagnostics: { relatedInformation: false, versionSupport: true },
        diagnostic: { dynamicRegistration: false }
      },
      workspace: { configuration: true, workspaceFolders: true }
    },
    ...(options === undefined ? {} : { initializationOptions: options })
  }, limits.startMs)
  yield* notify("initialized", {})
  const canPull = Reader.fields(Reader.fields(Reader.fields(response)?.["capabilities"])?.["diagnosticProvider"]) !== undefined
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(Effect.andThen(request("shutdown", {}, limits.exitMs), notify("exit", {})), limits.exitMs)).pipe(
      Effect.andThen(Effect.sync(() => connection.dispose()))
    )
  )

  /** Everything that is published until it stays quiet: servers report syntax and types one after the other. */
  const untilQuiet = Effect.fnUntraced(function*(file: OpenFile) {
    const first = yield* Effect.timeoutOption(Queue.take(file.published), file.isFirst ? limits.firstMs : limits.nextMs)
    if (first._tag === "None") return yield* failed("reported nothing about the file in time")
    let last = first.value
    for (;;) {
      const next = yield* Effect.timeoutOption(Queue.take(file.published), limits.quietMs)
      if (next._tag === "None") return last
      last = next.value
    }
  })

  const problems: LanguageServer["problems"] = Effect.fn("LanguageServer.problems")(
    function*(path, language, text) {
      const uri = pathToFileURL(path).href
      const openFile = files.get(uri)
      const file: OpenFile = openFile ??
        { version: 0, published: yield* Queue.unbounded<ReadonlyArray<Omit<Problem, "path">>>(), isFirst: true }
      files.set(uri, file)
      file.version++
      yield* Queue.clear(file.published)
      yield* openFile === undefined
        ? notify("textDocument/didOpen", { textDocument: { uri, languageId: language, version: file.version, text } })
        : notify("textDocument/didChange", { textDocument: { uri, version: file.version }, contentChanges: [{ text }] })
      if (canPull) {
        const report = Reader.fields(
          yield* request("textDocument/diagnostic", { textDocument: { uri } }, file.isFirst ? limits.firstMs : limits.nextMs)
        )
        file.isFirst = false
        return (Reader.list(diagnostic)(report?.["items"]) ?? []).slice(0, maxima.problems).map(toProblem)
      }
      const result = yield* untilQuiet(file)
      file.isFirst = false
      // What else imports it is checked against the file on disk, and against this text.
      yield* notify("textDocument/didSave", { textDocument: { uri }, text })
      return result
    },
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.fail(Cause.squash(cause) as LanguageServerError)
    )
  )

  return { problems, hasEnded: () => ended } satisfies LanguageServer as LanguageServer
})

/** The connection or the process ended. */
class Ended extends Error {}

/** Rejected when the connection or the process ends: a request to it is never answered. */
const endOf = (connection: MessageConnection, child: ReturnType<typeof spawn>): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(new Ended())
    connection.onClose(end)
    child.once("exit", end).once("error", end)
  })

const position = Reader.record({ line: Reader.index, character: Reader.index })
const diagnostic = Reader.record({
  range: Reader.record({ start: position }),
  severity: Reader.index,
  message: Reader.text,
  source: Reader.text,
  code: Reader.text
})
const published = Reader.record({ uri: Reader.text, version: Reader.index, diagnostics: Reader.list(diagnostic) })

const severities: ReadonlyArray<Problem["severity"]> = ["error", "warning", "information", "hint"]

const toProblem = ({ code, message = "", range, severity = 1, source }: Reader.Value<typeof diagnostic>): Omit<Problem, "path"> => {
  const label = [source, code].filter((part) => part !== undefined).join(" ")
  return {
    line: (range?.start?.line ?? 0) + 1,
    column: (range?.start?.character ?? 0) + 1,
    severity: severities[severity - 1] ?? "error",
    message: message.slice(0, maxima.characters),
    ...(label === "" ? {} : { source: label })
  }
}
