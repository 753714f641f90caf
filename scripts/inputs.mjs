/** What a build is made from, so that one that would give the same again can be left out. */
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

const files = ["src/**/*", "scripts/{build,inputs,library}.mjs", "package.json", "package-lock.json", "tsconfig*.json"]
const record = "node_modules/.cache/dist.sha256"

/** A digest of every file that is read, by name and content. */
export const digest = () => {
  const hash = createHash("sha256")
  for (const entry of globSync(files, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name, parentPath }) => `${parentPath}/${name}`).toSorted())
    hash.update(`${entry}\0`).update(readFileSync(entry)).update("\0")
  return hash.digest("hex")
}

/** Whether dist was built from the files as they are now. */
export const isBuilt = () => existsSync("dist") && existsSync(record) && readFileSync(record, "utf8") === digest()

/** Records what dist was built from. */
export const remember = (built) => {
  mkdirSync(dirname(record), { recursive: true })
  writeFileSync(record, built)
}
