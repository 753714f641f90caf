/**
 * Programs that run without a question against bash itself: no program may run, no file change and no file outside be opened that the
 * analysis did not name. `node test/fuzz/silent.ts [cases] [seed] [acceptEdits]` prints what broke this.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Mode } from "../../src/domain/approval/Mode.ts"
import { writeProtection } from "../../src/domain/approval/ProtectedPaths.ts"
import { analyse, flatten, isReadOnly } from "../../src/domain/tool/CommandLine.ts"
import { inRoot, marker, type World } from "../layers/approval/world.ts"
import { isolation, realPath } from "./bash.ts"
import { seeded } from "./programs.ts"
import { makeScene, probes, secretFiles, silentProgram } from "./silentPrograms.ts"

export interface Failure {
  readonly program: string
  readonly why: ReadonlyArray<string>
}

const readers =
  "awk base64 bash basename cat chmod column comm cp cut date diff dirname du env expr file find fold git grep head id join jq ln ls md5sum mkdir mv nice nl nohup od paste ps realpath rm rmdir sed seq sh sleep sort stat stdbuf strings tac tail tee test timeout touch tr truncate uniq wc xargs xxd"
    .split(" ")

/**
 * Evaluates one program after the other. A file that was read is no longer newer than its last reading (`-N`), one that was written is
 * newer than what stands for its start, and what a program lists of the folder outside holds the marker.
 */
const driver = (root: string, record: string): string => `
command_not_found_handle() { builtin printf 'ran %s\\0' "$1" >> ${record}; return 127; }
export -f command_not_found_handle
shopt -s nullglob dotglob globstar
secrets=(${secretFiles.map((file) => `${root}/${file}`).join(" ")})
declare -A before
for file in ${root}/**; do before[$file]=1; done
exec 90<"$1"
while IFS= read -r -u 90 -d '' program; do
  for file in "\${secrets[@]}"; do builtin printf %s ${marker} > "$file"; done
  : > ${root}/../start
  exec 89< <(exec 95>&1; ( shopt -u nullglob dotglob globstar; ulimit -t 3; ulimit -f 100; unset before secrets file; set --; exec 89<&- 90<&-; eval "$program" ) </dev/null >${root}/../output 2>&1)
  IFS= read -r -t 10 -u 89 -d ''
  exec 89<&-
  output=$(< ${root}/../output) 2>/dev/null
  [[ $output == *${marker}* ]] && builtin printf 'showed the marker\\0' >> ${record}
  for file in "\${secrets[@]}"; do [[ -N $file ]] || builtin printf 'opened %s\\0' "$file" >> ${record}; done
  changed=
  after=(${root}/**)
  for file in "\${after[@]}"; do [[ -f $file && ! -L $file && $file -nt ${root}/../start ]] && { changed=1; builtin printf 'changed %s\\0' "$file" >> ${record}; }; done
  for file in "\${after[@]}"; do [[ \${before[$file]} ]] || { changed=1; builtin printf 'made %s\\0' "$file" >> ${record}; }; done
  [[ \${#after[@]} == \${#before[@]} ]] || { changed=1; builtin printf 'made or removed files\\0' >> ${record}; }
  [[ $changed ]] && { /bin/rm -rf ${root}; /bin/cp -a ${root}.old ${root}; cd ${root}/project; }
  builtin printf 'end\\0' >> ${record}
done
`

/** What each of the programs did that a silent one must not do. */
const runAll = (programs: ReadonlyArray<string>, { cwd, root }: Pick<World, "cwd" | "root">): ReadonlyArray<ReadonlyArray<string>> => {
  const folder = join(root, "..")
  const record = join(folder, "record")
  fs.writeFileSync(record, "")
  fs.writeFileSync(join(folder, "input"), programs.map((program) => `${program}\0`).join(""))
  fs.writeFileSync(join(folder, "driver"), driver(root, record))
  const bin = join(folder, "bin")
  fs.rmSync(bin, { recursive: true, force: true })
  fs.mkdirSync(bin)
  for (const probe of probes) fs.writeFileSync(join(bin, probe), `#!/bin/sh\nprintf 'ran %s\\0' ${probe} >> ${record}\n`, { mode: 0o755 })
  for (const reader of readers) fs.symlinkSync(realPath(reader), join(bin, reader))
  const [program, ...args] = [...isolation(folder, cwd), "/bin/bash", "--norc", "--noprofile", join(folder, "driver"), join(folder, "input")]
  const { error } = spawnSync(program!, args, {
    cwd,
    env: { PATH: bin, HOME: join(root, "home"), LC_ALL: "C.UTF-8" },
    timeout: 600_000,
    killSignal: "SIGKILL",
    stdio: "ignore"
  })
  if (error !== undefined) throw error
  return fs.readFileSync(record, "latin1").split("end\0").slice(0, -1).map((events) => events.split("\0").filter((event) => event !== ""))
}

