/** Problems of language servers and checkers, through the command line, with a scripted server that speaks LSP over stdio. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Process from "../cli/support/Process.ts"

const source = readFileSync(fileURLToPath(new URL("./support/languageServer.mjs", import.meta.url)), "utf8")

/** A place where `typescript-language-server` is installed: the scripted one. */
const installed = (scene: Process.Place, settings: object = {}, mode = "") => {
  const bin = join(scene.root, "bin")
  mkdirSync(bin)
  mkdirSync(join(scene.root, "home"), { recursive: true })
  writeFileSync(join(bin, "server.mjs"), source)
  writeFileSync(join(bin, "typescript-language-server"), `#!/bin/sh\nexec ${process.execPath} ${join(bin, "server.mjs")} "$@"\n`)
  chmodSync(join(bin, "typescript-language-server"), 0o755)
  if (mode !== "") writeFileSync(join(bin, "mode"), mode)
  writeFileSync(join(scene.root, "home", "config.jsonc"), JSON.stringify(settings))
  writeFileSync(join(scene.cwd, "a.ts"), "export const one = 1\nexport const old = BAD\n")
  const environment = { ...scene.environment, PATH: `${bin}:${scene.environment["PATH"]}`, OPENAI_API_KEY: "sk-secret", DACAPO_DISABLE_KEYRING: "1" }
  const place = { ...scene, environment }
  return {
    place,
    log: () => existsSync(join(bin, "log")) ? readFileSync(join(bin, "log"), "utf8") : "",
    trust: () => Process.run(place, ["trust"]),
    run: (...args: ReadonlyArray<string>) => Process.run(place, ["-p", "--permission-mode", "acceptEdits", ...args])
  }
}

const allowed = { permissions: { allow: ["Bash(typescript-language-server:*)"] } }
const edit = (old_text: string, new_text: string) => ({ calls: [{ name: "edit_file", params: { path: "a.ts", old_text, new_text } }] })

const results = async (place: Process.Place): Promise<ReadonlyArray<string>> => {
  const { stdout } = await Process.run(place, ["sessions", "show", "latest", "--output-format", "events"])
  return stdout.split("\n").flatMap((line) => {
    const event = line.startsWith("{") ? JSON.parse(line).event : undefined
    return event?._tag === "ToolFinished" ? [event.outcome.content.map(({ text }: { readonly text: string }) => text).join("\n")] : []
  })
}

const isAlive = (log: string): boolean => {
  const file = `/proc/${/start (\d+)/.exec(log)![1]}/stat`
  // A zombie has ended: nobody waits for it here.
  return existsSync(file) && !/^\d+ \(.*\) Z/.test(readFileSync(file, "utf8"))
}

describe("problems of language servers", () => {
  it("that an edit adds go to the model with it, once, and the server ends with the session", async () => {
    await using scene = Process.scene()
    const { log, place, run, trust } = installed(scene, allowed)
    await trust()
    const model = scene.script(
      edit("one = 1", "one = BAD"),
      edit("export const old", "export const two = 2\nexport const old"),
      edit("two = 2", "two = ODD"),
      { text: "Done." }
    )
    const ended = await run("--model", model, "Edit it")
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    const [first, second, third] = await results(place)
    expect(first).toContain("New problems in the files of this edit:\na.ts:1:20: error scripted 42: BAD is not allowed in: export const one = BAD")
    expect(first).not.toContain("old = BAD is")
    expect(first!.match(/error scripted/g)).toHaveLength(1)
    expect(second).not.toContain("New problems")
    expect(third).toContain("a.ts:2:20: warning scripted 42: ODD is not allowed")
    expect(third).not.toContain("error scripted")
    expect(log()).toMatch(/^start \d+ --stdio key=none\ninitialize file:.*\nshutdown\n$/)
    expect(isAlive(log())).toBe(false)
  })

  it("never start one in a folder that is not trusted, without a rule, or where it is turned off", async () => {
    for (const [settings, isTrusted] of [[allowed, false], [{}, true], [{ ...allowed, languageServers: false }, true], [{ ...allowed, languageServers: { typescript: false } }, true]] as const) {
      await using scene = Process.scene()
      const { log, place, run, trust } = installed(scene, settings)
      if (isTrusted) await trust()
      const ended = await run("--output-format", "json", "--model", scene.script(edit("one = 1", "one = BAD"), { text: "Done." }), "Edit it")
      expect(JSON.parse(ended.stdout)).toMatchObject({ permission_denials: [], result: "Done." })
      expect([log(), (await results(place))[0]!.includes("New problems")]).toEqual(["", false])
    }
  })

  it("are left alone when it ends or says nothing: the edit is made, and the model is told once", async () => {
    await using scene = Process.scene()
    const { log, place, run, trust } = installed(scene, allowed, "exit")
    await trust()
    const model = scene.script(edit("one = 1", "one = BAD"), edit("one = BAD", "one = 3"), edit("one = 3", "one = 4"), { text: "Done." })
    expect(await run("--model", model, "Edit it")).toMatchObject({ code: 0 })
    expect(readFileSync(join(scene.cwd, "a.ts"), "utf8")).toContain("one = 4")
    const texts = await results(place)
    expect(texts[0]).toMatch(/\[The language server typescript ended\. It says: no such library\]/)
    expect(texts.slice(1).some((text) => text.includes("language server"))).toBe(false)
    expect(log().match(/start/g)!.length).toBeLessThanOrEqual(3)
  })
})

