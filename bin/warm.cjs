/**
 * Loads the command's scripts with the code that V8 compiled in an earlier run, cached beside Node's own compile cache. Node
 * caches a script in the state right after loading, so functions that run later (3,000 in the shortest task) would be
 * compiled again in every run. Here the code is cached when the process exits. The cache is optional: a script whose cached
 * code can't be read is compiled, and a failed write is ignored.
 */
"use strict"

const fs = require("node:fs")
const { createRequire, getCompileCacheDir, isBuiltin } = require("node:module")
const path = require("node:path")
const { pathToFileURL } = require("node:url")
const { Script } = require("node:vm")
const { crc32 } = require("node:zlib")

/** The cache is written again by a run that compiled this many times as much code as the one before: a first task after `--help`. */
const growth = 1.25

/**
 * A checksum (crc32) of script and code, the bytes of code that the process had compiled, and the ms of processor time that it had
 * used: four bytes each.
 */
const headerBytes = 12

/** Runs a script and everything that it requires. */
exports.run = (file) => {
  const folder = getCompileCacheDir()
  const scripts = []
  if (folder !== undefined) process.on("exit", () => writeCache(scripts))
  return load(file, new Map(), (file) => {
    const bytes = fs.readFileSync(file)
    const sum = crc32(bytes)
    const cache = folder && path.join(folder, path.basename(file, ".cjs"))
    const { data, compiledBytes = 0, cpuMs = 0 } = readCache(cache, sum)
    // The scripts are ASCII (scripts/build.mjs), which is read faster as such than as UTF-8.
    const script = new Script(`(function (exports, require, imports, __filename) {${bytes.latin1Slice()}\n})`, { filename: file, cachedData: data })
    scripts.push(script.cachedDataRejected ? { cache, script, sum, compiledBytes: 0, cpuMs: 0 } : { cache, script, sum, compiledBytes, cpuMs })
    return script.runInThisContext()
  })
}

function load(file, modules, compile) {
  if (modules.has(file)) return modules.get(file)
  const exports = {}
  modules.set(file, exports)
  const requireFromFile = createRequire(file)
  const bundledFile = (id) => id.startsWith(".") ? path.resolve(path.dirname(file), id) : undefined
  const requireModule = (id) => bundledFile(id) === undefined ? requireFromFile(id) : load(bundledFile(id), modules, compile)
  // A module of Node itself is not imported: that reads each of its names, and some of `http` load another HTTP client.
  const importModule = async (id) => isBuiltin(id) ? requireFromFile(id) : import(bundledFile(id) === undefined ? id : pathToFileURL(bundledFile(id)))
  try {
    compile(file)(exports, requireModule, importModule, file)
  } catch (error) {
    modules.delete(file)
    throw error
  }
  return exports
}

/** Verified by a checksum, because V8 only compares the length of the script. */
function readCache(cache, sum) {
  try {
    const bytes = fs.readFileSync(cache)
    const data = bytes.subarray(headerBytes)
    return crc32(data, sum) === bytes.readUInt32LE(0) ? { data, compiledBytes: bytes.readUInt32LE(4), cpuMs: bytes.readUInt32LE(8) } : {}
  } catch {
    return {}
  }
}

/** Counting the compiled code takes 5 ms, so a run that used no more time than the one that stored it does not. */
function writeCache(scripts) {
  const { system, user } = process.cpuUsage()
  const currentMs = Math.round((system + user) / 1000)
  if (scripts.every(({ cpuMs }) => currentMs <= cpuMs)) return
  const currentBytes = require("node:v8").getHeapCodeStatistics().bytecode_and_metadata_size
  for (const { cache, compiledBytes, script, sum } of scripts) {
    if (currentBytes < compiledBytes * growth) continue
    const data = script.createCachedData()
    const bytes = Buffer.alloc(headerBytes + data.length)
    bytes.writeUInt32LE(crc32(data, sum), 0)
    bytes.writeUInt32LE(currentBytes, 4)
    bytes.writeUInt32LE(currentMs, 8)
    data.copy(bytes, headerBytes)
    const temporary = `${cache}.${process.pid}`
    try {
      fs.writeFileSync(temporary, bytes, { mode: 0o600 })
      fs.renameSync(temporary, cache)
    } catch {
      fs.rmSync(temporary, { force: true })
    }
  }
}
