/** Entry point of the bundled command line: connects the live services and runs the program. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as EnvironmentLive from "../layers/settings/EnvironmentLive.ts"
import * as RedactorLive from "../layers/settings/RedactorLive.ts"
import * as HostLive from "./process/HostLive.ts"
import * as Program from "./Program.ts"
import * as RunMain from "./process/RunMain.ts"
import * as AgentLayersLive from "./process/AgentLayersLive.ts"

const services = Layer.merge(
  Layer.provide(Layer.merge(HostLive.layer(RunMain), RedactorLive.layer), EnvironmentLive.layer),
  AgentLayersLive.layer
)

RunMain.runMain(Effect.provide(Program.main, services))
