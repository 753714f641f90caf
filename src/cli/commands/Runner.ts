/** `dacapo runner`: runs the sessions that a cluster gives to this process, until it is stopped. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { stat } from "node:fs/promises"
import { resolve, join } from "node:path"
import { SandboxError } from "../../domain/tool/Sandbox.ts"
import { SessionHost } from "../../services/cluster/SessionHost.ts"
import type { Run } from "../Command.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

const isFolder = (path: string) => Effect.promise(() => stat(path).then((entry) => entry.isDirectory(), () => false))

/** How long a session without messages stays open: its next one finds it in memory. */
const idle = "1 minute"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { cwd, environment, stderr } = yield* Host
  const [ClusterLive, ClusterStore, PruneMessages, RunnerSessions, SecretFolder, SessionEntityLive, { probe }] = yield* Effect.promise(() =>
    Promise.all([
      import("../../layers/cluster/ClusterLive.ts"),
      import("../cluster/ClusterStore.ts"),
      import("../../layers/cluster/PruneMessages.ts"),
      import("../cluster/RunnerSessions.ts"),
      import("../../layers/settings/SecretFolder.ts"),
      import("../../layers/cluster/SessionEntityLive.ts"),
      import("../../layers/workspace/shell/SandboxedShell.ts")
    ])
  )
  const address = (flag: string, text: string) => {
    const parsed = ClusterLive.parseAddress(text)
    return parsed === undefined
      ? Effect.fail(new UsageError({ message: `"${text}" is not a valid address for ${flag}; expected host:port.` }))
      : Effect.succeed(parsed)
  }
  if (values.listen === undefined) return yield* new UsageError({ message: "A runner needs an address: --listen host:port." })
  const listen = yield* address("--listen", values.listen)
  const advertised = values.advertise === undefined ? listen : yield* address("--advertise", values.advertise)
  if (values.sandbox !== "danger-full-access") {
    const mode = values.sandbox ?? "workspace-write"
    yield* Effect.mapError(probe(environment), (message) => new SandboxError({ mode, message }))
  }
  const { prefix, services, title } = yield* ClusterStore.open({ address: advertised, listen })
  const workspaces = values.workspaces === undefined ? join(environment.folders.data, "workspaces") : resolve(cwd, values.workspaces)
  const secrets = values.secrets === undefined ? undefined : resolve(cwd, values.secrets)
  if (secrets !== undefined && !(yield* isFolder(secrets))) {
    return yield* new InputError({ message: `${secrets} is not a folder. Create it, with a folder for each tenant, or name another one.` })
  }
  const host = yield* RunnerSessions.make(values, workspaces, secrets === undefined ? [] : [secrets]).pipe(
    Effect.provide(secrets === undefined ? Layer.empty : SecretFolder.layer(secrets)),
    Effect.provide(services)
  )
  const entities = Layer.provide(SessionEntityLive.layer(idle), Layer.succeed(SessionHost, host))
  yield* Layer.build(Layer.provide(Layer.mergeAll(entities, PruneMessages.layer(prefix, "1 hour")), Layer.succeedContext(services)))
  yield* Effect.ignore(
    stderr.write(`dacapo: Running sessions of ${title} at ${advertised.host}:${advertised.port}. Press Ctrl-C to stop.\n`)
  )
  return yield* Effect.never
}, Effect.scoped)
