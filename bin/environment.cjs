/*
 * Hides the environment that this process was started with. Every process of the same user can read it (/proc/<pid>/environ,
 * `ps eww`), including the commands that the agent runs. The variables stay in process.env. Parses under any Node.
 */
"use strict"

var fs = require("fs")
var os = require("os")
var path = require("path")

/* The processes of a run are found by this variable, also from outside; it is not secret. */
var marker = "DACAPO_RUN"

/* Names the file that passes the variables on when the process replaces itself. */
var handover = "DACAPO_HANDOVER"

/* Read by Node and its libraries before our code runs. */
var early = ["LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "NODE_COMPILE_CACHE", "NODE_EXTRA_CA_CERTS", "NODE_ICU_DATA",
  "NODE_OPTIONS", "OPENSSL_CONF", "SSL_CERT_DIR", "SSL_CERT_FILE", "TZ", "UV_THREADPOOL_SIZE"]

/* If the memory that the system shows can't be overwritten (macOS), the process starts again, which takes about 30 ms. */
exports.hide = function() {
  if (process.env[handover] !== undefined) receive()
  else if (!erase()) replace()
}

/* Linux: moves the variables to other memory and overwrites what /proc shows. Returns whether they are hidden. */
function erase() {
  var original
  try {
    original = fs.readFileSync("/proc/self/environ")
  } catch (_) {
    return false
  }
  var memory
  try {
    var stat = fs.readFileSync("/proc/self/stat", "latin1")
    var start = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[47]) // env_start, field 50 in proc(5)
    var replacement = Buffer.alloc(original.length)
    if (process.env[marker] !== undefined) replacement.write(marker + "=" + process.env[marker])
    var current = Buffer.alloc(original.length)
    memory = fs.openSync("/proc/self/mem", "r+")
    if (!Number.isSafeInteger(start) || fs.readSync(memory, current, 0, current.length, start) !== current.length || !current.equals(original)) return false
    Object.keys(process.env).forEach(function(name) {
      var value = process.env[name]
      delete process.env[name]
      process.env[name] = value
    })
    fs.writeSync(memory, replacement, 0, replacement.length, start)
    return fs.readFileSync("/proc/self/environ").equals(replacement)
  } catch (_) {
    return false
  } finally {
    if (memory !== undefined) fs.closeSync(memory)
  }
}

/* Runs Node again in the same process, with only the variables that Node needs; the others are passed in a private file. */
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
