/**
 * Prints measures of the source: files, their median length, the largest folder, repeated file names, small files with one
 * importer, circular imports. test/architecture.test.ts enforces the limits.
 */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { measure } from "../test/architecture/house.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const files = globSync("src/**/*.{ts,tsx}", { cwd: root })
const { circles, folders, lines, longLines, repeatedNames, smallFiles } = measure(new Map(files.map((file) => [file, readFileSync(root + file, "utf8")])))

const sorted = [...lines.values()].toSorted((a, b) => a - b)
const [[largest, count]] = [...folders].toSorted(([, a], [, b]) => b - a)
console.log(`${files.length} files, median ${sorted[sorted.length >> 1]} lines, longest ${sorted.at(-1)}`)
console.log(`largest folder: ${largest} with ${count} files`)
console.log(`names used more than once: ${repeatedNames.size}${process.argv.includes("--names") ? `\n  ${[...repeatedNames].map(([name, paths]) => `${name}: ${paths.join(", ")}`).join("\n  ")}` : ""}`)
console.log(`files under 40 lines with one importer: ${smallFiles.length}${process.argv.includes("--small") ? `\n  ${smallFiles.join("\n  ")}` : ""}`)
console.log(`lines over 140 columns: ${longLines.length}`)
console.log(`circles, type imports included: ${circles.length}${circles.map((circle) => `\n  ${circle.join(" → ")}`).join("")}`)
