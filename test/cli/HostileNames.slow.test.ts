/**
 * Every command in a folder where whatever has a name is hostile: nothing that a terminal would obey or hide reaches standard
 * output or standard error, and no name begins a line of its own. The commands are those that the command line knows, each with
 * every action, so that a new one fails here until it has a case.
 */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Commands from "../../src/cli/Commands.ts"
import * as TerminalOutput from "../../src/cli/render/text/TerminalOutput.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"
import { choose } from "../suite.ts"
import * as Process from "./support/Process.ts"

const evil = "x\u001b]52;c;b3duZWQ=\u0007\u001b[2J\u001b[1A\r\u009b31m\u202Ey\u202C\u200b\u0008"
/** A name that would also pretend to be a line of ours. */
const name = `${evil}\nFORGED`

/** C0 but newline and tab, delete, C1, and what turns text around or is not seen. */
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u

interface World {
  readonly place: Process.Place & Disposable
  readonly model: string
  readonly session: string
}

/** A folder with hostile names of everything, two sessions about it, and a user's settings that name such things too. */
const world = async (): Promise<World> => {
  const made = Process.place()
  const place = { ...made, cwd: join(made.root, `project ${name}`) }
  const write = (file: string, content: string | object) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
  }
  const here = (file: string) => join(place.cwd, file)
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: place.cwd, stdio: "pipe" })
  write(here(`${name}.txt`), `${evil}\n`)
  write(here("AGENTS.md"), `# ${evil}`)
  write(here(".dacapo/config.jsonc"), { model: `openai/${name}`, permissions: { allow: ["Bash(echo:*)"] }, providers: { [name]: { baseUrl: "http://127.0.0.1:9" } } })
  write(here(".mcp.json"), { mcpServers: { [name]: { command: name, args: [name] } } })
  write(here(`.dacapo/commands/${evil}.md`), `---\ndescription: ${evil}\n---\n${evil}`)
  write(here(`.claude/agents/${evil}.md`), `---\nname: ${evil}\ndescription: ${evil}\ntools: ${evil}\n---\n${evil}`)
  write(here(`.claude/skills/${evil}/SKILL.md`), `---\nname: ${evil}\ndescription: ${evil}\n---\n${evil}`)
  write(here(".claude/settings.json"), { [name]: 1, permissions: { allow: [name, `Bash(${name})`] }, hooks: { [name]: [] }, mcpServers: { [name]: { command: name } } })
  write(join(made.root, "home", "config.jsonc"), { mcpServers: { [`mine ${name}`]: { command: name } } })
  git("init", "-q", "-b", "b\u009b31m\u202Ey\u200b")
  git("add", "-A")
  git("commit", "-qm", name)
  const model = made.script(
    { text: evil, reasoning: evil, calls: [{ name: `no_such_${name}`, params: { [name]: name } }, { name: "write_file", params: { path: `new ${name}.txt`, content: `${evil}\n` } }] },
    { calls: [{ name: "run_command", params: { command: `printf '%s' '${evil}'; printf '\\033]0;owned\\007' >&2` } }, { name: "delegate", params: { agent: name, task: name } }] },
    { error: { reason: { _tag: "Auth" }, message: evil, status: 401 } }
  )
  const run = (...args: ReadonlyArray<string>) => Process.run(place, args)
  const ran = await run("-p", "--permission-mode", "bypassPermissions", "--model", model, evil)
  expect(ran.code, ran.stderr).toBe(41)
  await run("-p", "--permission-mode", "bypassPermissions", "--model", model, `again ${evil}`)
  const [first] = JSON.parse((await run("sessions", "list", "--output-format", "json")).stdout) as ReadonlyArray<{ readonly id: string }>
  return { place, model, session: first!.id }
}

type Case = (world: World) => ReadonlyArray<string>

