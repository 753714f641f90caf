import { describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "./support/Process.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const inspector = join(root, "tools/mcp/node_modules/@modelcontextprotocol/inspector/package.json")

/** The inspector comes with a hundred megabytes that nothing else needs: it is installed when it is first used. */
const inspect = (place: Process.Place, ...args: ReadonlyArray<string>) => {
  if (!existsSync(inspector)) execFileSync("npm", ["install", "--prefix", join(root, "tools/mcp"), "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"], { timeout: 300_000 })
  const bin = JSON.parse(readFileSync(inspector, "utf8")).bin
  const cli = join(inspector, "..", typeof bin === "string" ? bin : bin["mcp-inspector"])
  return spawnSync(process.execPath, [cli, "--cli", ...args], { cwd: place.cwd, env: place.environment, encoding: "utf8" })
}

describe("dacapo mcp serve", () => {
  it("is listed and called by the inspector without warnings", () => {
    using place = Process.place()
    writeFileSync(join(place.cwd, "a.txt"), "hello file\n")
    const [command, ...args] = [process.execPath, Process.main, "mcp", "serve"]
    const listed = inspect(place, "--strict", command, ...args, "--method", "tools/list")
    expect({ status: listed.status, stderr: listed.stderr }).toEqual({ status: 0, stderr: "" })
    const tools: ReadonlyArray<{ readonly name: string; readonly annotations: object }> = JSON.parse(listed.stdout).tools
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["read_file", "run_command", "write_file"]))
    expect(tools.map(({ name }) => name)).not.toContain("ask_user")
    expect(tools.find(({ name }) => name === "read_file")?.annotations).toEqual({ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false })
    const called = inspect(place, command, ...args, "--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=a.txt")
    expect(called.stdout).toContain("hello file")
  }, 400_000)
})