describe("@problems", () => {
  it("asks servers and checkers about the files of the session, if rules or the user allow it, and replays from the log", async () => {
    await using scene = Process.scene()
    const { run, trust } = installed(scene, {
      permissions: { allow: ["Bash(typescript-language-server:*)", "Bash(echo:*)"] },
      checkers: ["echo src/b.ts:3:1 is wrong", "false-checker --all"]
    })
    await trust()
    const model = scene.script({ calls: [{ name: "read_file", params: { path: "a.ts" } }] }, { text: "Seen." })
    await run("--model", model, "Look")
    const contains = [
      "Reported by language servers:\na.ts:2:20: error scripted 42: BAD is not allowed in: export const old = BAD",
      "$ echo src/b.ts:3:1 is wrong\n(exit code 0)\nsrc/b.ts:3:1 is wrong",
      "[false-checker --all was not started: "
    ]
    const ended = await run("--continue", "--model", scene.script({ text: "1" }, { text: "2" }, { text: "Fixed.", expect: { contains } }), "Fix @problems")
    expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: "Fixed.\n" })
  })
})

describe("the repository", () => {
  const git = (cwd: string, ...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@test.test", "-c", "commit.gpgSign=false", ...args], { cwd, encoding: "utf8" })

  const committed = (scene: Process.Place) => {
    git(scene.cwd, "init", "-q", "-b", "main")
    writeFileSync(join(scene.cwd, "a.txt"), "one\n")
    writeFileSync(join(scene.cwd, "b.txt"), "one\n")
    git(scene.cwd, "add", ".")
    git(scene.cwd, "commit", "-q", "-m", "First commit")
    writeFileSync(join(scene.cwd, "a.txt"), "two\n")
    git(scene.cwd, "add", "a.txt")
    writeFileSync(join(scene.cwd, "b.txt"), "two\n")
    writeFileSync(join(scene.cwd, "new.txt"), "new\n")
    return git(scene.cwd, "rev-parse", "--short", "HEAD").trim()
  }

  it("is described at first: what is staged, what is not, what is new, and the newest commits; and replays without it", async () => {
    await using scene = Process.scene()
    const hash = committed(scene)
    const text = `The repository when the session began:\nStaged:\n- M a.txt\nNot staged:\n- M b.txt\nUntracked:\n- new.txt\nNewest commits:\n- ${hash} First commit`
    const model = scene.script({ calls: [{ name: "read_file", params: { path: "a.txt" } }], expect: { contains: [text] } }, { text: "Done." })
    expect(await Process.run(scene, ["-p", "--model", model, "Look"])).toMatchObject({ code: 0 })
    git(scene.cwd, "commit", "-q", "-am", "Second commit")
  })

  it("is named by mentions: changes and a commit", async () => {
    await using scene = Process.scene()
    const hash = committed(scene)
    const model = scene.script({ text: "Done.", expect: { contains: ["M  a.txt", "+two", "First commit", "+one"] } })
    expect(await Process.run(scene, ["-p", "--model", model, `Compare @git-changes with @${hash}`])).toMatchObject({ code: 0 })
  })
})
