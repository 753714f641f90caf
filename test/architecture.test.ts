import { describe, expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { ambient, type House, rules, violations } from "./architecture/rules.ts"
import { scan } from "./architecture/scan.ts"

const root = new URL("../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")
const paths = (pattern: string) => globSync(pattern, { cwd: root.pathname })

/** The titles of a file's tests, one a line. */
const titles = (path: string): string =>
  [...read(path).matchAll(/\b(?:it|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(["`])((?:\\.|(?!\1).)*)\1/g)].map(([, , title]) => title).join("\n")

const texts = (patterns: ReadonlyArray<string>) => patterns.flatMap(paths).map((path) => [path, read(path)] as const)

const house: House = {
  files: new Map(paths("src/**/*.{ts,tsx}").map((path) => [path, read(path)])),
  owners: JSON.parse(read("scripts/owners.json")),
  decisions: paths("docs/decisions/*.md").map(read).join("\n"),
  pages: new Map([
    ...texts(["*.md", "docs/**/*.md", "bench/*.{ts,mjs}", "examples/*.ts"]),
    ...paths("test/**/*.test.ts").map((path) => [path, titles(path)] as const)
  ]),
  scripts: new Map(texts(["scripts/*.mjs", "bin/*"]))
}

describe("the house", () => {
  const found = violations(house)
  for (const name of Object.keys(rules)) it(name, () => expect(found[name]).toEqual([]))

  it("knows who reads the outside world", () => {
    const owned = Object.values(house.owners).flatMap(({ owns }) => owns)
    const counts = Object.keys(ambient).map((kind) => `${owned.filter((own) => own === kind).length} ${kind}`)
    console.log(`${Object.keys(house.owners).length} of ${house.files.size} files read the outside world: ${counts.join(", ")}`)
    for (const { why } of Object.values(house.owners)) expect(why).not.toBe("")
  })
})

/** What the rules say of these files, without the names of rules that are content. Files of a few lines are all small. */
const judge = (files: Record<string, string>, more: Partial<House> = {}) => {
  const { "a small file has several importers, or a reason": _, ...rest } = violations({ files: new Map(Object.entries(files)), owners: {}, decisions: "", ...more })
  return Object.values(rest).flat()
}

describe("the rules", () => {
  it("catch a small file with one importer, and not one with two", () => {
    const files = new Map([
      ["src/cli/A.ts", `import "../domain/B.ts"\nimport "../domain/C.ts"`],
      ["src/cli/D.ts", `import "../domain/C.ts"`],
      ["src/domain/B.ts", ""],
      ["src/domain/C.ts", ""]
    ])
    const found = violations({ files, owners: {}, decisions: "" })["a small file has several importers, or a reason"]
    expect(found).toEqual([expect.stringContaining("src/domain/B.ts is small")])
  })

  const x = "src/layers/tool/X.ts"
  const caught: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    ["an import up the stairs", { "src/services/A.ts": `import { b } from "../layers/B.ts"`, "src/layers/B.ts": "" }, "its own floor or lower"],
    ["a type from up the stairs", { "src/domain/A.ts": `import type { B } from "../cli/B.ts"`, "src/cli/B.ts": "" }, "its own floor or lower"],
    ["a type position that reaches up", { "src/domain/A.ts": `type B = typeof import("../cli/B.ts")`, "src/cli/B.ts": "" }, "its own floor or lower"],
    ["a dynamic import up the stairs", { "src/layers/A.ts": `const b = () => import("../cli/B.ts")`, "src/cli/B.ts": "" }, "its own floor or lower"],
    ["an import over several lines", { "src/domain/A.ts": `import {\n  b,\n  c\n} from "../services/B.ts"`, "src/services/B.ts": "" }, "its own floor or lower"],
    ["a re-export up the stairs", { "src/services/A.ts": `export * as B from "../layers/B.ts"`, "src/layers/B.ts": "" }, "its own floor or lower"],
    ["an import without .ts", { [x]: `import { b } from "./B"`, "src/layers/tool/B.ts": "" }, "has no .ts"],
    ["an import of a file that is not there", { [x]: `import { b } from "./B.ts"` }, "there is no such file"],
    ["an import of an entry point", { [x]: `import { Live } from "../../index.ts"`, "src/index.ts": "" }, "for those outside"],
    ["a circle", {
      "src/domain/A.ts": `import { b } from "./B.ts"`,
      "src/domain/B.ts": `export { c } from "./C.ts"`,
      "src/domain/C.ts": `import "./A.ts"`
    }, "src/domain/A.ts → src/domain/B.ts → src/domain/C.ts → src/domain/A.ts"],
    ["a circle of types", { "src/domain/A.ts": `import type { B } from "./B.ts"`, "src/domain/B.ts": `import { a } from "./A.ts"` }, "src/domain/A.ts → src/domain/B.ts"],
    ["a circle through a call", { "src/cli/A.ts": `const b = () => import("./B.ts")`, "src/cli/B.ts": `import { a } from "./A.ts"` }, "src/cli/A.ts → src/cli/B.ts"],
    ["a folder of 36 files", Object.fromEntries(Array.from({ length: 36 }, (_, i) => [`src/services/F${i}.ts`, ""])), "src/services has 36 files"],
    ["a name in one room twice", { "src/domain/a/A.ts": "", "src/domain/b/A.ts": "" }, "A.ts is the name of"],
    ["a long line", { [x]: `const a = ${"1 + ".repeat(40)}1` }, "is longer than 140 columns"],
    ["a long comment", { [x]: `// ${"word ".repeat(40)}` }, "is longer than 140 columns"],
    ["node in the domain", { "src/domain/A.ts": `import { join } from "node:path"` }, "not on the list of pure modules"],
    ["node without its prefix in the domain", { "src/domain/A.ts": `import fs from "fs"` }, "not on the list of pure modules"],
    ["an effectful module in the domain", { "src/domain/A.ts": `import * as Stream from "effect/Stream"` }, "not on the list of pure modules"],
    ["a library that nobody named", { "src/domain/A.ts": `import _ from "lodash"` }, "not on the list of pure modules"],
    ["a library in two places", { "src/domain/a/A.ts": `import "diff"`, "src/domain/b/B.ts": `import "diff"` }, "stands in 2 folders of the domain"],
    ["node in a service", { "src/services/A.ts": `import type { Stats } from "node:fs"` }, "a layer says how"],
    ["the barrel", { [x]: `import { Effect } from "effect"` }, "the barrel loads all of it"],
    ["a program that gets every variable", { [x]: `import { spawn } from "node:child_process"\nspawn("git", [], { cwd: "/" })` }, "keys among them"],
    ["a program that gets every variable, through a promise", { [x]: `import { execFile } from "node:child_process"\nawait promisify(execFile)("git", [])` }, "keys among them"],
    ["the clock", { [x]: `const t = Date.now()` }, "reads clock: Date.now"],
    ["the date", { [x]: `const t = new Date()` }, "reads clock: new Date()"],
    ["the high resolution clock", { [x]: `const t = performance.now()` }, "reads clock: performance.now"],
    ["a timer", { [x]: `setTimeout(() => {}, 1)` }, "reads timers: setTimeout"],
    ["chance", { [x]: `const n = Math.random()` }, "reads chance: Math.random"],
    ["an id", { [x]: `const id = crypto.randomUUID()` }, "reads chance: randomUUID"],
    ["the environment", { [x]: `const key = process.env["KEY"]` }, "reads env: process.env"],
    ["the process", { [x]: `const text = \`in \${process.cwd()}\`` }, "reads process: process.c"],
    ["the process taken apart", { [x]: `const { argv } = process` }, "reads process"],
    ["the network", { [x]: `const send = globalThis.fetch` }, "reads network: globalThis.fetch"],
    ["an owner that owns nothing", { [x]: "" }, "owns clock and does not read it"],
    ["a tool that opens files itself", { [x]: `import { readFile } from "node:fs/promises"` }, "it would pass the judgement"],
    ["a context source that asks the file system", { "src/layers/context/X.ts": `import * as FileSystem from "effect/FileSystem"` }, "it would pass the judgement"],
    ["a tool that takes the workspace of the disk", { [x]: `import * as N from "../workspace/files/NodeWorkspace.ts"`, "src/layers/workspace/files/NodeWorkspace.ts": "" }, "it would pass the judgement"],
    ["tools that are given the whole workspace", { "src/layers/tool/ToolsLive.ts": "export const a = 1" }, "does not bind its Workspace"],
    ["a long file", { [x]: "\n".repeat(401) }, "has 401 lines"],
    ["a cast to any", { [x]: `const a = b as any` }, "casts to any"],
    ["a silenced compiler", { [x]: `// @ts-expect-error` }, "silences the compiler"],
    ["a participle as a name", { [x]: `const found = 1` }, "declares found"],
    ["a participle as a parameter", { [x]: `export const f = (told: string) => told.length` }, "declares told"],
    ["a participle as an untyped parameter", { [x]: `list.map((known) => known.id)` }, "declares known"],
    ["a participle in a type", { [x]: `interface A {\n  readonly whole: string\n}` }, "declares whole"],
    ["a mood as a type", { [x]: `type Wanted = string` }, "declares Wanted"],
    ["a translated phrase", { [x]: `// the session goes on` }, `says "goes on"; write continue`],
    ["a translated phrase over two lines", { [x]: `/**\n * No layer is to be\n * had here.\n */` }, `says "to be had"; write available`],
    ["a coined name of a type", { [x]: `interface Needs {}` }, "declares Needs"],
    ["something left to do", { [x]: `// ${"TO"}DO: later` }, "leaves something to do"]
  ]
  for (const [name, files, sentence] of caught) {
    it(`catch ${name}`, () => {
      const owners: House["owners"] = sentence.startsWith("owns") ? { [x]: { owns: ["clock"], why: "" } } : {}
      const found = judge(files, { owners })
      expect(found.filter((violation) => violation.includes(sentence))).toHaveLength(1)
      expect(found).toHaveLength(1)
    })
  }

  const fine: ReadonlyArray<readonly [string, Record<string, string>, Partial<House>?]> = [
    ["imports down the stairs", { "src/cli/A.ts": `import { b } from "../domain/B.ts"`, "src/domain/B.ts": `import * as Schema from "effect/Schema"` }],
    ["a date that is made from data", { [x]: `const day = new Date(event.time).toISOString()` }],
    ["comments and strings that speak of the world", {
      [x]: `// Date.now() and import "../../cli/X.ts"\n/* process.env */ const a = "Math.random() from './B'", b = 'process.exit', c = \`fetch(\${a}) setTimeout\``
    }],
    ["quotes and slashes in a regular expression", { [x]: `const r = /["'\`]|[/"]|\\/\\*/.test(a) ? 1 / 2 / 3 : "Date.now()"` }],
    ["code after a template in a template", { [x]: "const a = `${b ? `${c}` : { d: `}` }.d} Date.now()`" }],
    ["a field of an event", { [x]: `const event = { _tag: "ToolProbed", found: state }\nconst f = ({ said }: E) => said` }],
    ["a name that only begins like one", { [x]: `const knownHosts = 1, foundation = 2` }],
    ["plain English with the same words", { [x]: `// Undefined if there is none. The key is saved.` }],
    ["an owner that reads what it owns", { [x]: "Date.now()" }, { owners: { [x]: { owns: ["clock"], why: "it is the clock" } } }],
    ["a long file that a decision names", { [x]: "\n".repeat(401) }, { decisions: `${x} is one table.` }]
  ]
  for (const [name, files, more] of fine) it(`allow ${name}`, () => expect(judge(files, more)).toEqual([]))

  it("read every kind of import", () => {
    const text = `import a from "a"\nimport type { B } from 'b'\nimport { type C } from "c"\nimport "d"\nexport * from "e"\n` +
      `const f = await import("f"); type G = import("g").G\nprocess.getBuiltinModule("node:h")\nexport const i = "from 'j'"\nexport type { K } from "k"`
    expect(scan(text).imports).toEqual([
      { specifier: "a", when: "load" },
      { specifier: "b", when: "never" },
      { specifier: "c", when: "load" },
      { specifier: "d", when: "load" },
      { specifier: "e", when: "load" },
      { specifier: "f", when: "call" },
      { specifier: "g", when: "call" },
      { specifier: "node:h", when: "call" },
      { specifier: "k", when: "never" }
    ])
  })
})
