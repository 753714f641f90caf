/** bin/dacapo, run as a user runs it: from a shell, in an installation made for each test. */
import { assert, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"

const repository = fileURLToPath(new URL("../../", import.meta.url))
const folders: Array<string> = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Says what it was given, once it is ready for signals. */
const main = `
  if (process.argv[2] === "wait") {
    setInterval(() => {}, 1000)
    if (process.argv[3] !== "deaf") process.on("SIGTERM", () => process.exit(143))
  } else process.exitCode = Number(process.argv[2] ?? 0)
  process.stdout.write(JSON.stringify({ args: process.argv.slice(2), tag: process.env.TAG ?? null }) + "\\n")
`

/** An installation: the launcher as it is, a command that says what it was given, and what a test adds. */
const install = (files: Record<string, string>) => {
  const root = join(mkdtempSync(join(tmpdir(), "dacapo-launcher-")), "dacapo")
  folders.push(dirname(root))
  mkdirSync(join(root, "bin"), { recursive: true })
  for (const name of ["bin/dacapo", "bin/environment.cjs", "bin/warm.cjs", "bin/package.json"]) cpSync(join(repository, name), join(root, name))
  const all = { "package.json": `{ "version": "1.2.3", "type": "module" }`, ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
    if (text.startsWith("#!")) chmodSync(join(root, name), 0o755)
  }
  return root
}

const built = { "dist/cli/main.cjs": main }
/** A Node that says who it is. */
const marked = (tag: string) => `#!/bin/sh\nTAG=${tag} exec "${process.execPath}" "$@"\n`
/** Makes a Node believe that it is another. */
const pretend = (version: string, platform = process.platform) =>
  `Object.defineProperty(process.versions, "node", { value: "${version}" })
   Object.defineProperty(process, "version", { value: "v${version}" })
   Object.defineProperty(process, "platform", { value: "${platform}" })`

const home = mkdtempSync(join(tmpdir(), "dacapo-home-"))
folders.push(home)
const env = { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, DACAPO_HOME: join(home, "kept") }
const run = (command: string, args: ReadonlyArray<string>, cwd = "/") => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd, env, encoding: "utf8" })
  return { status, stdout, stderr }
}

describe("bin/dacapo", () => {
  it("prints --version itself, built or not", () => {
    const root = install({})
    for (const flag of ["--version", "-v", "-V"]) {
      assert.deepStrictEqual(run(join(root, "bin/dacapo"), [flag]), { status: 0, stdout: "1.2.3\n", stderr: "" })
    }
  })

  it("prints --help itself from the build, and leaves help with arguments to the command", () => {
    const root = install({ ...built, "dist/help.txt": "All that there is to say.\n" })
    for (const flag of ["--help", "-h"]) {
      assert.deepStrictEqual(run(join(root, "bin/dacapo"), [flag]), { status: 0, stdout: "All that there is to say.\n", stderr: "" })
    }
    assert.include(run(join(root, "bin/dacapo"), ["0", "--help"]).stdout, `"args":["0","--help"]`)
  })

  it("runs the command from any folder, through links, with unchanged arguments", () => {
    const root = install(built)
    const link = join(root, "..", "link")
    symlinkSync(join(root, "bin/dacapo"), join(root, "first"))
    symlinkSync("dacapo/first", link)
    const args = ["0", "two words", "", "*", "$HOME", "--", "-p"]
    const expected = { status: 0, stdout: `${JSON.stringify({ args, tag: null })}\n`, stderr: "" }
    assert.deepStrictEqual(run(join(root, "bin/dacapo"), args), expected)
    assert.deepStrictEqual(run(link, args), expected)
    assert.deepStrictEqual(run("./dacapo", args, join(root, "bin")), expected)
    assert.deepStrictEqual(run("sh", ["dacapo", ...args], join(root, "bin")), expected)
    assert.deepStrictEqual(run(process.execPath, [link, ...args]), expected)
  })

  it("exits like the command", () => {
    assert.strictEqual(run(join(install(built), "bin/dacapo"), ["57"]).status, 57)
  })

  it("prefers the Node of its checkout, and leaves another program's alone", () => {
    const checkout = install({ ...built, "node_modules/.bin/node": marked("checkout") })
    assert.include(run(join(checkout, "bin/dacapo"), []).stdout, `"tag":"checkout"`)
    const dependency = install({ ...built, "../.bin/node": marked("dependency") })
    assert.include(run(join(dependency, "bin/dacapo"), []).stdout, `"tag":null`)
  })

  it("reports in one sentence that it is not built", () => {
    const root = install({})
    assert.deepStrictEqual(run(join(root, "bin/dacapo"), ["task"]), {
      status: 1,
      stdout: "",
      stderr: `dacapo is not built yet: run \`npm ci\` in ${root}.\n`
    })
  })

  it("caches compiled code in private folders of the user's cache", () => {
    rmSync(env.DACAPO_HOME, { recursive: true, force: true })
    run(join(install(built), "bin/dacapo"), [])
    for (const folder of ["", "cache", "cache/code"]) {
      assert.strictEqual(statSync(join(env.DACAPO_HOME, folder)).mode & 0o777, 0o700)
    }
    const elsewhere = { ...env, DACAPO_HOME: "", XDG_CACHE_HOME: join(home, "xdg") }
    spawnSync(join(install(built), "bin/dacapo"), [], { env: elsewhere })
    assert.isTrue(existsSync(join(home, "xdg/dacapo/code")))
  })

  describe("with scripts that were compiled before", () => {
    const worker = "exports.work = () => 6 * 7"
    const installed = () => {
      const root = install({
        "dist/cli/main.cjs": `const { work } = require("./chunks/worker.cjs")\nprocess.stdout.write(String(work()))`,
        "dist/cli/chunks/worker.cjs": worker
      })
      const folder = join(root, "code")
      const files = () => readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /(main|worker)$/.test(name)).sort().map((name) => join(folder, name))
      const answer = (more: NodeJS.ProcessEnv = {}) => {
        const { status, stderr, stdout } = spawnSync(join(root, "bin/dacapo"), [], { env: { ...env, NODE_COMPILE_CACHE: folder, ...more }, encoding: "utf8" })
        return { status, stdout, stderr }
      }
      return { root, files, answer }
    }
    const answered = (stdout: string) => ({ status: 0, stdout, stderr: "" })

    it("caches the code of each, and uses it again", () => {
      const { answer, files } = installed()
      assert.deepStrictEqual(answer(), answered("42"))
      const [main, worker] = files() as [string, string]
      const before = [main, worker].map((file) => statSync(file).mtimeMs)
      assert.deepStrictEqual(answer(), answered("42"))
      assert.deepStrictEqual([main, worker].map((file) => statSync(file).mtimeMs), before)
    })

    it("never uses the code of another script of the same length, damaged code, or code of another version", () => {
      const { answer, files, root } = installed()
      answer()
      writeFileSync(join(root, "dist/cli/chunks/worker.cjs"), worker.replace("7", "9"))
      assert.deepStrictEqual(answer(), answered("54"))
      for (const file of files()) {
        const bytes = readFileSync(file)
        bytes[bytes.length >> 1]! ^= 1
        writeFileSync(file, bytes)
      }
      assert.deepStrictEqual(answer(), answered("54"))
      for (const file of files()) writeFileSync(file, "short")
      assert.deepStrictEqual(answer(), answered("54"))
      assert.isTrue(files().every((file) => statSync(file).size > 100))
    })

    it("works without a cache if there is none or it can't be written", () => {
      const { answer, root } = installed()
      assert.deepStrictEqual(answer({ NODE_DISABLE_COMPILE_CACHE: "1" }), answered("42"))
      assert.isFalse(existsSync(join(root, "code")))
      writeFileSync(join(root, "code"), "a file")
      assert.deepStrictEqual(answer(), answered("42"))
    })
  })
})

