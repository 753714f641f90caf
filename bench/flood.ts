/** A command that says a gigabyte, with no end of line: how much larger we grow, and how long a key would wait meanwhile. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { report } from "./measure.ts"

const flooded = fileURLToPath(new URL("../test/layers/workspace/shell/flooded.ts", import.meta.url))
const { grown, still }: { readonly grown: number; readonly still: number } = JSON.parse(execFileSync(process.execPath, [flooded], { encoding: "utf8" }))

report("A gigabyte of output", "MB", [{ claim: "grown by, at most", ours: grown / 1e6, limit: 64 }])
report("A gigabyte of output", "ms", [{ claim: "the event loop stood still, at most", ours: still, limit: 200 }])
