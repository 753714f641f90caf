/** Stored data and settings, without an agent: everything needed to inspect them. */
import * as Layer from "effect/Layer"
import type { Environment } from "../services/Environment.ts"
import type { Storage } from "../services/Storage.ts"
import * as EnvironmentLive from "./settings/EnvironmentLive.ts"
import * as IdsLive from "./settings/IdsLive.ts"
import * as KeysLive from "./settings/KeysLive.ts"
import * as RedactorLive from "./settings/RedactorLive.ts"
import * as JsonFilesLive from "./settings/JsonFilesLive.ts"
import * as SettingsLive from "./settings/SettingsLive.ts"
import * as TrustLive from "./settings/TrustLive.ts"
import * as EventLogLive from "./storage/EventLogLive.ts"
import * as Sqlite from "./storage/sqlite/Sqlite.ts"

/** With sessions in this storage. */
export const layerWith = <E>(storage: Layer.Layer<Storage, E, Environment>) =>
  Layer.mergeAll(EventLogLive.layer, SettingsLive.layer, KeysLive.layer, IdsLive.layer, RedactorLive.layer).pipe(
    Layer.provideMerge(TrustLive.layer),
    Layer.provideMerge(Layer.merge(JsonFilesLive.layer, storage)),
    Layer.provideMerge(EnvironmentLive.layer)
  )

export const layer = layerWith(Sqlite.layer)
