/** Stored data and settings, without an agent: everything needed to inspect them. Loaded when it is built. */
import * as Composition from "./Composition.ts"
import * as EnvironmentLive from "./settings/EnvironmentLive.ts"
import * as IdsLive from "./settings/IdsLive.ts"

export const parts = {
  crashReports: Composition.lazy(() => import("./settings/CrashReportsLive.ts").then(({ layer }) => layer)),
  environment: EnvironmentLive.layer,
  eventLog: Composition.lazy(() => import("./storage/EventLogLive.ts").then(({ layer }) => layer)),
  ids: IdsLive.layer,
  jsonFiles: Composition.lazy(() => import("./settings/JsonFilesLive.ts").then(({ layer }) => layer)),
  keys: Composition.lazy(() => import("./settings/KeysLive.ts").then(({ layer }) => layer)),
  plugins: Composition.lazy(() => import("./extension/PluginsLive.ts").then(({ layer }) => layer)),
  redactor: Composition.lazy(() => import("./settings/RedactorLive.ts").then(({ layer }) => layer)),
  settings: Composition.lazy(() => import("./settings/SettingsLive.ts").then(({ layer }) => layer)),
  storage: Composition.lazy(() => import("./storage/StorageLive.ts").then(({ layer }) => layer)),
  trust: Composition.lazy(() => import("./settings/TrustLive.ts").then(({ layer }) => layer))
} satisfies Partial<Composition.Parts>

export const layer = Composition.layer(parts)