/** What a run proves wrong: unknown names that the analysis named are only missing here. */
const faultsOf = (command: string, events: ReadonlyArray<string>, cwd: string, mode: Mode): ReadonlyArray<string> => {
  const named = new Set(flatten(analyse(command).parts).map(({ name }) => `ran ${name}`))
  return [...new Set(events.filter((event) =>
    (!named.has(event) || probes.some((probe) => event === `ran ${probe}`)) && !(mode === "acceptEdits" && isPlainEdit(event, cwd))))]
}

/** Files of the folder that no program reads as its settings. */
const isPlainEdit = (event: string, cwd: string): boolean => {
  const path = /^(?:made|changed) (\/.*)$/s.exec(event)?.[1]
  return event === "made or removed files" || path !== undefined && path.startsWith(`${cwd}/`) && writeProtection(path) === undefined
}

export interface Report {
  readonly failures: ReadonlyArray<Failure>
  /** Programs that ran without a question. */
  readonly silent: number
}

/** Runs what is silent among so many programs. */
export const fuzz = (cases: number, seed: number, mode: "acceptEdits" | "default" = "default", onBatch: (done: number, silent: number, failed: ReadonlyArray<Failure>) => void = () => {}) =>
  Effect.gen(function*() {
    const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "silent-fuzz-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true })))
    const root = join(folder, "root")
    makeScene(root, marker, join(folder, "record"))
    fs.cpSync(root, `${root}.old`, { recursive: true, verbatimSymlinks: true })
    return yield* inRoot(root, (world) => Effect.gen(function*() {
      const chance = seeded(seed)
      const failures: Array<Failure> = []
      const isSilent = (command: string) =>
        (mode === "default" ? isReadOnly(analyse(command)) : analyse(command).faults.length === 0)
          ? Effect.map(world.judge(command, { mode }), (decision) => decision === "allow") : Effect.succeed(false)
      const failing = Effect.fnUntraced(function*(programs: ReadonlyArray<string>) {
        const candidates = yield* Effect.filter(programs, isSilent)
        const runs = runAll(candidates, world)
        const failed = candidates.flatMap((program, i): ReadonlyArray<Failure> => {
          const why = faultsOf(program, runs[i] ?? ["did not end"], world.cwd, mode)
          return why.length === 0 ? [] : [{ program, why }]
        })
        return { failed, silent: candidates.length }
      })
      let silent = 0
      for (let done = 0; done < cases;) {
        const batch = Array.from({ length: Math.min(5000, cases - done) }, () => silentProgram(chance, mode === "acceptEdits"))
        const { failed, silent: ran } = yield* failing(batch)
        failures.push(...failed)
        silent += ran
        done += batch.length
        onBatch(done, silent, failed)
      }
      const report: Report = { failures, silent }
      return report
    }))
  })

if (import.meta.main) {
  const [cases = "100000", seed = "1", mode = "default"] = process.argv.slice(2)
  const { failures, silent } = await Effect.runPromise(Effect.scoped(fuzz(Number(cases), Number(seed), mode === "acceptEdits" ? mode : "default", (done, silent, failed) => {
    for (const { program, why } of failed) console.log(`${why.join(", ")}: ${JSON.stringify(program)}`)
    process.stderr.write(`\r${done} of ${cases}, ${silent} silent`)
  })))
  process.stderr.write("\n")
  console.log(`${cases} programs from seed ${seed}: ${silent} ran without a question, ${failures.length} failures`)
  process.exitCode = failures.length === 0 ? 0 : 1
}
