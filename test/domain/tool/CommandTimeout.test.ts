import { describe, expect, it } from "@effect/vitest"
import * as CommandTimeout from "../../../src/domain/tool/CommandTimeout.ts"

describe("the time that a command gets", () => {
  const known: ReadonlyArray<readonly [command: string, seconds: number]> = [
    ["ls", 120],
    ["git status", 120],
    ["npm ci", 600],
    ["cd web && pnpm install --frozen-lockfile", 600],
    ["make -j4", 600],
    ["cargo test --workspace", 600],
    ["dotnet build", 600],
    ["docker compose build", 600],
    ["./gradlew assemble", 600]
  ]
  for (const [command, seconds] of known) it(`${seconds} s for ${command}`, () => expect(CommandTimeout.timeoutSeconds(command)).toBe(seconds))

  it("is what the model asks for, up to an hour", () => {
    expect([7, 1e9, -1, 0].map((asked) => CommandTimeout.timeoutSeconds("ls", asked))).toEqual([7, 3600, 120, 120])
  })
})
