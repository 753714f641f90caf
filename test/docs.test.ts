/** README and docs are checked: their programs compile, their commands parse, their links and file names exist. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Testing from "../src/testing.ts"
import * as ParseArgs from "../src/cli/args/ParseArgs.ts"
import { builtin } from "../src/layers/provider/builtin.ts"

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
  // Types are named, and neither they nor comments are left out line by line.
  for (const { path, text } of pages.filter(({ path }) => path.startsWith("docs/api/"))) expect(text.match(/import\("|\d+ more lines?|\/\*\* …/g) ?? [], path).toEqual([])
})

it("docs/embedding.md names every service of a composition, and a public suite for each contract", () => {
  const embedding = readFileSync("docs/embedding.md", "utf8")
  const [, services = ""] = /^export interface Services \{\n([^]*?)^\}/m.exec(readFileSync("src/layers/Composition.ts", "utf8"))!
  const parts = [...services.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name!)
  const [table = ""] = /^\| part \| service \|\n(?:\|.*\n)+/m.exec(embedding)!
  const named = table.split("\n").slice(2).flatMap((row) => [...row.split("|")[1]?.matchAll(/`(\w+)`/g) ?? []].map(([, name]) => name!))
  expect(named.toSorted()).toEqual(parts.toSorted())
  const suites = Object.keys(Testing).filter((name) => name.endsWith("Conformance"))
  for (const contract of ["Approver", "Checkpoints", "Provider", "Route", "Shell", "Source", "Storage", "Tool", "Workspace"]) expect(suites).toContain(`${contract}Conformance`)
  expect([...embedding.matchAll(/\| `(\w+Conformance)` \|/g)].map(([, name]) => name)).toEqual(suites.toSorted())
  for (const { path, text } of pages) for (const [name] of text.matchAll(/\b[A-Z]\w+Conformance\b/g)) expect(suites, path).toContain(name)
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
          "dacapo/ai": [`${root}/src/ai.ts`],
          "dacapo/domain": [`${root}/src/domain/index.ts`],
          "dacapo/testing": [`${root}/src/testing.ts`]
        }
      },
      include: ["*.ts"]
    }))
    const { stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder], { encoding: "utf8" })
    expect(stdout.replace(/^(\S+?)(\d+)\.ts/gm, (_, __, i) => programs[Number(i)]!.path)).toBe("")
  })

  it("name commands and flags that exist", () => {
    const calls = blocks("sh").flatMap(({ code, path }) =>
      code.split("\n").filter((line) => /^(\S+ \| )?dacapo /.test(line)).map((line) => ({ line, path })))
    expect(calls.length).toBeGreaterThan(10)
    const wrong = calls.flatMap(({ line, path }) => {
      const words = line.replace(/^\S+ \| /, "").replace(/\s+#.*$/, "").match(/"[^"]*"|\S+/g)!.slice(1).map((word) => word.replaceAll("\"", ""))
      const { problem } = ParseArgs.parse(words)
      return problem === undefined ? [] : [`${path}: ${line}: ${problem}`]
    })
    expect(wrong).toEqual([])
  })

  it("link to headings that exist", () => {
    const anchors = (text: string) =>
      [...text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
        heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-"))
    const dead = pages.filter(({ path }) => !path.startsWith("docs/api/")).flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, to = "", anchor = ""]) => !anchors(to === "" ? text : readFileSync(join(dirname(path), to), "utf8")).includes(anchor))
        .map(([, to, anchor]) => `${path} → ${to}#${anchor}`))
    expect(dead).toEqual([])
  })

  it("link to files that exist", () => {
    const dead = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, to = ""]) => to).filter((to) => !existsSync(join(dirname(path), to))).map((to) => `${path} → ${to}`))
    expect(dead).toEqual([])
  })

  it("name source files that exist", () => {
    const gone = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|scripts|bench|examples)\/[\w./-]+\.\w+)`/g)].map(([, file = ""]) => file)
        .filter((file) => !existsSync(file) && !/\/(?:X|Greet)\.ts$/.test(file)).map((file) => `${path}: ${file}`))
    expect(gone).toEqual([])
  })

  it("name for each guarantee the tests that hold it", () => {
    const { text } = pages.find(({ path }) => path === "docs/security.md")!
    const [, guarantees = ""] = /^## Guarantees\n(.*?)^## Limits/ms.exec(text) ?? []
    const rows = guarantees.split("\n").filter((line) => line.startsWith("|") && !/^\| (?:guarantee|---) /.test(line)).map((line) => line.split(" | "))
    expect(rows.length).toBeGreaterThan(30)
    const tests = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts")).map((name) => ({ path: `test/${name}`, code: readFileSync(join("test", name), "utf8") }))
    const holds = (named: string): boolean => named.startsWith("test/corpora/") ? tests.some(({ code }) => code.includes(named.slice("test/corpora/".length)))
      : tests.some(({ code, path }) => (path === named || path.startsWith(`${named}/`)) && /\bit[.(]/.test(code))
    const open = rows.filter((cells) => {
      const named = [...cells.at(-1)!.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = ""]) => path)
      return cells.length !== 3 || named.length === 0 || !named.every(holds)
    })
    expect(open.map(([promise]) => promise)).toEqual([])
  })

  it("show every folder of the source in the architecture, and no other", () => {
    const { text } = pages.find(({ path }) => path === "docs/architecture.md")!
    const paths = [...text.matchAll(/\b(?:src|test|scripts)\/[\w./-]*\w/g)].map(([path]) => path)
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
    const inFlow = [...text.matchAll(/(?<=\s)(?:domain|layers)\/\w+(?:\/\w+)?/g)].map(([path]) => `src/${path}`)
    expect(inFlow.filter((path) => !existsSync(path) && !existsSync(`${path}.ts`))).toEqual([])
    const rooms = ["domain", "layers", "cli"].flatMap((floor) =>
      readdirSync(`src/${floor}`, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name))
    expect(rooms.filter((room) => !text.includes(`\`${room}\``))).toEqual([])
  })

  it("count the routes as they are", () => {
    const counts = pages.flatMap(({ path, text }) => [...text.matchAll(/\b(\d+) (?:\[routes\]|routes)/g)].map(([, count]) => `${path}: ${count}`))
    expect(counts).toEqual(["CHANGELOG.md", "README.md"].map((path) => `${path}: ${builtin.length}`))
  })

  it("list every decision with its title and status", () => {
    const index = readFileSync("docs/decisions/README.md", "utf8")
    const wrong = pages.filter(({ path }) => /^docs\/decisions\/\d/.test(path)).filter(({ path, text }) => {
      const [, title] = /^# (.+)\n\n\*\*Status:\*\* (?:accepted|proposed|superseded by )/.exec(text) ?? []
      const file = path.slice("docs/decisions/".length)
      return title === undefined || !index.includes(`[${file.slice(0, 3)} ${title}](${file})`)
    })
    expect(wrong.map(({ path }) => path)).toEqual([])
  })
})