/** How each command, with each action, is called so that it has much to say; `none` where it only ever waits for a person or a client. */
const none = undefined
const cases: Readonly<Record<string, Case | undefined>> = {
  run: ({ model }) => ["-p", "--verbose", "--color", "never", "--model", model, evil],
  acp: none,
  agents: () => ["agents"],
  "agents list": () => ["agents", "list"],
  "auth login": () => ["auth", "login", name],
  "auth logout": () => ["auth", "logout", name],
  "auth status": () => ["auth", "status"],
  "checkpoints list": () => ["checkpoints", "list"],
  "checkpoints diff": () => ["checkpoints", "diff", "1", "latest"],
  "checkpoints restore": () => ["checkpoints", "restore", name, "--yes"],
  "completion bash": () => ["completion", "bash"],
  "completion zsh": () => ["completion", "zsh"],
  "completion fish": () => ["completion", "fish"],
  diff: () => ["diff", "0"],
  "config get": () => ["config", "get", "permissions"],
  "config list": () => ["config", "list"],
  "config schema": () => ["config", "schema"],
  "config set": () => ["config", "set", `providers.openai.headers.a`, name],
  context: () => ["context"],
  demo: none,
  doctor: () => ["doctor"],
  fsck: () => ["fsck"],
  help: () => ["help", name],
  import: () => ["import", "--dry-run"],
  init: () => ["init"],
  "mcp add": () => ["mcp", "add", "another", "--", name, name],
  "mcp allow": () => ["mcp", "allow", name],
  "mcp auth": () => ["mcp", "auth", name],
  "mcp list": () => ["mcp", "list"],
  "mcp new": () => ["mcp", "new", name],
  "mcp remove": () => ["mcp", "remove", "another"],
  "mcp search": none, // a name of its own: mcpSearch.test.ts
  "mcp serve": none,
  "mcp test": () => ["mcp", "test", `mine ${name}`],
  "memory init": () => ["memory", "init"],
  models: () => ["models", name],
  "plugin disable": () => ["plugin", "disable", name],
  "plugin enable": () => ["plugin", "enable", name],
  "plugin install": () => ["plugin", "install", name],
  "plugin list": () => ["plugin", "list"],
  "plugin new": () => ["plugin", "new", name],
  "plugin remove": () => ["plugin", "remove", name],
  "plugin update": () => ["plugin", "update", name],
  "policy check": () => ["policy", "check"],
  replay: ({ session }) => ["replay", session],
  rewind: ({ session }) => ["rewind", session, "--to", "3", "--both", "--yes"],
  "sessions archive": () => ["sessions", "archive", name],
  "sessions backup": () => ["sessions", "backup", `backup ${name}`],
  "sessions delete": ({ session }) => ["sessions", "delete", session],
  "sessions export": ({ session }) => ["sessions", "export", session, "--format", "markdown"],
  "sessions fork": ({ session }) => ["sessions", "fork", session],
  "sessions import": () => ["sessions", "import", name],
  "sessions list": () => ["sessions", "list"],
  "sessions name": ({ session }) => ["sessions", "name", session, name],
  "sessions prune": () => ["sessions", "prune", "--days", name],
  "sessions restore-files": ({ session }) => ["sessions", "restore-files", session, `restored ${name}`],
  "sessions search": () => ["sessions", "search", "owned"],
  "sessions show": ({ session }) => ["sessions", "show", session, "--verbose"],
  runner: none,
  serve: none,
  "skills list": () => ["skills", "list"],
  stats: () => ["stats", "--by", "model"],
  "telemetry export": ({ session }) => ["telemetry", "export", session, "--content"],
  trust: () => ["trust"],
  version: () => ["version"]
}

/** More of those that show a session in several ways. */
const more: ReadonlyArray<Case> = [
  ({ session }) => ["sessions", "show", session],
  ({ session }) => ["sessions", "export", session, "--format", "html"],
  ({ session }) => ["replay", session, "--screen"],
  ...["json", "stream-json", "events"].map((format): Case => ({ session }) => ["sessions", "show", session, "--output-format", format]),
  ...["json", "stream-json", "events"].map((format): Case => ({ model }) => ["-p", "--output-format", format, "--model", model, evil]),
  ...[["doctor"], ["mcp", "list"], ["trust"], ["config", "list"], ["sessions", "list"], ["agents"], ["skills"]].map((args): Case => () => [...args, "--output-format", "json"]),
  () => ["trust", "--revoke"],
  () => [name],
  () => [`--${name}`],
  () => ["--config", `${name}=1`, "doctor"]
]

/** Each command with each of its actions, as the command line lists them. */
const known = Commands.list.flatMap((command) => command.actions.length === 0 || command.name === "agents" ? [command.name, ...command.actions.map((action) => `${command.name} ${action}`)] : command.actions.map((action) => `${command.name} ${action}`))

const short = (args: ReadonlyArray<string>) => args.map((arg) => JSON.stringify(arg).slice(0, 24)).join(" ")

