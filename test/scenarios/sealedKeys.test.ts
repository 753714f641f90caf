/** API keys on a machine without a keyring, encrypted with a passphrase or a key file: `dacapo auth` and a run with the key. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "../cli/support/ChatServer.ts"
import * as Process from "../cli/support/Process.ts"

const key = "sk-test-0123456789abcdef"

const withVariables = (place: Process.Place, more: Readonly<Record<string, string>> = {}): Process.Place => ({
  ...place,
  environment: { ...place.environment, DACAPO_DISABLE_KEYRING: "1", ...more }
})

const passphrase = { DACAPO_PASSPHRASE: "correct horse battery" }
const file = (place: Process.Place) => join(place.root, "home", "data", "auth.json")

describe("keys without a keyring", () => {
  it("are encrypted with a passphrase, and sent to the provider by a run that has it", async () => {
    await using scene = Process.scene()
    const place = withVariables(scene, passphrase)
    expect(await Process.run(place, ["auth", "login", "openai-chat"], `${key}\n`)).toMatchObject({ code: 0, stdout: expect.stringContaining("(encrypted)") })
    const stored = readFileSync(file(place), "utf8")
    expect(stored).not.toContain(key)
    expect(Object.keys(Object.values(JSON.parse(stored))[0] as object)).toEqual(["sealed"])
    expect(statSync(file(place)).mode & 0o777).toBe(0o600)
    expect((await Process.run(place, ["auth", "status"])).stdout).toContain(`${file(place)} (encrypted)`)

    using server = await ChatServer.start(({ path }) => path.endsWith("/chat/completions") ? { text: "Yes." } : undefined)
    const run = (where: Process.Place) => Process.run(where, ["-p", "--base-url", server.url, "--model", "openai-chat/gpt-5", "Go"])
    expect(await run(place)).toMatchObject({ code: 0, stdout: "Yes.\n" })
    expect(server.asked.at(-1)!.authorization).toBe(`Bearer ${key}`)

    const locked = await run(withVariables(scene))
    expect(locked).toMatchObject({ code: 52, stderr: expect.stringContaining("encrypted. Set DACAPO_PASSPHRASE, or DACAPO_KEY_FILE to a file that holds the secret.") })
    const wrong = await run(withVariables(scene, { DACAPO_PASSPHRASE: "incorrect horse" }))
    expect(wrong).toMatchObject({ code: 52, stderr: expect.stringContaining("encrypted with another passphrase or key file, or was changed.") })
    expect(server.requests()).toHaveLength(1)
    expect(`${locked.stderr}${wrong.stderr}`).not.toContain("horse")
  })

  it("are encrypted with a key file; an entry under another name does not open", async () => {
    using home = Process.place()
    const keyFile = join(home.root, "secret.key")
    writeFileSync(keyFile, "0123456789abcdef0123456789abcdef")
    const place = withVariables(home, { DACAPO_KEY_FILE: keyFile })
    await Process.run(place, ["auth", "login", "groq"], `${key}\n`)
    expect((await Process.run(place, ["auth", "status"])).stdout).toContain("(encrypted)")
    const entries = JSON.parse(readFileSync(file(place), "utf8")) as Record<string, object>
    const [[name, entry]] = Object.entries(entries) as [[string, object]]
    writeFileSync(file(place), JSON.stringify({ [name.replace("GROQ", "MISTRAL")]: entry }))
    expect((await Process.run(place, ["-p", "--model", "mistral/mistral-large-latest", "Go"])).stderr).toContain("or was changed.")
    writeFileSync(file(place), JSON.stringify({ [name]: entry }))
    expect((await Process.run(place, ["auth", "status"])).stdout).toContain("(encrypted)")
    expect((await Process.run(place, ["auth", "logout", "groq"])).code).toBe(0)
    expect(JSON.parse(readFileSync(file(place), "utf8"))).toEqual({})
  })

  it("are refused with a secret that protects nothing, and stay readable without one", async () => {
    using home = Process.place()
    expect(await Process.run(withVariables(home, { DACAPO_PASSPHRASE: "short" }), ["auth", "login", "groq"], `${key}\n`))
      .toMatchObject({ code: 52, stderr: expect.stringContaining("must have at least 8 characters") })
    expect((await Process.run(withVariables(home), ["auth", "login", "groq"], `${key}\n`)).code).toBe(0)
    expect(readFileSync(file(home), "utf8")).toContain(key)
  })
})
