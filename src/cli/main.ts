/** The entry of the bundled command: reads the command line, loads the one command that is meant, tells how it ended. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as EnvironmentLive from "../layers/settings/EnvironmentLive.ts"
import * as RedactorLive from "../layers/settings/RedactorLive.ts"
import * as HostLive from "./process/HostLive.ts"
import * as Program from "./Program.ts"
import * as RunMain from "./process/RunMain.ts"
import * as WiringLive from "./process/AgentLayersLive.ts"

const services = Layer.merge(Layer.provide(Layer.merge(HostLive.layer(RunMain), RedactorLive.layer), EnvironmentLive.layer), WiringLive.layer)

RunMain.runMain(Effect.provide(Program.main, services))
