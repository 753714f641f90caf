import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as ParseArgs from "../../../src/cli/args/ParseArgs.ts"
import * as Commands from "../../../src/cli/Commands.ts"
import * as ExitCode from "../../../src/cli/process/ExitCode.ts"
import * as Flags from "../../../src/cli/args/Flags.ts"
import * as HelpText from "../../../src/cli/args/HelpText.ts"
import * as SessionOptions from "../../../src/cli/start/SessionOptions.ts"
import * as DefaultModel from "../../../src/domain/provider/DefaultModel.ts"
import { dacapo } from "../support/Called.ts"
import * as Process from "../support/Process.ts"
import * as Tmux from "../support/Tmux.ts"

const stdout = (...args: ReadonlyArray<string>) => Effect.map(dacapo(args), ({ exit, stderr, stdout }) => {
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" })
  return stdout
})

describe("help", () => {
  it.effect("fits 80 columns, and knows every command and flag", () =>
    Effect.gen(function*() {
      const whole = yield* stdout("--help")
      for (const line of whole.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
      for (const { name } of Commands.list) expect(name === "run" ? "run" : whole).toContain(name)
      for (const [, flag] of Flags.visible) if (Flags.applies(flag, "run")) expect(whole).toContain(flag.names[0])
      yield* Effect.promise(() => expect(whole).toMatchFileSnapshot("../screens/help.txt"))
    }))

  it("is the same in the build, for the launcher", () => {
    expect(readFileSync(new URL("../../../dist/help.txt", import.meta.url), "utf8")).toBe(HelpText.overview(Commands.list))
  })

  it.effect("shows each command's usage, flags and an example that parses, within 80 columns", () =>
    Effect.gen(function*() {
      for (const command of Commands.list) {
        const shown = command.name === "run" ? yield* stdout("--help") : yield* stdout("help", command.name)
        for (const usage of command.usage) expect(shown.replace(/\s+/g, " ")).toContain(usage)
        for (const line of shown.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80)
        for (const [call] of command.examples) {
          const words = execFileSync("sh", ["-c", `dacapo() { printf '%s\\0' "$@"; }; git() { :; }; source() { :; }; ${call.replace(/source <\((.*)\)/, "$1")}`], { encoding: "utf8" })
          expect(ParseArgs.parse(words.split("\0").slice(0, -1))).toMatchObject({ command: command.name })
          expect(ParseArgs.parse(words.split("\0").slice(0, -1)).problem).toBeUndefined()
        }
      }
    }))

  it.effect("lists every exit code", () =>
    Effect.gen(function*() {
      const shown = yield* stdout("help", "exit-codes")
      for (const { exit, description } of Object.values(ExitCode.endings)) expect(shown).toMatch(new RegExp(`^ +${exit} .*${description.slice(0, 20).replace(/[()]/g, ".")}`, "m"))
      for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
    }))

  it.effect("of an unknown command lists the available ones", () =>
    Effect.gen(function*() {
      expect(yield* dacapo(["help", "sesions"])).toMatchObject({ exit: 2, stdout: "" })
    }))

  it.effect("of every command shows its subcommands and arguments", () =>
    Effect.gen(function*() {
      for (const { actions, name, usage } of Commands.list) {
        if (name === "run" || (actions.length === 0 && usage.some((line) => /[<[](?!-)/.test(line)))) continue
        expect(yield* dacapo([name, "telepathy"]), name).toMatchObject({ exit: 2, stdout: "", stderr: expect.stringContaining("telepathy") })
      }
    }))

  it.effect("prints only the version", () =>
    Effect.gen(function*() {
      for (const args of [["--version"], ["-v"], ["version"]]) expect(yield* stdout(...args)).toBe("1.2.3\n")
    }))
})

describe("completions", () => {
  for (const shell of ["bash", "zsh"]) {
    it.effect(`for ${shell} are a script that bash can read, with every command and flag`, () =>
      Effect.gen(function*() {
        const script = yield* stdout("completion", shell)
        execFileSync("bash", ["-n"], { input: script.replace(/^autoload.*$/m, "") })
        for (const { name } of Commands.list) expect(script).toContain(name)
        for (const [, { names }] of Flags.visible) expect(script).toContain(names[0])
      }))
  }

  it.effect("complete commands, flags and choices", () =>
    Effect.gen(function*() {
      const script = yield* stdout("completion", "bash")
      const complete = (...words: ReadonlyArray<string>) =>
        execFileSync("bash", ["-c", `${script}\nCOMP_WORDS=(dacapo ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _dacapo; echo "\${COMPREPLY[*]}"`], { encoding: "utf8" }).trim()
      expect(complete("sess")).toBe("sessions")
      // What an agent's name may be is said by the command itself.
      const agents = "dacapo() { printf '· reviewer   Reviews.\\n             tester.md\\n! recent   left out: x\\n'; }"
      expect(execFileSync("bash", ["-c", `${script}\n${agents}\nCOMP_WORDS=(dacapo --agent re); COMP_CWORD=2; _dacapo; echo "\${COMPREPLY[*]}"`], { encoding: "utf8" })).toBe("reviewer\n")
      expect(complete("sessions", "sh")).toBe("show")
      expect(complete("--output-format", "j")).toBe("json")
      expect(complete("--max-b")).toBe("--max-budget-usd")
      expect(complete("replay", "--ver")).toBe("--verbose --verify --version")
    }))

  const shells = { "bash --norc": "source <(dacapo completion bash)", "zsh -f": "source <(dacapo completion zsh)", "fish --no-config": "dacapo completion fish | source" }
  for (const [shell, source] of Object.entries(shells)) {
    const [name = ""] = shell.split(" ")
    it.runIf(spawnSync(name, ["--version"]).status === 0)(`complete in a ${name} at a terminal`, async () => {
      using place = Process.place()
      const bin = fileURLToPath(new URL("../../../bin", import.meta.url))
      using terminal = Tmux.open(place, [], { PATH: `${bin}:${place.environment["PATH"]}` }, { shell: () => [`exec ${shell}`] })
      terminal.type(`${source}; echo rea""dy`)
      terminal.press("Enter")
      await terminal.shows(/^ready$/m)
      const typed: ReadonlyArray<readonly [string, string]> = [["dacapo sess", "dacapo sessions "], ["sh", "sessions show "], ["--output-format js", "--output-format json"]]
      for (const [letters, whole] of typed) {
        terminal.type(letters)
        terminal.press("Tab")
        await terminal.shows(whole.trim())
      }
    })
  }

  it.effect("for fish have every flag with its description", () =>
    Effect.gen(function*() {
      const script = yield* stdout("completion", "fish")
      for (const [, { doc, names }] of Flags.visible) {
        expect(script).toContain(`-l ${names[0].slice(2)}`)
        expect(script).toContain(doc.replaceAll("'", "'\\''"))
      }
    }))
})

describe("a key of a provider", () => {
  it("selects a model of the catalogue, the newest of its family", () => {
    const models = Object.fromEntries(SessionOptions.keyedProviders.flatMap(({ catalogue, name }) => {
      const model = DefaultModel.find(catalogue ?? name, name)
      return model === undefined ? [] : [[name, model.id]]
    }))
    expect(models).toMatchObject({
      anthropic: "claude-sonnet-5-5",
      openai: "gpt-6.1-sol",
      gemini: "gemini-4-argon",
      openrouter: "anthropic/claude-sonnet-5.5",
      deepseek: "deepseek-v4-pro",
      groq: "openai/gpt-oss-120b"
    })
    expect(Object.keys(models).slice(0, 4)).toEqual(["anthropic", "openai", "gemini", "openrouter"])
  })
})
