/**
 * The analysis against bash itself: no program may run that the analysis did not name, unless the verdict was ask.
 * `node test/fuzz/shell.ts [cases] [seed]` prints what broke this, shrunk.
 */
import * as Result from "effect/Result"
import * as Rule from "../../src/domain/approval/Rule.ts"
import { analyse, flatten } from "../../src/domain/tool/CommandLine.ts"
import { type Run, runAll } from "./bash.ts"
import { program, seeded, shims } from "./programs.ts"

export interface Failure {
  readonly program: string
  readonly why: string
}

const rules = (lists: Rule.Rules): Rule.Compiled => Result.getOrThrow(Rule.compile(lists, { root: "/project", home: "/home/user" }))

const everything = rules({ allow: ["Bash(*)"] })
const half = rules({ allow: [...shims.slice(0, 5).map((shim) => `Bash(${shim}:*)`), "Bash(echo:*)", "Bash(:)", "Bash(true)"] })
const without = rules({ allow: ["Bash(*)"], deny: ["Bash(c9:*)"] })

const allows = (compiled: Rule.Compiled, command: string): boolean => Rule.evaluate(compiled, { tool: "Bash", command }).decision === "allow"

/** A program that asks or is denied under all three sets proves nothing by running. */
export const isAllowed = (command: string): boolean => [everything, half, without].some((compiled) => allows(compiled, command))

/** Programs that do nothing but run what they are given, so need no rule. */
const transparent = ["bash", "env", "nice", "sh", "stdbuf", "time", "timeout"]

/** What a run proves wrong. */
export const judge = (command: string, { ran, wrote }: Run): string | undefined => {
  const named = new Set(flatten(analyse(command).parts).map(({ name }) => name))
  const unnamed = ran.find((name) => !named.has(name))
  if (unnamed !== undefined && allows(everything, command)) return `${unnamed} ran and was not named`
  const unruled = ran.find((name) => !shims.slice(0, 5).includes(name) && !transparent.includes(name))
  if (unruled !== undefined && allows(half, command)) return `${unruled} ran and no rule allows it`
  if (ran.includes("c9") && allows(without, command)) return "c9 ran, which is denied"
  if (wrote.length > 0 && allows(half, command)) return `${wrote[0]} was written and no rule allows it`
  return undefined
}

export interface Report {
  readonly failures: ReadonlyArray<Failure>
  /** Programs that were allowed, and so were run. */
  readonly allowed: number
  /** Commands that they ran. */
  readonly ran: number
}

/** Runs what is allowed among so many programs, in batches, since starting bash costs more than running one. */
export const fuzz = (cases: number, seed: number, onBatch: (done: number) => void = () => {}): Report => {
  const chance = seeded(seed)
  const failures: Array<Failure> = []
  let ran = 0
  let allowed = 0
  for (let done = 0; done < cases;) {
    const batch = Array.from({ length: Math.min(1000, cases - done) }, () => program(chance).replaceAll("\0", ""))
    const candidates = batch.filter(isAllowed)
    runAll(candidates).forEach((run, i) => {
      ran += run.ran.length
      const why = judge(candidates[i]!, run)
      if (why !== undefined) failures.push({ program: candidates[i]!, why })
    })
    allowed += candidates.length
    done += batch.length
    onBatch(done)
  }
  return { failures: failures.map(shrink), ran, allowed }
}

/** Cuts pieces off as long as what is left still fails. */
const shrink = (failure: Failure): Failure => {
  for (let size = failure.program.length >> 1; size > 0; size >>= 1) {
    const shorter = Array.from({ length: Math.ceil(failure.program.length / size) }, (_, i) => failure.program.slice(0, i * size) + failure.program.slice((i + 1) * size))
    const runs = runAll(shorter)
    const at = shorter.findIndex((candidate, i) => runs[i] !== undefined && judge(candidate, runs[i]) !== undefined)
    if (at >= 0) return shrink({ program: shorter[at]!, why: judge(shorter[at]!, runs[at]!)! })
  }
  return failure
}

if (import.meta.main) {
  const [cases = 50_000, seed = 1] = process.argv.slice(2).map(Number)
  const { allowed, failures, ran } = fuzz(cases, seed, (done) => process.stderr.write(`\r${done} of ${cases}`))
  process.stderr.write("\n")
  for (const { program, why } of failures) console.log(`${why}: ${JSON.stringify(program)}`)
  console.log(`${cases} programs from seed ${seed}: ${allowed} were allowed and ran ${ran} commands, ${failures.length} failures`)
  process.exitCode = failures.length === 0 ? 0 : 1
}