describe("bin/dacapo under a Node that is too old", () => {
  const old = { ...built, "old.cjs": pretend("20.19.0"), "node_modules/.bin/node": marked("new") }
  const under = (root: string, args: ReadonlyArray<string>) => ["-r", join(root, "old.cjs"), join(root, "bin/dacapo"), ...args]

  it("starts the one that was installed with it, and exits like it", () => {
    const root = install(old)
    assert.deepStrictEqual(run(process.execPath, under(root, ["53", "x y"])), {
      status: 53,
      stdout: `${JSON.stringify({ args: ["53", "x y"], tag: "new" })}\n`,
      stderr: ""
    })
  })

  it("passes signals on, and dies of the signal that killed its command", async () => {
    const root = install(old)
    const ends: ReadonlyArray<readonly [string, NodeJS.Signals, Array<unknown>]> = [["", "SIGTERM", [143, null]], ["deaf", "SIGTERM", [null, "SIGTERM"]], ["", "SIGHUP", [null, "SIGHUP"]]]
    for (const [ears, signal, expected] of ends) {
      const child = spawn(process.execPath, under(root, ["wait", ears]), { env, stdio: ["ignore", "pipe", "inherit"] })
      const ended = once(child, "exit")
      await once(child.stdout!, "data")
      child.kill(signal)
      assert.deepStrictEqual(await ended, expected)
    }
  })

  it("reports the required version if there is no other", () => {
    const root = install({ ...built, "old.cjs": pretend("20.19.0") })
    const { status, stderr } = run(process.execPath, under(root, []))
    assert.strictEqual(status, 1)
    assert.strictEqual(stderr, "dacapo needs Node 22.19 or newer, and this is v20.19.0. Install a newer one from https://nodejs.org.\n")
  })

  it("still answers --version", () => {
    assert.strictEqual(run(process.execPath, under(install(old), ["--version"])).stdout, "1.2.3\n")
  })
})

it("points to WSL on native Windows", () => {
  const root = install({ ...built, "windows.cjs": pretend("24.0.0", "win32") })
  const { status, stderr } = run(process.execPath, ["-r", join(root, "windows.cjs"), join(root, "bin/dacapo"), "task"])
  assert.strictEqual(status, 1)
  assert.match(stderr, /^dacapo does not run on native Windows: use it in WSL/)
})
