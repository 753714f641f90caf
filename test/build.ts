/** Builds once before the tests: those that run the command or the package run what stands in src now. */
import { execFileSync } from "node:child_process"

export const setup = () => void execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { stdio: "inherit" })
