/** `dacapo demo`: the agent repairs a copy of a small project with a scripted model; then its run is verified. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { existsSync } from "node:fs"
import { cp, mkdtemp, realpath } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Followed } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Shell } from "../../services/Shell.ts"
import { Storage } from "../../services/Storage.ts"
import type { Run } from "../Command.ts"
import { InputError } from "../process/CliError.ts"
import * as ExitCode from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as UnattendedApprover from "../headless/UnattendedApprover.ts"
import * as DiffLines from "../render/text/DiffLines.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as LoadMarkdown from "../render/text/LoadMarkdown.ts"
import * as StatusLine from "../render/text/StatusLine.ts"
import * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

const prompt = "The tests of this project fail. Find out why and fix it."
const tests = "node --test"

/** The pause before each block in a terminal, so that a person can follow; a program does not wait. */
const pace = "700 millis"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const host = yield* Host
  const agentLayers = yield* AgentLayers
  const { folder, script } = yield* unpack
  const theme = Theme.of(values.color ?? "auto", host.stdout.tty, host.environment.variables)
  const renderer = yield* LoadMarkdown.renderer(theme)
  const print = (...lines: ReadonlyArray<string>) => host.stdout.write(`${lines.join("\n")}\n`)
  const work = Effect.gen(function*() {
    yield* print(
      theme.bold("dacapo demo"),
      "The model is scripted: its responses come from a file. Everything else is real: reads, edits,",
      `commands, denied calls and checkpoints, in ${folder}`,
      ""
    )
    const { session, view } = yield* task(
      folder,
      script,
      (view, block) => print(...block(view, renderer)),
      host.stdout.tty ? Effect.sleep(pace) : Effect.void
    )
    yield* print("", theme.bold("What changed"), ...(yield* changedLines(session, theme)))
    yield* print("", theme.bold("Usage"), StatusLine.statusLine(view.status, theme), "")
    const hasPassed = yield* test(folder)
    yield* print(hasPassed ? theme.good(`✓ The project's tests pass (${tests})`) : theme.bad(`✗ The project's tests fail (${tests})`))
    const events = yield* verifyReplay(session)
    yield* print(theme.good(`✓ The session replays exactly: ${events} events, all hashes equal`), "", ...nextSteps(theme))
    return hasPassed ? ExitCode.endings.finished.exit : ExitCode.endings.internal.exit
  })
  return yield* Effect.provide(
    work,
    agentLayers.layer({
      roots: [folder],
      approver: Layer.provide(UnattendedApprover.layer("deny"), Layer.succeed(Host, host))
    })
  )
})

/** A copy of the project in a temporary folder, and the script of the model. */
const unpack = Effect.tryPromise({
  try: async () => {
    const modulePath = fileURLToPath(import.meta.url)
    const demo = ["../../..", "../../../.."].map((up) => join(modulePath, up, "examples", "demo")).find((path) => existsSync(path))
    if (demo === undefined) throw new Error("the folder examples/demo does not exist")
    const folder = await realpath(await mkdtemp(join(tmpdir(), "dacapo-demo-")))
    await cp(join(demo, "project"), folder, { recursive: true })
    return { folder, script: join(demo, "script.json") }
  },
  catch: (error) => new InputError({ message: `The demo can't be set up: ${error instanceof Error ? error.message : String(error)}` })
})

/** Runs the task and prints each block of its view as it settles. */
const task = Effect.fnUntraced(function*<E>(
  folder: string,
  script: string,
  print: (view: View.View, lines: typeof newest) => Effect.Effect<void, E>,
  pause: Effect.Effect<void>
) {
  const agent = yield* Agent
  const session = yield* agent.start({
    cwd: folder,
    model: `scripted/${script}`,
    mode: "acceptEdits",
    rules: { allow: [`Bash(${tests})`], ask: [], deny: ["Bash(rm:*)"] },
    onAsk: "deny"
  })
  let view = View.initial()
  let printed = 0
  const show = (followed: Followed) =>
    Effect.suspend(() => {
      view = View.update(view, followed)
      if (view.blocks.length === printed) return Effect.void
      const from = printed
      printed = view.blocks.length
      return Effect.andThen(pause, print(view, (view, renderer) => newest(view, renderer, from)))
    })
  const isEnd = (followed: Followed) =>
    followed._tag === "Settled" && (followed.at.event._tag === "TaskFinished" || followed.at.event._tag === "TaskFailed")
  const follower = yield* agent.follow(session, 0).pipe(
    Stream.takeUntil(isEnd),
    Stream.runForEach(show),
    Effect.forkChild({ startImmediately: true })
  )
  yield* agent.say(session, prompt)
  yield* Fiber.join(follower)
  yield* agent.settled(session)
  return { session, view }
})

const newest = ({ blocks }: View.View, renderer: BlockLines.Renderer, from = 0): ReadonlyArray<string> =>
  blocks.slice(from).flatMap((block, i) => [
    ...(BlockLines.isSeparated(blocks[from + i - 1], block) ? [""] : []),
    ...BlockLines.blockLines(block, renderer)
  ])

const changedLines = Effect.fnUntraced(function*(session: string, theme: Theme.Theme) {
  const checkpoints = yield* Checkpoints
  const [first] = yield* checkpoints.list(session)
  if (first === undefined) return ["No checkpoint was saved"]
  const { patch } = yield* checkpoints.diff(first.id)
  return DiffLines.lines(View.text(patch.trimEnd()), theme)
})

const test = Effect.fnUntraced(function*(folder: string) {
  const shell = yield* Shell
  const result = shell.run({ command: tests, cwd: folder, timeoutMs: 60_000, maxOutputCharacters: 4_000, onOutput: () => {} })
  return yield* Effect.match(result, { onFailure: () => false, onSuccess: ({ code }) => code === 0 })
})

const verifyReplay = Effect.fnUntraced(function*(session: string) {
  const log = yield* EventLog
  const { getBlob } = yield* Storage
  const { verify } = yield* Effect.promise(() => import("../../layers/replay/Replay.ts"))
  const { events } = yield* verify(yield* log.read(session), { getBlob })
  return events
})

const nextSteps = (theme: Theme.Theme): ReadonlyArray<string> => [
  theme.bold("Try it in your own project"),
  "  export ANTHROPIC_API_KEY=…            # or OPENAI_API_KEY",
  "  dacapo \"make the tests pass\"",
  "With a model of a local server (Ollama, LM Studio, llama.cpp, vLLM), without a key:",
  "  dacapo --model ollama/qwen3-coder \"make the tests pass\""
]
