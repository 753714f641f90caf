/**
 * Node's file system, in which the calls that are made many times a turn are direct: a call takes 5 µs, and 20 times as long by another
 * thread (decision 116).
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as fs from "node:fs"

const infoOf = (stat: fs.BigIntStats): FileSystem.File.Info => ({
  type: stat.isFile() ? "File" : stat.isDirectory() ? "Directory" : stat.isFIFO() ? "FIFO" : stat.isSocket() ? "Socket" : "Unknown",
  mtime: Option.some(stat.mtime),
  atime: Option.some(stat.atime),
  birthtime: Option.some(stat.birthtime),
  dev: stat.dev,
  ino: Option.some(stat.ino),
  mode: Number(stat.mode),
  nlink: Option.some(stat.nlink),
  uid: Option.some(Number(stat.uid)),
  gid: Option.some(Number(stat.gid)),
  rdev: Option.some(stat.rdev),
  size: ByteSize.bytes(stat.size),
  blksize: Option.some(ByteSize.bytes(stat.blksize)),
  blocks: Option.some(stat.blocks)
})

const missing = (method: string, path: string): PlatformError =>
  systemError({ _tag: "NotFound", module: "FileSystem", method, pathOrDescriptor: path })

/** What fails for another reason than that there is no such file is asked again, for the error that Effect makes of it. */
const direct = <A>(method: string, path: string, call: () => A, indirect: () => Effect.Effect<A, PlatformError>) =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(call())
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === "ENOENT" || code === "ENOTDIR" ? Effect.fail(missing(method, path)) : indirect()
    }
  })

export const layer: Layer.Layer<FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (node) =>
    FileSystem.FileSystem.of({
      ...node,
      stat: (path) => direct("stat", path, () => infoOf(fs.statSync(path, { bigint: true })), () => node.stat(path)),
      realPath: (path) => direct("realPath", path, () => fs.realpathSync.native(path), () => node.realPath(path)),
      readDirectory: (path, options) =>
        options?.recursive === true ? node.readDirectory(path, options)
          : direct("readDirectory", path, () => fs.readdirSync(path), () => node.readDirectory(path))
    }))
).pipe(Layer.provide(NodeFileSystem.layer))
