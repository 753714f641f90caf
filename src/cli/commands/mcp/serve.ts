/** `dacapo mcp serve`: our tools for other programs, over standard input and output, or with --port over HTTP on this machine. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Session from "../../../domain/session/Session.ts"
import { Environment } from "../../../services/Environment.ts"
import * as IdsLive from "../../../layers/settings/IdsLive.ts"
import { Ids } from "../../../services/Ids.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action } from "../Mcp.ts"
import { Host } from "../../process/Host.ts"
import * as NobodyApprover from "../../headless/UnattendedApprover.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"
import * as Wanted from "../../start/SessionOptions.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, values, words }) {
  if (words.length > 0) return yield* new UsageError({ message: "`dacapo mcp serve` takes no words; -C names the folder." })
  const { environment, stderr } = yield* Host
  const work = Effect.gen(function*() {
    const { factory } = yield* Effect.promise(() => import("../../../layers/mcp/server/ServeTools.ts"))
    const Serving = yield* Effect.promise(() => import("../../../layers/mcp/server/ServeMcp.ts"))
    const { folders } = yield* Environment
    const { mode = "default", rules = Session.empty.settings.rules } = yield* Wanted.whole({ model: "scripted/none", ...values }, "headless", cwd, environment.variables)
    const ids = yield* Ids
    const begun: Session.Session = { ...Session.empty, id: yield* ids.session, cwd, home: folders.home, settings: { ...Session.empty.settings, mode, rules } }
    const make = yield* factory(begun, (call, access, { offer, reason, risk }) => ({
      question: `Allow ${access.length === 0 ? call.name : access.map(View.touch).join(", ")}? (${reason}; risk: ${risk})`,
      refusal: NobodyApprover.refusal({ call, access, offer, reason, risk, action: "" }, "deny")
    }))
    if (values.port === undefined) yield* Serving.stdio(make)
    else {
      const url = yield* Serving.http(make, values.port)
      yield* Effect.ignore(stderr.write(`dacapo: serving its tools for ${View.text(cwd)} at ${url}; Ctrl-C ends it.\n`))
      return yield* Effect.never
    }
    return 0
  })
  return yield* Effect.scoped(work).pipe(Effect.provide(Layer.merge(IdsLive.layer, yield* Runtime.unattended(cwd))))
})