/** Runs some at a time; gives what each let through. */
const leaks = async ({ place }: World, calls: ReadonlyArray<ReadonlyArray<string>>, variables: Readonly<Record<string, string>> = {}, fit = (text: string) => text) => {
  const found: Array<string> = []
  const spoken: Array<string> = []
  const rest = [...calls]
  const worker = async () => {
    for (let args = rest.shift(); args !== undefined; args = rest.shift()) {
      const { stderr, stdout } = await Process.run({ ...place, environment: { ...place.environment, ...variables } }, args, "")
      spoken.push(stdout + stderr)
      for (const [stream, text] of Object.entries({ stderr, stdout })) {
        const at = obeyed.exec(fit(text))?.index ?? /^FORGED/m.exec(fit(text))?.index
        if (at !== undefined) found.push(`${short(args)} on ${stream}: ${JSON.stringify(fit(text).slice(Math.max(0, at - 60), at + 20))}`)
      }
    }
  }
  await Promise.all(Array.from({ length: 3 }, worker))
  return { found, spoken: spoken.join("") }
}

describe("a hostile name", () => {
  it("has a case for every command", () => {
    expect(Object.keys(cases).sort()).toEqual([...known].sort())
  })

  it("has no effect on the terminal in the output of any command, with or without colours", { timeout: 480_000 }, async () => {
    const there = await world()
    using _ = there.place
    const calls = Object.values(cases).flatMap((make) => make === undefined ? [] : [make(there)])
    const wrong = known.filter((command) => cases[command] !== undefined).map((command) => [...command.split(" ").filter((word) => word !== "run"), name, ...(command === "sessions export" ? ["--format", "html"] : [])])
    const every = <A>(all: ReadonlyArray<A>) => choose({ quick: all.filter((_, i) => i % 4 === 0), all })
    const plain = await leaks(there, [...calls, ...more.map((make) => make(there)), ...every(wrong)])
    expect(plain.found).toEqual([])
    const paints = new RegExp(`\\u001b\\[(?:${Theme.codes.join("|")})m`, "g")
    const colored = await leaks(there, [...every(calls), ...more.map((make) => make(there))], { FORCE_COLOR: "1" }, (text) => text.replaceAll(paints, ""))
    expect(colored.found).toEqual([])
    // The trap works: the names were told, and colours were on.
    for (const told of ["FORGED", "no_such_x", "mine x"]) expect(plain.spoken).toContain(told)
    expect(colored.spoken).toMatch(paints)
  })

  it("has no effect in invalid settings", async () => {
    const there = await world()
    using _ = there.place
    writeFileSync(join(there.place.cwd, ".dacapo", "config.jsonc"), JSON.stringify({ [name]: 1, permissions: { [name]: 1, allow: [name] } }))
    const { found, spoken } = await leaks(there, [["trust"], ["doctor"], ["config", "list"], ["-p", "--model", there.model, "go"], ["mcp", "list"], ["policy", "check"]])
    expect(found).toEqual([])
    expect(spoken).toContain("FORGED")
  })
})

describe("what is written", () => {
  it("passes through one module, which lets only our own colours through", () => {
    expect(TerminalOutput.text(`\u001b[31mred\u001b[39m ${evil}\u001b[8mhidden`, true)).toBe("\u001b[31mred\u001b[39m x␍<U+202E>y<U+202C><U+200B>␈hidden")
    expect(TerminalOutput.text("\u001b[31mred\u001b[39m", false)).toBe("red")
  })

  it("has no other way out: one module uses the streams, and only the interactive screen the terminal", () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts") && !file.startsWith("domain/")).map((file) => [file, readFileSync(join("src", file), "utf8")] as const)
    const holding = (pattern: RegExp) => sources.filter(([, text]) => pattern.test(text)).map(([file]) => file).sort()
    expect(sources.length).toBeGreaterThan(200)
    expect(holding(/process\s*\.\s*std(?:out|err)/)).toEqual(["cli/process/HostLive.ts"])
    expect(holding(/^\s*console\s*\.\s*\w+\(/m)).toEqual([])
    expect(holding(/[wW]rite(?:File)?(?:Sync)?\(\s*[12],/)).toEqual([])
    expect(holding(/\bterminal\.stdout|\{\s*\.\.\.terminal,/)).toEqual(["cli/replay/Playback.ts", "cli/terminal/DrawLoop.ts"])
  })
})
