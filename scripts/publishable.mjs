/** Before `npm publish`: fails if the package does not say where its source, its page and its bugs are. */
import { readFileSync } from "node:fs"

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const missing = ["repository", "homepage", "bugs"].filter((field) => manifest[field] === undefined)
if (missing.length > 0) {
  console.error(`package.json has no ${missing.join(", no ")}: set them to the addresses of the repository from which you publish.`)
  process.exitCode = 1
}
