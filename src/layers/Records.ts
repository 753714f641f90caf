/** Stored data and settings, without an agent: everything needed to inspect them. */
import * as Composition from "./Composition.ts"
import * as PluginsLive from "./extension/PluginsLive.ts"
import * as CrashReportsLive from "./settings/CrashReportsLive.ts"
import * as EnvironmentLive from "./settings/EnvironmentLive.ts"
import * as IdsLive from "./settings/IdsLive.ts"
import * as KeysLive from "./settings/KeysLive.ts"
import * as RedactorLive from "./settings/RedactorLive.ts"
import * as JsonFilesLive from "./settings/JsonFilesLive.ts"
import * as SettingsLive from "./settings/SettingsLive.ts"
import * as TrustLive from "./settings/TrustLive.ts"
import * as EventLogLive from "./storage/EventLogLive.ts"
import * as StorageLive from "./storage/StorageLive.ts"

export const parts = {
  crashReports: CrashReportsLive.layer,
  environment: EnvironmentLive.layer,
  eventLog: EventLogLive.layer,
  ids: IdsLive.layer,
  jsonFiles: JsonFilesLive.layer,
  keys: KeysLive.layer,
  plugins: PluginsLive.layer,
  redactor: RedactorLive.layer,
  settings: SettingsLive.layer,
  storage: StorageLive.layer,
  trust: TrustLive.layer
} satisfies Partial<Composition.Parts>

export const layer = Composition.layer(parts)
