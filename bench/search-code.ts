/**
 * search_code against ripgrep by keywords, on pairs made from a repository's history: the subject of a commit, and the source files
 * that it changed. The figure is recall@10: how much of a commit's files is among the first ten, on average. Files are searched as they
 * are now, so that pairs count whose files still exist. Without a model on hand it is measured for words alone.
 *
 * `node bench/search-code.ts [checkout [folder]]`: this repository and `src`, where nothing is named. Tests are no sources.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { arch, platform, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Languages from "../src/domain/definitions/Languages.ts"
import * as CodeChunks from "../src/domain/search/CodeChunks.ts"
import * as TreeSitter from "../src/layers/definitions/TreeSitter.ts"
import * as CodeIndex from "../src/layers/search/CodeIndex.ts"
import { Definitions } from "../src/services/Definitions.ts"
import { median, report } from "./measure.ts"

const [root = fileURLToPath(new URL("../", import.meta.url)), folder = "src"] = process.argv.slice(2)
const rg = createRequire(import.meta.url).resolve(`@vscode/ripgrep-${platform()}-${arch()}/bin/rg`)

/** The newest commits, each with at most so many files: what touches more is about no place in particular. */
const limits = { pairs: 300, files: 5, top: 10, ranks: 200 }

const isSource = /\.tsx?$/

interface Pair {
  readonly subject: string
  readonly files: ReadonlyArray<string>
}

const pairs: ReadonlyArray<Pair> = execFileSync("git", ["log", "--no-merges", "--no-renames", "--diff-filter=AM", "--format=%x00%s", "--name-only", "--", folder, ":(exclude)*__tests__/*"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 1 << 28
}).split("\0").slice(1).flatMap((entry) => {
  const [subject = "", ...lines] = entry.split("\n").filter((line) => line !== "")
  const files = lines.filter((line) => isSource.test(line) && existsSync(join(root, line)))
  return files.length === lines.length && files.length > 0 && files.length <= limits.files && subject.split(" ").length >= 3 ? [{ subject, files }] : []
}).slice(0, limits.pairs)

const recall = ({ files }: Pair, found: ReadonlyArray<string>): number =>
  files.filter((file) => found.slice(0, limits.top).includes(file)).length / files.length

const sources = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ["**/__tests__/**"] })
const home = mkdtempSync(join(tmpdir(), "dacapo-bench-"))
const index = CodeIndex.open(join(home, "index.sqlite"))
try {
  const start = performance.now()
  await Effect.runPromise(Effect.gen(function*() {
    const definitions = yield* Definitions
    for (const path of sources) {
      const text = readFileSync(join(root, path), "utf8")
      const language = Languages.of(path)
      const items = language === undefined ? [] : yield* Effect.orElseSucceed(definitions.of(language, text), () => [])
      index.replace(path, "1", CodeChunks.split(text, items))
    }
  }).pipe(Effect.provide(TreeSitter.layer)))
  const indexMs = performance.now() - start

  /** The files of the best parts, each once. */
  const byIndex = ({ subject }: Pair): ReadonlyArray<string> =>
    [...new Set(index.byWords(CodeChunks.queryWords(subject), limits.ranks).map((id) => index.chunk(id)!.path))]

  /** Files by how many of the keywords they contain, then by how often: one run of ripgrep for each keyword. */
  const byRipgrep = ({ subject }: Pair): ReadonlyArray<string> => {
    const keywords = (subject.match(/[\p{L}\p{N}_$]+/gu) ?? []).filter((word) => CodeChunks.queryWords(word).length > 0)
    const counts = new Map<string, { words: number; lines: number }>()
    for (const keyword of new Set(keywords)) {
      const { stdout } = spawnSync(rg, ["--ignore-case", "--fixed-strings", "--count", "--glob", "*.{ts,tsx}", "--glob", "!__tests__", "--", keyword, folder], { cwd: root, encoding: "utf8" })
      for (const line of stdout.split("\n").filter((line) => line !== "")) {
        const at = line.lastIndexOf(":")
        const path = line.slice(0, at)
        const count = counts.get(path) ?? { words: 0, lines: 0 }
        counts.set(path, { words: count.words + 1, lines: count.lines + Number(line.slice(at + 1)) })
      }
    }
    return [...counts].sort(([a, x], [b, y]) => y.words - x.words || y.lines - x.lines || (a < b ? -1 : 1)).map(([path]) => path)
  }

  const measure = (find: (pair: Pair) => ReadonlyArray<string>) => {
    const times: Array<number> = []
    const recalls = pairs.map((pair) => {
      const from = performance.now()
      const value = recall(pair, find(pair))
      times.push(performance.now() - from)
      return value
    })
    return { recall: recalls.reduce((sum, value) => sum + value, 0) / recalls.length, ms: median(times) }
  }
  const words = measure(byIndex)
  const ripgrep = measure(byRipgrep)
  console.log(`\n${pairs.length} commits, ${sources.length} files in ${index.count()} parts, indexed in ${Math.round(indexMs)} ms`)
  const peer = (value: number) => ({ name: "ripgrep by keywords", value })
  report("search_code, words alone", "recall@10 in percent", [{ claim: "commit message to files", ours: words.recall * 100, peer: peer(ripgrep.recall * 100) }])
  report("search_code, words alone", "ms a search, median", [{ claim: "commit message to files", ours: words.ms, peer: peer(ripgrep.ms) }])
} finally {
  index.close()
  rmSync(home, { recursive: true, force: true })
}
