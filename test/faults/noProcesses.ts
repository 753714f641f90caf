/** Loaded before a program: the system has no process left for it, and says so as libuv does (EAGAIN, or what `REFUSAL` says). */
import { ChildProcess } from "node:child_process"
import { constants } from "node:os"

interface Handle {
  spawn(file: string, ...rest: ReadonlyArray<unknown>): number
}

const refusal = -constants.errno[process.env["REFUSAL"] as "EAGAIN" | "ENOMEM"]
const handle: Handle = Object.getPrototypeOf((new (ChildProcess as unknown as new() => { _handle: Handle })())._handle)
const { spawn } = handle

// A program that is not there has its pipes made and closed again: no more is left of it than of one that was refused.
handle.spawn = function(_, ...rest) {
  spawn.call(this, "/nonexistent", ...rest)
  return refusal
}
