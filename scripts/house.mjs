/**
 * Prints measures of the source: files, their median length, the largest folder, repeated file names, small files with one
 * importer, circular imports. test/architecture.test.ts enforces the limits.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
// Node reads TypeScript from version 22.18 on: an older one leaves it to the one that npm installed.
if (process.features.typescript === undefined) {
  process.exit(spawnSync(`${root}node_modules/.bin/node`, process.argv.slice(1), { stdio: "inherit" }).status ?? 1)
}
const { measure } = await import("../test/architecture/house.ts")
const files = fs.globSync("src/**/*.{ts,tsx}", { cwd: root })
const { circles, folders, lines, longLines, repeatedNames, smallFiles } = measure(new Map(files.map((file) => [file, fs.readFileSync(root + file, "utf8")])))

const sorted = [...lines.values()].toSorted((a, b) => a - b)
const [[largest, count]] = [...folders].toSorted(([, a], [, b]) => b - a)
console.log(`${files.length} files, median ${sorted[sorted.length >> 1]} lines, longest ${sorted.at(-1)}`)
console.log(`largest folder: ${largest} with ${count} files`)
console.log(`names used more than once: ${repeatedNames.size}${process.argv.includes("--names") ? `\n  ${[...repeatedNames].map(([name, paths]) => `${name}: ${paths.join(", ")}`).join("\n  ")}` : ""}`)
console.log(`files under 40 lines with one importer: ${smallFiles.length}${process.argv.includes("--small") ? `\n  ${smallFiles.join("\n  ")}` : ""}`)
console.log(`lines over 140 columns: ${longLines.length}`)
console.log(`circles, type imports included: ${circles.length}${circles.map((circle) => `\n  ${circle.join(" → ")}`).join("")}`)
