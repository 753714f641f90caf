/**
 * The session store that the user chose: with `--storage`, DACAPO_STORAGE or `storage` in the user's own settings, a PostgreSQL
 * database; otherwise SQLite in the user's data folder. A project's settings have no say in where sessions go.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { JsonFiles } from "../../services/JsonFiles.ts"
import { StorageAddress } from "../../services/Storage.ts"
import * as Sqlite from "./sqlite/Sqlite.ts"

const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//.test(address)

/** The user's own settings file. */
const userSetting = Effect.gen(function*() {
  const { folders } = yield* Environment
  const where = join(folders.config, "config.jsonc")
  const value = yield* (yield* (yield* JsonFiles).at(where)).value
  const address = typeof value === "object" && value !== null && "storage" in value ? value["storage"] : undefined
  return typeof address === "string" ? { address, where } : undefined
})

const choice = Effect.gen(function*() {
  const flag = yield* StorageAddress
  if (flag !== undefined) return { address: flag, where: "--storage" }
  const { variables } = yield* Environment
  const variable = variables["DACAPO_STORAGE"]
  return variable === undefined || variable === "" ? yield* userSetting : { address: variable, where: "DACAPO_STORAGE" }
})

/** The address of the database that was chosen; undefined for the default store. */
export const address = Effect.gen(function*() {
  const chosen = yield* choice
  if (chosen === undefined || isPostgres(chosen.address)) return chosen?.address
  return yield* new SettingsError({
    where: chosen.where,
    message: "the session store must be an address like postgres://user@host:5432/database"
  })
})

export const layer = Layer.unwrap(Effect.gen(function*() {
  const { folders } = yield* Environment
  const database = yield* address
  if (database === undefined) return Sqlite.layerIn(folders.data)
  const Postgres = yield* Effect.promise(() => import("./postgres/Postgres.ts"))
  return Postgres.layerAt(database)
}))
