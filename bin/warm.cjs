/**
 * Loads the command's scripts with the code that V8 made of them in an earlier run, which is kept beside Node's own compile cache.
 * Node keeps a file as it is when it has just been read: the functions that run later, 3,000 in the shortest task, would be
 * compiled anew in every run. Here they are kept as the process ends. All of it is optional: what can't be read is compiled, what
 * can't be written is done without.
 */
"use strict"

const fs = require("node:fs")
const { createRequire, getCompileCacheDir } = require("node:module")
const path = require("node:path")
const { pathToFileURL } = require("node:url")
const { Script } = require("node:vm")
const { crc32 } = require("node:zlib")

/** What was kept is kept again by a run that held this much more code than the one before: a first task after a `--help`. */
const growth = 1.25

/** Of the crc32 of a script and its code, and of the code that the process held, in bytes: four bytes each. */
const head = 8

/** Runs a script and all that it requires. */
exports.run = (file) => {
  const folder = getCompileCacheDir()
  const scripts = []
  if (folder !== undefined) process.on("exit", () => keep(scripts))
  return load(file, new Map(), (file) => {
    const bytes = fs.readFileSync(file)
    const sum = crc32(bytes)
    const cache = folder && path.join(folder, path.basename(file, ".cjs"))
    const { data, held = 0 } = kept(cache, sum)
    const script = new Script(`(function (exports, require, imports, __filename) {${bytes}\n})`, { filename: file, cachedData: data })
    scripts.push({ cache, script, sum, held: script.cachedDataRejected ? 0 : held })
    return script.runInThisContext()
  })
}

function load(file, loaded, compile) {
  if (loaded.has(file)) return loaded.get(file)
  const exports = {}
  loaded.set(file, exports)
  const outside = createRequire(file)
  const inside = (id) => id.startsWith(".") ? path.resolve(path.dirname(file), id) : undefined
  const requires = (id) => inside(id) === undefined ? outside(id) : load(inside(id), loaded, compile)
  const imports = (id) => import(inside(id) === undefined ? id : pathToFileURL(inside(id)))
  compile(file)(exports, requires, imports, file)
  return exports
}

/** V8 looks at a script's length alone, and not at what was kept of it. */
function kept(cache, sum) {
  try {
    const bytes = fs.readFileSync(cache)
    const data = bytes.subarray(head)
    return crc32(data, sum) === bytes.readUInt32LE(0) ? { data, held: bytes.readUInt32LE(4) } : {}
  } catch {
    return {}
  }
}

function keep(scripts) {
  const now = require("node:v8").getHeapCodeStatistics().bytecode_and_metadata_size
  for (const { cache, held, script, sum } of scripts) {
    if (now < held * growth) continue
    const data = script.createCachedData()
    const bytes = Buffer.alloc(head + data.length)
    bytes.writeUInt32LE(crc32(data, sum), 0)
    bytes.writeUInt32LE(now, 4)
    data.copy(bytes, head)
    const aside = `${cache}.${process.pid}`
    try {
      fs.writeFileSync(aside, bytes, { mode: 0o600 })
      fs.renameSync(aside, cache)
    } catch {
      fs.rmSync(aside, { force: true })
    }
  }
}
