/** A plugin with all parts, packed as an outsider would: installed, used, changed behind our back, removed. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"

const fixture = fileURLToPath(new URL("../fixtures/plugin/", import.meta.url))

/** `npm pack` in a copy. The author's own scripts may run there: it is the author's machine. */
const packed = ({ root }: Process.Place): string => {
  const folder = join(root, "author")
  cpSync(fixture, folder, { recursive: true })
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent"], { cwd: folder, env: { PATH: process.env["PATH"], HOME: root } })
  return join(folder, "dacapo-plugin-release-tools-1.2.0.tgz")
}

const plugin = (place: Process.Place, ...args: ReadonlyArray<string>) => Process.run(place, ["plugin", ...args])

/** Every file below a folder, relative to it. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) : []

const doctor = async (place: Process.Place) => (await Process.run(place, ["doctor"])).stdout.replaceAll(/\s+/g, " ")

const installed = (place: Process.Place) => JSON.parse(readFileSync(join(place.root, "home", "plugins.jsonc"), "utf8").replace(/^\/\/.*$/gm, "")).plugins["release-tools"]
const installedFolder = (place: Process.Place) => {
  const parent = join(place.root, "home", "data", "plugins", "release-tools")
  return join(parent, readdirSync(parent)[0]!)
}

const call = (name: string, params: object, more: object = {}) => ({ calls: [{ name, params }], ...more })
const work = (place: Process.Place, prompt: string, allowed: string, ...turns: ReadonlyArray<object>) =>
  Process.run(place, ["-p", "--allowedTools", allowed, "--model", place.script(...turns), prompt])

describe("a plugin with all parts", () => {
  it("installs from a packed file, works headless, and is removed without a trace", async () => {
    await using place = Process.scene()
    const before = [...filesIn(join(place.root, "home"))]
    const { code, stdout } = await plugin(place, "install", packed(place))
    expect({ code, stdout }).toMatchObject({ code: 0 })
    expect(stdout).toContain("Installed release-tools 1.2.0.")
    for (const line of ["2 commands", "1 agent", "1 skill", "1 tool", "hook for PostToolUse: sh", "MCP server plugin_release-tools_versions", "code: index.mjs", "Its code does not run yet."])
      expect(stdout).toContain(line)
    expect(filesIn(installedFolder(place)).some((file) => /ran-/.test(file))).toBe(false)
    expect((await Process.run(place, ["agents"])).stdout).toContain("release-tools:reviewer")
    expect((await Process.run(place, ["skills"])).stdout).toContain("release-tools:changelog")
    await Process.run(place, ["trust"])
    const { hash } = installed(place)
    expect(await plugin(place, "enable", "release-tools", "--allow-code", hash)).toMatchObject({ code: 0, stdout: "release-tools is enabled.\n" })

    const ended = await work(
      place,
      "/release-tools:ship:check 4.5.7",
      `Edit,mcp__plugin_release-tools_versions,plugin__release-tools__bump,Bash(sh ${installedFolder(place)}/scripts/tag.sh *)`,
      call("read_skill", { name: "release-tools:changelog" }, { expect: { contains: ["Check whether version 4.5.7 can be released."] } }),
      call("write_file", { path: "CHANGES", content: "x\n" }, { expect: { lastResult: "in the imperative" } }),
      call("mcp__plugin_release-tools_versions__latest", {}),
      call("plugin__release-tools__bump", { version: "4.5.6" }, { expect: { lastResult: "The latest version is 4.5.6." } }),
      call("plugin__release-tools__tag_release", { version: "4.5.7; touch pwned" }, { expect: { lastResult: "4.5.7" } }),
      { text: "Released.", expect: { lastResult: "tagged 4.5.7; touch pwned" } }
    )
    expect(ended).toMatchObject({ code: 0, stdout: "Released.\n" })
    expect((await Process.run(place, ["sessions", "export", "latest", "--format", "jsonl"])).stdout).toContain("The next release is on Friday.")
    expect(readFileSync(join(place.cwd, "edits.log"), "utf8")).toBe("edited\n")
    expect([readFileSync(join(place.cwd, "VERSION"), "utf8"), existsSync(join(place.cwd, "pwned"))]).toEqual(["4.5.7; touch pwned\n", false])
    const commands = await work(place, "/release-tools:plan 5.0", "Read", { text: "Planned.", expect: { contains: ["Plan the release 5.0 step by step."] } })
    expect(commands).toMatchObject({ code: 0 })
    expect(await work(place, "/release-tools:announce 5.0", "Read", { text: "Done.", expect: { contains: ["Write the announcement of version 5.0."] } })).toMatchObject({ code: 0 })

    expect(await plugin(place, "remove", "release-tools")).toMatchObject({ code: 0, stdout: "release-tools is removed.\n" })
    const left = filesIn(join(place.root, "home")).filter((file) => !before.includes(file))
    expect(left.filter((file) => /plugin|release/.test(file.slice(place.root.length)))).toEqual([])
    // The sessions replay without the plugin when the scene ends, hash for hash.
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
  })

  it("works in the terminal: its commands are offered, and its renderer shows the result", async () => {
    await using place = Process.scene()
    await plugin(place, "install", packed(place))
    await Process.run(place, ["trust"])
    await plugin(place, "enable", "release-tools", "--allow-code", installed(place).hash)
    const model = place.script(
      call("plugin__release-tools__bump", { version: "1.2.3", part: "minor" }),
      { text: "It is 1.3.0.", expect: { lastResult: "1.3.0" } },
      { text: "All planned.", expect: { contains: ["Plan the release 5.0 step by step."] } }
    )
    using terminal = Tmux.open(place, ["--allowedTools", "plugin__release-tools__bump", "--model", model, "bump it"])
    await terminal.shows("It is 1.3.0.")
    await terminal.shows("next version: 1.3.0")
    terminal.type("/release-tools:pl")
    await terminal.shows("/release-tools:plan")
    terminal.type("an 5.0")
    await terminal.still()
    terminal.press("Enter")
    await terminal.shows("All planned.")
    await terminal.still()
    terminal.press("C-d")
    await terminal.shows("left with 0")
    expect(await plugin(place, "remove", "release-tools")).toMatchObject({ code: 0 })
    using after = Tmux.open(place, ["--model", place.script({ text: "Hello." }), "hi"])
    await after.shows("Hello.")
    await after.still()
    after.type("/release-tools:pl")
    expect(await after.still()).not.toContain("/release-tools:plan")
  })

  it("adds a provider under a name of its own, and replaces none", async () => {
    await using place = Process.scene()
    const requests: Array<string> = []
    const server = createServer((request, response) => {
      requests.push(request.url!)
      if (request.url !== "/v1/chat/completions") return response.writeHead(401, { "content-type": "application/json" }).end("{}")
      const line = (choice: object) => `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, ...choice }] })}\n\n`
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(`${line({ delta: { role: "assistant", content: "From the route." }, finish_reason: null })}${line({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      const folder = join(place.root, "author")
      cpSync(fixture, folder, { recursive: true })
      const module = join(folder, "index.mjs")
      writeFileSync(module, readFileSync(module, "utf8").replaceAll("127.0.0.1:9/", `127.0.0.1:${(server.address() as AddressInfo).port}/`))
      await plugin(place, "install", folder)
      await Process.run(place, ["trust"])
      const ask = (model: string) => Process.run({ ...place, environment: { ...place.environment, ANTHROPIC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ANTHROPIC_API_KEY: "key" } }, ["-p", "--model", model, "hi"])
      expect((await ask("releases/small")).code).not.toBe(0)
      await plugin(place, "enable", "release-tools", "--allow-code", installed(place).hash)
      expect(await ask("releases/small")).toMatchObject({ code: 0, stdout: "From the route.\n" })
      expect(requests).toEqual(["/v1/models", "/v1/chat/completions"])
      expect((await ask("anthropic/claude-sonnet-4-6")).code).not.toBe(0)
      expect(requests.slice(2)).toEqual(["/v1/messages"])
    } finally {
      server.close()
    }
  })

  it("runs no code that the user has not allowed by its hash, and none in an untrusted folder", async () => {
    await using place = Process.scene()
    const folder = join(place.root, "author")
    cpSync(fixture, folder, { recursive: true })
    writeFileSync(join(folder, "index.mjs"), `import { writeFileSync } from "node:fs"\nwriteFileSync(${JSON.stringify(join(place.root, "loaded"))}, "")\nexport const tools = []\n`)
    const loaded = () => existsSync(join(place.root, "loaded"))
    await plugin(place, "install", folder)
    await Process.run(place, ["trust"])
    const { stderr } = await work(place, "hi", "Read", { text: "Hello." })
    expect(stderr).toContain("The code of the plugin release-tools does not run: allow this content with")
    expect(await plugin(place, "enable", "release-tools", "--allow-code", "sha256-0")).toMatchObject({ code: 42 })
    expect(loaded()).toBe(false)
    await plugin(place, "enable", "release-tools", "--allow-code", installed(place).hash)
    await Process.run(place, ["trust", "--revoke"])
    expect((await work(place, "hi", "Read", { text: "Hello." })).stderr).toContain("does not run: this folder is not trusted")
    expect(loaded()).toBe(false)
    await Process.run(place, ["trust"])
    await work(place, "hi", "Read", { text: "Hello." })
    expect(loaded()).toBe(true)
    rmSync(join(place.root, "loaded"))
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
    expect(loaded()).toBe(false)
    // What is updated must be allowed anew.
    appendFileSync(join(folder, "index.mjs"), "// changed\n")
    expect((await plugin(place, "update", "release-tools")).stdout).toContain("Its code does not run yet.")
    await work(place, "hi", "Read", { text: "Hello." })
    expect(loaded()).toBe(false)
  })

  it("that throws is reported, and disabled for the session", async () => {
    await using place = Process.scene()
    await plugin(place, "install", packed(place))
    await Process.run(place, ["trust"])
    await plugin(place, "enable", "release-tools", "--allow-code", installed(place).hash)
    const { stderr, stdout } = await work(
      place,
      "go",
      "plugin__release-tools__bump,plugin__release-tools__explode",
      call("plugin__release-tools__explode", {}),
      call("plugin__release-tools__bump", { version: "1.0.0" }, { expect: { lastResult: "failed in the tool explode and is disabled until dacapo is started again: boom." } }),
      { text: "Stopped.", expect: { lastResult: "Unknown tool" } }
    )
    expect(stdout).toBe("Stopped.\n")
    expect(stderr).toContain("The plugin release-tools failed in the tool explode")
  })

  it("whose content changed behind our back is disabled, and says so", async () => {
    await using place = Process.scene()
    await plugin(place, "install", packed(place))
    appendFileSync(join(installedFolder(place), "scripts", "record.sh"), `touch "$CLAUDE_PROJECT_DIR/evil"\n`)
    const { stderr } = await work(place, "go", "Edit", call("write_file", { path: "a", content: "x\n" }), { text: "Done." })
    expect(stderr).toContain("The plugin release-tools is disabled: its content changed since you installed it.")
    expect([existsSync(join(place.cwd, "evil")), existsSync(join(place.cwd, "edits.log"))]).toEqual([false, false])
    expect((await plugin(place, "list")).stdout).toContain("! release-tools")
    expect(await doctor(place)).toContain("! plugins release-tools 1.2.0: its content changed since it was installed; run `dacapo plugin update release-tools` to install it again")
    expect((await plugin(place, "update", "release-tools")).code).toBe(0)
    await work(place, "go", "Edit", call("write_file", { path: "b", content: "x\n" }), { text: "Done." })
    expect([existsSync(join(place.cwd, "evil")), existsSync(join(place.cwd, "edits.log"))]).toEqual([false, true])
    expect(await doctor(place)).toContain("✓ plugins release-tools 1.2.0: active without its code, which you have not allowed ✓")
    expect((await plugin(place, "disable", "release-tools")).stdout).toBe("release-tools is disabled.\n")
    expect(await doctor(place)).toContain("✓ plugins release-tools 1.2.0: disabled ✓")
    expect((await Process.run(place, ["agents"])).stdout).not.toContain("release-tools")
  })

  it("comes from a Git repository, whose configuration and hooks do not run", async () => {
    using place = Process.place()
    const folder = join(place.root, "repository")
    cpSync(fixture, folder, { recursive: true })
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, env: { PATH: process.env["PATH"], HOME: place.root } })
    git("init", "-q")
    writeFileSync(join(folder, ".gitattributes"), "* filter=evil\n")
    git("add", ".")
    git("commit", "-qm", "one")
    git("tag", "v1")
    // A user's own configuration must not take part either.
    writeFileSync(join(place.root, ".gitconfig"), `[filter "evil"]\n\tsmudge = touch ${join(place.root, "ran")}; cat\n\trequired = true\n[core]\n\thooksPath = ${folder}\n`)
    const { code, stdout } = await plugin(place, "install", `file://${folder}#v1`)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("Installed release-tools") })
    expect(existsSync(join(place.root, "ran"))).toBe(false)
    expect((await plugin(place, "install", "ext::sh -c 'touch pwned'")).code).toBe(42)
    expect((await plugin(place, "install", `file://${folder}#--upload-pack=touch`)).code).toBe(42)
  })

  it("is refused for another hash than the pinned one, and for a link, a path outside, or too much of it", async () => {
    using place = Process.place()
    const file = packed(place)
    expect(await plugin(place, "install", file, "--pin", `sha256-${"0".repeat(64)}`)).toMatchObject({ code: 42, stderr: expect.stringContaining("Nothing was installed") })
    const hostile = (name: string, write: (folder: string) => void) => {
      const folder = join(place.root, name)
      cpSync(fixture, folder, { recursive: true })
      write(folder)
      return plugin(place, "install", folder)
    }
    const manifest = (fields: object) => (folder: string) =>
      writeFileSync(join(folder, ".claude-plugin", "plugin.json"), JSON.stringify({ name: "release-tools", ...fields }))
    const refused = async (ended: ReturnType<typeof plugin>, why: string) => {
      expect(await ended).toMatchObject({ code: 42, stderr: expect.stringContaining(why) })
      expect(filesIn(join(place.root, "home", "data", "plugins"))).toEqual([])
    }
    await refused(hostile("link", (folder) => symlinkSync("/etc/passwd", join(folder, "commands", "secrets.md"))), "is a link")
    await refused(hostile("outside", manifest({ commands: "../../../etc" })), "which is not within the plugin")
    await refused(hostile("absolute", manifest({ hooks: "/etc/hooks.json" })), "which is not within the plugin")
    await refused(hostile("module", manifest({ module: "./../../evil.mjs" })), "which is not within the plugin")
    await refused(hostile("name", manifest({ name: "../evil" })), "must consist of lower-case letters")
    await refused(hostile("huge", (folder) => writeFileSync(join(folder, "big"), Buffer.alloc(21 * 1024 * 1024))), "larger than 20 MB")
    await refused(hostile("many", (folder) => {
      mkdirSync(join(folder, "m"))
      for (let i = 0; i < 2_001; i++) writeFileSync(join(folder, "m", `${i}`), "")
    }), "more than 2000 files")
    await refused(hostile("manifest", (folder) => writeFileSync(join(folder, ".claude-plugin", "plugin.json"), " ".repeat(100_000))), "longer than")
    expect(await plugin(place, "install", "no-such-folder/x")).toMatchObject({ code: 42 })
  })
})

it("a new plugin passes its own test, and installs", async () => {
  await using place = Process.scene()
  expect((await plugin(place, "new", "my-plugin")).stdout).toContain("dacapo plugin install ./my-plugin")
  const tested = execFileSync(process.execPath, ["--test"], { cwd: join(place.cwd, "my-plugin"), env: { PATH: process.env["PATH"] }, encoding: "utf8" })
  expect(tested).toContain("pass 2")
  expect((await plugin(place, "install", "./my-plugin")).stdout).toContain("code: index.mjs")
  writeFileSync(join(place.cwd, "three.txt"), "1\n2\n3\n")
  const { stdout } = await work(place, "count", "Bash(wc *)", call("plugin__my-plugin__count_lines", { path: "three.txt" }), { text: "Three.", expect: { lastResult: "3 three.txt" } })
  expect(stdout).toBe("Three.\n")
})
