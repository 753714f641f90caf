/*
 * Hides the environment that this process was started with. The system shows it to every process of the same user
 * (/proc/<pid>/environ, `ps eww`), and a command that the agent runs is one of those. The variables stay in process.env.
 * Parses under any Node.
 */
"use strict"

var fs = require("fs")
var os = require("os")
var path = require("path")

/* A process of a run is found by this variable, also from outside; it holds no secret. */
var marker = "DACAPO_RUN"

/* Names the file through which a process that replaces itself hands over its variables. */
var handover = "DACAPO_HANDOVER"

/* Read by Node and its libraries before the first line of ours. */
var early = ["LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NODE_COMPILE_CACHE", "NODE_EXTRA_CA_CERTS", "NODE_ICU_DATA",
  "NODE_OPTIONS", "OPENSSL_CONF", "SSL_CERT_DIR", "SSL_CERT_FILE", "TZ", "UV_THREADPOOL_SIZE"]

/* Where the memory that the system shows can't be overwritten (macOS), the process starts again, which takes some 30 ms. */
exports.hide = function() {
  if (process.env[handover] !== undefined) receive()
  else if (!erase()) replace()
}

/* Linux: moves the variables to other memory and overwrites what /proc shows. Gives whether nothing is shown any more. */
function erase() {
  var shown
  try {
    shown = fs.readFileSync("/proc/self/environ")
  } catch (_) {
    return false
  }
  var memory
  try {
    var stat = fs.readFileSync("/proc/self/stat", "latin1")
    var start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[47]) // env_start, field 50 in proc(5)
    var left = Buffer.alloc(shown.length)
    if (process.env[marker] !== undefined) left.write(marker + "=" + process.env[marker])
    var found = Buffer.alloc(shown.length)
    memory = fs.openSync("/proc/self/mem", "r+")
    if (!Number.isSafeInteger(start) || fs.readSync(memory, found, 0, found.length, start) !== found.length || !found.equals(shown)) return false
    Object.keys(process.env).forEach(function(name) {
      var value = process.env[name]
      delete process.env[name]
      process.env[name] = value
    })
    fs.writeSync(memory, left, 0, left.length, start)
    return fs.readFileSync("/proc/self/environ").equals(left)
  } catch (_) {
    return false
  } finally {
    if (memory !== undefined) fs.closeSync(memory)
  }
}

/* The same process runs Node anew, with no other variables than Node needs; the rest waits for it in a file of the user's own. */
function replace() {
  if (process.execve === undefined) return
  var file = path.join(os.tmpdir(), "dacapo-" + require("crypto").randomBytes(16).toString("hex"))
  var env = {}
  early.concat(marker).forEach(function(name) {
    if (process.env[name] !== undefined) env[name] = process.env[name]
  })
  env[handover] = file
  try {
    fs.writeFileSync(file, JSON.stringify(process.env), { flag: "wx", mode: 384 })
    process.execve(process.execPath, [process.argv0].concat(process.execArgv, process.argv.slice(1)), env)
  } catch (_) {
    fs.rmSync(file, { force: true })
  }
}

function receive() {
  var file = process.env[handover]
  delete process.env[handover]
  try {
    Object.assign(process.env, JSON.parse(fs.readFileSync(file, "utf8")))
    fs.unlinkSync(file)
  } catch (_) {}
}
