/** What README and docs say is true: their programs compile, their commands parse, their links lead somewhere. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Args from "../src/cli/args/ParseArgs.ts"

const pages = [
  "AGENTS.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)
].map((path) => ({ path, text: readFileSync(path, "utf8") }))

const blocks = (language: string) =>
  pages.flatMap(({ path, text }) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, code = ""]) => ({ path, code })))

it("docs/api holds what the package exports, each with its docstring", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/api.mjs", "--check"], { encoding: "utf8" })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
})

describe("the docs", () => {
  it("hold programs that compile", () => {
    const folder = "node_modules/.cache/docs"
    const root = "../../.."
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    // What imports nothing is a fragment; what imports from the floors stands in a room of its own.
    const programs = blocks("ts").filter(({ code }) => code.startsWith("import ") || code.includes("\nimport "))
    expect(programs.length).toBeGreaterThan(0)
    programs.forEach(({ code }, i) => writeFileSync(join(folder, `${i}.ts`), `${code.replaceAll("\"../../", `"${root}/src/`)}\nexport {}\n`))
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
      extends: `${root}/tsconfig.json`,
      compilerOptions: {
        noUnusedLocals: false,
        incremental: false,
        tsBuildInfoFile: null,
        types: [`${root}/node_modules/@types/node`],
        paths: {
          dacapo: [`${root}/src/index.ts`],
          "dacapo/domain": [`${root}/src/domain/index.ts`],
          "dacapo/testing": [`${root}/src/testing.ts`]
        }
      },
      include: ["*.ts"]
    }))
    const { stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], { encoding: "utf8" })
    expect(stdout.replace(/^(\S+?)(\d+)\.ts/gm, (_, __, i) => programs[Number(i)]!.path)).toBe("")
  })

  it("name commands and flags that there are", () => {
    const calls = blocks("sh").flatMap(({ code, path }) =>
      code.split("\n").filter((line) => /^(\S+ \| )?dacapo /.test(line)).map((line) => ({ line, path })))
    expect(calls.length).toBeGreaterThan(10)
    const wrong = calls.flatMap(({ line, path }) => {
      const words = line.replace(/^\S+ \| /, "").replace(/\s+#.*$/, "").match(/"[^"]*"|\S+/g)!.slice(1).map((word) => word.replaceAll("\"", ""))
      const { problem } = Args.parse(words)
      return problem === undefined ? [] : [`${path}: ${line}: ${problem}`]
    })
    expect(wrong).toEqual([])
  })

  it("link to files that are there", () => {
    const dead = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, to = ""]) => to).filter((to) => !existsSync(join(dirname(path), to))).map((to) => `${path} → ${to}`))
    expect(dead).toEqual([])
  })

  it("name files of the source that are there", () => {
    const gone = pages.filter(({ path }) => !path.startsWith("docs/adding-a-")).flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|scripts|bench|examples)\/[\w./-]+\.\w+)`/g)].map(([, file = ""]) => file)
        .filter((file) => !existsSync(file)).map((file) => `${path}: ${file}`))
    expect(gone).toEqual([])
  })
})
