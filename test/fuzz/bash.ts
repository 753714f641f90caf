/** Runs programs in real bash, where every program is a recording shim, and tells which of them ran. */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { shims } from "./programs.ts"

export interface Run {
  /** Names of what ran, shims and unknown names alike. */
  readonly ran: ReadonlyArray<string>
  /** Files that were made. */
  readonly wrote: ReadonlyArray<string>
}

/** Real programs that only run other programs. */
const wrappers = ["bash", "sh", "env", "timeout", "nice", "nohup", "xargs", "stdbuf", "find"]

/** Evaluates one program after the other; a pipe that all of a program's children hold tells when the last of them is gone. */
const driver = (log: string): string => `
command_not_found_handle() { builtin printf 'ran %s\\0' "$1" >> ${log}; return 127; }
export -f command_not_found_handle
exec 90<"$1"
while IFS= read -r -u 90 -d '' program; do
  : "$( { ( ulimit -t 5; set --; FUNCNEST=20; exec 90<&-; eval "$program" ) </dev/null >/dev/null 2>&1 94>&-; } 95>&1 )"
  for file in *; do [[ -e $file ]] && { builtin printf 'wrote %s\\0' "$file" >> ${log}; /bin/rm -rf -- "$file"; }; done
  builtin printf 'end\\0' >> ${log}
done
`

/** The folder is made anew for each batch and removed after it. */
export const runAll = (programs: ReadonlyArray<string>): ReadonlyArray<Run> => {
  const folder = mkdtempSync(join(tmpdir(), "shell-fuzz-"))
  try {
    const [bin, work, log, input] = [join(folder, "bin"), join(folder, "work"), join(folder, "log"), join(folder, "input")]
    mkdirSync(bin)
    mkdirSync(work)
    writeFileSync(log, "")
    writeFileSync(input, programs.map((program) => `${program}\0`).join(""))
    writeFileSync(join(folder, "driver"), driver(log))
    for (const shim of shims) {
      writeFileSync(join(bin, shim), `#!/bin/sh\nprintf 'ran %s\\0' ${shim} >> ${log}\n`)
      chmodSync(join(bin, shim), 0o755)
    }
    for (const wrapper of wrappers) symlinkSync(realPath(wrapper), join(bin, wrapper))
    const [program, ...args] = [...isolation(folder, work), "/bin/bash", "--norc", "--noprofile", join(folder, "driver"), input]
    const { error } = spawnSync(program!, args, { cwd: work, env: { PATH: bin, HOME: work, LC_ALL: "C.UTF-8" }, timeout: 600_000, killSignal: "SIGKILL", stdio: "ignore" })
    if (error !== undefined) throw error
    return readFileSync(log, "utf8").split("end\0").slice(0, -1).map((lines): Run => ({ ran: entries(lines, "ran "), wrote: entries(lines, "wrote ") }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const entries = (lines: string, kind: string): ReadonlyArray<string> =>
  lines.split("\0").filter((line) => line.startsWith(kind)).map((line) => line.slice(kind.length))

export const realPath = (name: string): string => ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find(existsSync) ?? "/bin/false"

/** Without a network and with everything else read-only, where bubblewrap is there and may; else the shims alone keep it harmless. */
export const isolation = (folder: string, cwd: string): ReadonlyArray<string> => {
  const sandbox = ["/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", folder, folder, "--chdir", cwd]
  return existsSync(sandbox[0]!) && spawnSync(sandbox[0]!, [...sandbox.slice(1), "/bin/true"]).status === 0 ? sandbox : []
}
