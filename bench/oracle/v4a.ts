/**
 * Generated V4A patches, made by us and by the program whose format it is: `node bench/oracle/v4a.ts [count] [seed]`.
 * OpenAI's codex, called as `apply_patch`, is 400 MB, so it is installed here alone, when this is first run.
 *
 * A patch is written from a change that is known, so there are three answers to compare: ours, theirs and the change.
 * Printed are the counts of each way in which they agree or don't, with the first patch of each way that is no agreement.
 */
import * as Result from "effect/Result"
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Apply from "../../src/domain/diff/Apply.ts"
import * as ApplyPatch from "../../src/domain/diff/ApplyPatch.ts"

type Files = Readonly<Record<string, string>>

const here = import.meta.dirname
if (!existsSync(join(here, "node_modules"))) {
  spawnSync("npm", ["install", "--prefix", here, "--no-package-lock", "--no-audit", "--no-fund"], { stdio: "inherit" })
}
const codex = globSync(join(here, "node_modules/@openai/codex-*/vendor/*/**/codex"))[0]
if (codex === undefined) throw new Error("codex has no program for this platform")
const room = mkdtempSync(join(tmpdir(), "v4a-"))
const applyPatch = join(room, "apply_patch")
symlinkSync(codex, applyPatch)

let seed = Number(process.argv[3] ?? 1)
/** Marsaglia's xorshift: the same patches for the same seed. */
const below = (count: number): number => {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return (seed >>> 0) % count
}
const pick = <A>(list: ReadonlyArray<A>): A => list[below(list.length)]!
const chance = (percent: number): boolean => below(100) < percent

const common = ["", "}", "  return x", "else {", "  }", "import a", "// …", "\treturn"]
let made = 0
const freshLine = (): string => `${pick(["", "  ", "    ", "\t"])}${pick(["const", "let", "call", "say"])} ${pick(["a", "b", "“c”"])}${++made}`
const anyLine = (): string => chance(35) ? pick(common) : freshLine()

interface Change {
  readonly patch: string
  readonly before: Files
  /** What the patch was written to make; null where several places fit it. */
  readonly after: Files
}

/** Some lines become others; hunks with so much context, under a header where there is a line to name. */
const update = (path: string): { readonly before: string; readonly after: string; readonly section: string } => {
  const lines = Array.from({ length: 1 + below(30) }, anyLine)
  const context = below(4)
  const changed = lines.map(() => chance(12))
  if (!changed.includes(true)) changed[below(lines.length)] = true
  const fates = lines.map((line, i): ReadonlyArray<string> => !changed[i] ? [line] : pick([[], [freshLine()], [freshLine(), line], [line, anyLine()]]))
  const section: Array<string> = []
  for (let i = 0; i < lines.length;) {
    const near = (at: number): boolean => changed.slice(Math.max(0, at - context), at + context + 1).includes(true)
    if (!near(i)) {
      i++
      continue
    }
    const header = lines.slice(0, i).findLast((line) => /\w/.test(line))
    section.push(header !== undefined && chance(40) ? `@@ ${header.trim()}` : "@@")
    for (; i < lines.length && near(i); i++) {
      const line = lines[i]!
      const fate = fates[i]!
      const kept = fate.indexOf(line)
      if (kept < 0) section.push(`-${line}`)
      fate.forEach((each, j) => section.push(j === kept ? ` ${each}` : `+${each}`))
    }
    if (i === lines.length && chance(50)) section.push("*** End of File")
  }
  const text = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")
  return { before: text(lines), after: text(fates.flat()), section: [`*** Update File: ${path}`, ...section].join("\n") }
}

const change = (): Change => {
  const before: Record<string, string> = {}
  const after: Record<string, string> = {}
  const sections = ["a.ts", "b.ts", "sub/c.ts"].slice(0, 1 + below(3)).map((path) => {
    const kind = below(10)
    if (kind === 0) {
      const lines = Array.from({ length: 1 + below(4) }, anyLine)
      after[path] = lines.map((line) => `${line}\n`).join("")
      return [`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)].join("\n")
    }
    if (kind === 1) {
      before[path] = "gone\n"
      return `*** Delete File: ${path}`
    }
    const made = update(path)
    const moved = chance(10) ? `moved/${path}` : path
    before[path] = made.before
    after[moved] = made.after
    return moved === path ? made.section : made.section.replace("\n", `\n*** Move to: ${moved}\n`)
  })
  return { patch: `*** Begin Patch\n${sections.join("\n")}\n*** End Patch`, before, after }
}

const ours = ({ before, patch }: Change): Files | string =>
  Result.match(Result.flatMap(ApplyPatch.parse(patch), (edits) => Apply.applyAll(before, edits)), {
    onSuccess: ({ files }) =>
      Object.fromEntries(Object.entries({ ...before, ...files }).filter((file): file is [string, string] => file[1] !== null)),
    onFailure: (error) => error.failures.map(({ reason }) => reason).join()
  })

const theirs = ({ before, patch }: Change): Files | string => {
  const folder = mkdtempSync(join(room, "run-"))
  for (const [path, content] of Object.entries(before)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const { status, stderr } = spawnSync(applyPatch, [patch], { cwd: folder, encoding: "utf8" })
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]))
  rmSync(folder, { recursive: true })
  return status === 0 ? files : stderr
}

const same = (a: Files | string, b: Files | string): boolean =>
  typeof a === "object" && typeof b === "object" &&
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort())

const answer = (made: Files | string, after: Files): string => typeof made === "string" ? "refused" : same(made, after) ? "made it" : "made another"

const counts = new Map<string, number>()
for (let left = Number(process.argv[2] ?? 3000); left > 0; left--) {
  const each = change()
  const [our, their] = [ours(each), theirs(each)]
  const why = typeof our === "string" ? ` (${our})` : ""
  const way = `we ${answer(our, each.after)}${why}, they ${answer(their, each.after)}${same(our, their) ? ", and both alike" : ""}`
  const known = counts.get(way) ?? 0
  counts.set(way, known + 1)
  if (known === 0 && !way.endsWith("alike") && process.argv.includes("--show")) {
    console.log(`\n## ${way}\n${each.patch}\n`, { before: each.before, after: each.after, our, their })
  }
}
rmSync(room, { recursive: true })
for (const [way, count] of [...counts].sort((a, b) => b[1] - a[1])) console.log(`${`${count}`.padStart(6)}  ${way}`)
