/**
 * API keys encrypted in `auth.json`, where there is no keyring: AES-256-GCM, with a key that scrypt derives from a passphrase or from the
 * content of a key file. The name of an entry is authenticated with it, so that entries can't be swapped.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto"
import { readFile } from "node:fs/promises"
import { SettingsError } from "../../domain/config/SettingsError.ts"

/** All in base64; `data` ends with the authentication tag of 16 bytes. `cost` is scrypt's N. */
export const Sealed = Schema.Struct({
  sealed: Schema.Struct({
    cost: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1 << 14, maximum: 1 << 20 }))),
    salt: Schema.String,
    nonce: Schema.String,
    data: Schema.String
  })
})
export type Sealed = typeof Sealed.Type

const passphraseVariable = "DACAPO_PASSPHRASE"
const keyFileVariable = "DACAPO_KEY_FILE"

/** How to provide what unlocks the keys, for messages. */
export const advice = `Set ${passphraseVariable}, or ${keyFileVariable} to a file that holds the secret.`

/** A key file and a passphrase shorter than this protect nothing. */
const minSecretLength = 8
const maxKeyFileBytes = 64 * 1024

/** scrypt's N: about 32 MiB and 60 ms. */
const cost = 1 << 15
const tagBytes = 16

const fail = (where: string, message: string) => new SettingsError({ where, message })

/** What unlocks the keys: the passphrase, or the content of the key file. Undefined if the user set neither. */
export const secret = Effect.fnUntraced(function*(variables: Readonly<Record<string, string | undefined>>) {
  const { [keyFileVariable]: file = "", [passphraseVariable]: passphrase = "" } = variables
  if (passphrase === "" && file === "") return undefined
  if (passphrase !== "") {
    return passphrase.length < minSecretLength
      ? yield* fail(passphraseVariable, `must have at least ${minSecretLength} characters.`)
      : Buffer.from(passphrase.normalize("NFKC"))
  }
  const bytes = yield* Effect.tryPromise({
    try: () => readFile(file),
    catch: (error) => fail(keyFileVariable, `can't be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}.`)
  })
  const isValid = bytes.length >= minSecretLength && bytes.length <= maxKeyFileBytes
  return isValid ? bytes : yield* fail(keyFileVariable, `must name a file of ${minSecretLength} bytes to ${maxKeyFileBytes / 1024} KiB.`)
})

const deriveKey = (secret: Buffer, salt: Buffer, cost: number): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    scrypt(secret, salt, 32, { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 }, (error, key) => {
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    })
  })

/** Encrypts a key under its name. */
export const seal = Effect.fnUntraced(function*(secret: Buffer, name: string, value: string) {
  const [salt, nonce] = yield* Effect.sync(() => [randomBytes(16), randomBytes(12)] as const)
  const cipher = createCipheriv("aes-256-gcm", yield* deriveKey(secret, salt, cost), nonce).setAAD(Buffer.from(name))
  const data = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()])
  return {
    sealed: { cost, salt: salt.toString("base64"), nonce: nonce.toString("base64"), data: data.toString("base64") }
  } satisfies Sealed
})

/** Decrypts it; null with another secret, or if the entry was changed. */
export const open = Effect.fnUntraced(function*(secret: Buffer, name: string, { sealed }: Sealed) {
  const [salt, nonce, data] = [sealed.salt, sealed.nonce, sealed.data].map((text) => Buffer.from(text, "base64")) as [
    Buffer,
    Buffer,
    Buffer
  ]
  const key = yield* deriveKey(secret, salt, sealed.cost)
  return yield* Effect.sync(() => {
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(name)).setAuthTag(data.subarray(-tagBytes))
      return Buffer.concat([decipher.update(data.subarray(0, -tagBytes)), decipher.final()]).toString("utf8")
    } catch {
      return null
    }
  })
})
