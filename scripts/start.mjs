/** `npm start`: runs the demo with the installed command. */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const bin = join(dirname(fileURLToPath(import.meta.url)), "..", "bin", "dacapo")
spawn(bin, ["demo", ...process.argv.slice(2)], { stdio: "inherit" })
  .on("error", (error) => {
    console.error(`dacapo can't be started: ${error.message}`)
    process.exitCode = 1
  })
  .on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1)
  })
