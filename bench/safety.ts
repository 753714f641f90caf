/** Safety costs next to nothing: a decision among 1,000 rules, and the analysis of a command before it. */
import * as Result from "effect/Result"
import picomatch from "picomatch/posix.js"
import * as Rule from "../src/domain/approval/Rule.ts"
import { analyse } from "../src/domain/tool/CommandLine.ts"
import corpus from "../test/corpora/shell.json" with { type: "json" }
import { median, report } from "./measure.ts"

const places = { root: "/home/dev/proj", home: "/home/dev" }

const numbers = Array.from({ length: 1000 }, (_, i) => i)
const rules = {
  deny: numbers.slice(0, 100).flatMap((i) => [`Bash(tool${i} remove:*)`, `Read(secret${i}/**)`]),
  ask: numbers.slice(0, 100).flatMap((i) => [`Bash(tool${i} push:*)`, `Edit(**/generated${i}.ts)`]),
  allow: [...numbers.slice(0, 299).flatMap((i) => [`Bash(tool${i} run:*)`, `Read(packages/p${i}/src/**)`]), "Bash(git status:*)", "Read(*.md)"]
}
const compiled = Result.getOrThrow(Rule.compile(rules, places))

/** Microseconds of processor time of one call, which busy neighbours stretch less than the clock's: the median of five runs after one. */
const micros = (run: () => unknown, calls = 10_000): number =>
  median(Array.from({ length: 6 }, () => {
    const start = process.cpuUsage()
    for (let i = 0; i < calls; i++) run()
    const { system, user } = process.cpuUsage(start)
    return (user + system) / calls
  }).slice(1))

const command = "tool298 run --fast && git status -sb | tool7 run x"
const analysis = analyse(command)
const path = "packages/p298/src/deep/file.ts"
const matchers = rules.allow.filter((rule) => rule.startsWith("Read")).concat(rules.deny, rules.ask).map((rule) => picomatch(rule.replace(/^\w+\(|\)$/g, ""), { dot: true }))

report("a decision among 1,000 rules", "µs", [
  { claim: "a command of three parts, once analysed", ours: micros(() => Rule.evaluateAnalysis(compiled, analysis, {})), limit: 20 },
  { claim: "a path", ours: micros(() => Rule.evaluate(compiled, { tool: "Read", path })), limit: 20, peer: { name: "picomatch, compiled", value: micros(() => matchers.filter((matches) => matches(path)), 500) } }
])

const commands = corpus.rows.map(({ command }) => command).filter((command) => command.length < 10_000)

report("the analysis of a command", "µs", [
  { claim: `median over ${commands.length} commands of the corpus`, ours: median(commands.map((command) => micros(() => analyse(command), 50))), limit: 300 }
])
