/** The built page: how much a browser loads before it shows anything, and what its files may contain. */
import { expect, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../dist/page/", import.meta.url))
const read = (name: string): string => readFileSync(`${folder}${name}`, "utf8")

/** What a file loads at once, itself included. */
const firstLoad = (name: string, names = new Set<string>()): ReadonlySet<string> => {
  if (names.has(name)) return names
  names.add(name)
  const text = read(name)
  const patterns = name.endsWith(".html") ? [/(?:src|href)="\/([^"]+)"/g] : name.endsWith(".js") ? [/(?:from|import)"\.\/([^"]+)"/g] : []
  for (const pattern of patterns) for (const match of text.matchAll(pattern)) firstLoad(match[1]!, names)
  return names
}

it("loads at most 120 kB compressed before it is shown", () => {
  const names = [...firstLoad("index.html")]
  const bytes = names.reduce((sum, name) => sum + readFileSync(`${folder}${name}.br`).length, 0)
  console.log(`First load of the page: ${names.length} files, ${bytes} bytes compressed.`)
  expect(names.length).toBeGreaterThan(3)
  expect(bytes).toBeLessThan(120_000)
})

it("has no inline code, and loads the highlighter and the diff when they are needed", () => {
  expect(read("index.html")).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/)
  const early = firstLoad("index.html")
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"))
  const highlighters = scripts.filter((name) => read(name).includes("hljs-"))
  expect(highlighters).not.toEqual([])
  expect(highlighters.filter((name) => early.has(name))).toEqual([])
})
