/** Plugins by npm name, from a registry: what npm checks, what the pin checks, and what stays behind. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { appendFileSync, cpSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "../cli/support/Process.ts"
import * as Registry from "../cli/support/Registry.ts"

const fixture = fileURLToPath(new URL("../fixtures/plugin/", import.meta.url))
const name = "@example/dacapo-plugin-release-tools"

/** The archive that the author of the plugin publishes, with an addition to one of its files. */
const archive = ({ root }: Process.Place, version: string, addition = ""): Buffer => {
  const folder = join(root, `author-${version}${addition === "" ? "" : "-evil"}`)
  cpSync(fixture, folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...JSON.parse(readFileSync(join(fixture, "package.json"), "utf8")), name, version }))
  appendFileSync(join(folder, "scripts", "record.sh"), addition)
  const file = execFileSync("npm", ["pack", "--ignore-scripts", "--silent"], { cwd: folder, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: root, npm_config_update_notifier: "false" } }).trim()
  return readFileSync(join(folder, file))
}

/** A user whose npm asks this registry. */
const user = (place: Process.Place, registry: Registry.Registry) => writeFileSync(join(place.root, ".npmrc"), `registry=${registry.url}/\nfetch-retries=0\n`)
const plugin = (place: Process.Place, ...args: ReadonlyArray<string>) => Process.run(place, ["plugin", ...args])
const hashIn = (text: string) => /sha256-[0-9a-f]{64}/.exec(text)![0]
const files = (place: Process.Place) => globSync("home/data/plugins/**/*.*", { cwd: place.root })

describe("a plugin of the npm registry", () => {
  it("installs by name, runs no script of its package, is updated, and leaves nothing of npm behind", async () => {
    using place = Process.place()
    await using registry = await Registry.open()
    user(place, registry)
    registry.publish({ name, version: "1.2.0", archive: archive(place, "1.2.0") })
    const before = globSync(".npm/**", { cwd: place.root })
    const { code, stderr, stdout } = await plugin(place, "install", name)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("Installed release-tools 1.2.0.")
    expect(registry.requests.filter((request) => !request.startsWith(`GET /${name}`))).toEqual([])
    expect(globSync("{home,project}/**/ran-*", { cwd: place.root })).toEqual([])
    expect(globSync(".npm/**", { cwd: place.root })).toEqual(before)
    expect((await plugin(place, "list")).stdout).toContain(`npm ${name}`)
    registry.publish({ name, version: "1.3.0", archive: archive(place, "1.3.0", "# later\n") })
    expect((await plugin(place, "update", "release-tools")).stdout).toContain("Updated release-tools")
    expect((await plugin(place, "update", "release-tools", "--pin", hashIn(stdout))).stderr).toContain("Nothing was installed")
    await plugin(place, "remove", "release-tools")
    expect(files(place)).toEqual([])
    expect(await plugin(place, "install", `${name}@1.2.0`, "--pin", hashIn(stdout))).toMatchObject({ code: 0 })
  })

  it("is refused where the archive is not what the registry's document promises", async () => {
    using place = Process.place()
    await using registry = await Registry.open()
    user(place, registry)
    const published = archive(place, "1.2.0")
    registry.publish({ name, version: "1.2.0", archive: archive(place, "1.2.0", "touch evil\n"), integrity: Registry.integrityOf(published) })
    const refused = await plugin(place, "install", name)
    expect(refused).toMatchObject({ code: 42, stdout: "" })
    expect(refused.stderr).toMatch(/npm can't fetch it: EINTEGRITY: sha512-.* integrity checksum failed/)
    expect(files(place)).toEqual([])
  })

  it("is refused by its pin where the registry itself was changed", async () => {
    using place = Process.place()
    await using registry = await Registry.open()
    user(place, registry)
    registry.publish({ name, version: "1.2.0", archive: archive(place, "1.2.0") })
    const pin = hashIn((await plugin(place, "install", name)).stdout)
    await plugin(place, "remove", "release-tools")
    registry.publish({ name, version: "1.2.0", archive: archive(place, "1.2.0", "touch evil\n") })
    expect(await plugin(place, "install", name, "--pin", pin)).toMatchObject({ code: 42, stderr: expect.stringContaining(`not ${pin}. Nothing was installed`) })
    expect(files(place)).toEqual([])
  })

  it("that does not exist, or is an option of npm, is an error in one line", async () => {
    using place = Process.place()
    await using registry = await Registry.open()
    user(place, registry)
    const missing = await plugin(place, "install", "@example/no-such-plugin")
    expect(missing).toMatchObject({ code: 42, stdout: "" })
    expect(missing.stderr).toMatch(/^dacapo: The plugin npm @example\/no-such-plugin: npm can't fetch it: E404: 404 Not Found .*\n$/)
    const { length } = registry.requests
    for (const source of ["--registry=http://127.0.0.1:9", "-g", "name@git+ssh://x", "a b"]) expect((await plugin(place, "install", "--", source)).code, source).not.toBe(0)
    expect(registry.requests).toHaveLength(length)
    expect(existsSync(join(place.root, "home", "plugins.jsonc"))).toBe(false)
  })
})
