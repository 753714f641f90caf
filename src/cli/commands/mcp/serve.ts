/** `dacapo mcp serve`: serves dacapo's tools over MCP, on standard input and output, a Unix socket, or a port with a token. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { join } from "node:path"
import * as Session from "../../../domain/session/Session.ts"
import type { RunTask } from "../../../layers/mcp/server/ServeTools.ts"
import { Agent } from "../../../services/Agent.ts"
import { Environment } from "../../../services/Environment.ts"
import { sha256 } from "../../../layers/storage/Digest.ts"
import { SettingsSnapshot } from "../../../services/Settings.ts"
import * as IdsLive from "../../../layers/settings/IdsLive.ts"
import { Ids } from "../../../services/Ids.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Values } from "../../args/Flags.ts"
import type { Action } from "./Action.ts"
import { Host } from "../../process/Host.ts"
import * as UnattendedApprover from "../../headless/UnattendedApprover.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"
import * as SessionOptions from "../../start/SessionOptions.ts"
import * as TokenFile from "../../start/TokenFile.ts"

/** Tasks by the agent, with the options of a headless run; without a model there are none. */
const taskRunner = Effect.fnUntraced(
  function*(
    values: Values,
    environment: Environment["Service"],
    start: SessionOptions.Start
  ): Effect.fn.Return<RunTask | undefined, never, Agent> {
    const options = yield* Effect.option(SessionOptions.resolve(values, "headless", environment, start))
    if (Option.isNone(options)) return undefined
    const { runTask } = yield* Effect.promise(() => import("../../../layers/control/RunTask.ts"))
    const agent = yield* Agent
    return (prompt, onTurn) => Effect.provideService(runTask(prompt, options.value, onTurn), Agent, agent)
  }
)

export const run: Action = Effect.fnUntraced(function*({ cwd, values, args }) {
  if (args.length > 0) return yield* new UsageError({ message: "`dacapo mcp serve` takes no arguments; use -C to name the folder." })
  if (values.tokenFile !== undefined && values.port === undefined) return yield* new UsageError({ message: "--token-file needs --port." })
  if (values.socket === true && values.port !== undefined) {
    return yield* new UsageError({ message: "Use either --socket or --port, not both." })
  }
  const { environment, stderr } = yield* Host
  const work = Effect.gen(function*() {
    const { factory } = yield* Effect.promise(() => import("../../../layers/mcp/server/ServeTools.ts"))
    const Serving = yield* Effect.promise(() => import("../../../layers/mcp/server/ServeMcp.ts"))
    const { folders } = yield* Environment
    const start = { cwd, settings: yield* SettingsSnapshot }
    const options = yield* SessionOptions.resolve({ model: "scripted/none", ...values }, "headless", environment, start)
    const { mode = "default", rules = Session.empty.settings.rules } = options
    const ids = yield* Ids
    const settings = { ...Session.empty.settings, mode, rules }
    const session: Session.Session = { ...Session.empty, id: yield* ids.session, cwd, home: folders.home, settings }
    const make = yield* factory(session, (call, access, { offer, reason, risk }) => ({
      question: `Allow ${access.length === 0 ? call.name : access.map(View.describeAccess).join(", ")}? (${reason}; risk: ${risk})`,
      refusal: UnattendedApprover.refusal({ call, access, offer, reason, risk, action: "" }, "deny")
    }), yield* taskRunner(values, environment, start))
    const print = (...lines: ReadonlyArray<string>) => Effect.ignore(stderr.write(lines.map((line) => `${View.line(line)}\n`).join("")))
    const servingAt = (address: string) => `dacapo: Serving tools for ${cwd} at ${address}. Press Ctrl-C to stop.`
    if (values.socket === true) {
      const { at: socketFile } = yield* Effect.promise(() => import("../../../layers/mcp/SocketFile.ts"))
      const file = yield* socketFile(join(folders.state, "mcp"), `${sha256(cwd).slice(0, 12)}.sock`)
      yield* Serving.socket(make, file)
      yield* print(servingAt(`${file} (${Serving.path})`))
    } else if (values.port !== undefined) {
      const { token, url } = yield* Serving.http(make, values.port)
      yield* values.tokenFile === undefined
        ? print(servingAt(url), `Authorization: Bearer ${token}`)
        : Effect.andThen(
          TokenFile.write(cwd, values.tokenFile, token),
          print(servingAt(url), `The token is in ${values.tokenFile}.`)
        )
    } else {
      yield* Serving.stdio(make)
      return 0
    }
    return yield* Effect.never
  })
  return yield* Effect.scoped(work).pipe(Effect.provide(Layer.merge(IdsLive.layer, yield* UnattendedAgent.unattendedLayer(cwd))))
})
