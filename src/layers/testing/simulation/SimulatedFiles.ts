/** Files in memory that somebody else changes and removes meanwhile, on a disk that fills up. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FileError } from "../../../domain/workspace/FileError.ts"
import { Workspace } from "../../../services/Workspace.ts"
import * as MemoryWorkspace from "../MemoryWorkspace.ts"
import type { Life } from "./Life.ts"
import * as World from "./World.ts"

/** ms that an access takes at most. */
const maxMs = 20

/** What write_file writes. */
const wholeFile = /^new #\d+#\n$/

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()]

/** The names of edits in a text: each is written by the model once. */
const editsIn = (text: string): ReadonlySet<string> => new Set(text.match(/#\d+#/g))

export const layer = (world: World.World, life: Life, root: string): Layer.Layer<Workspace> =>
  Layer.effect(
    Workspace,
    Effect.map(Workspace, (files) => {
      const { plan } = world
      const dice = world.dice("files")
      const text = (path: string) => {
        const bytes = world.files.get(path)
        return bytes === undefined ? "" : decoder.decode(bytes)
      }
      /** An edit that somebody else has undone may be made again. */
      const forget = (path: string): void => editsIn(text(path)).forEach((edit) => world.journal.allowedAgain.add(edit))
      /** Anybody may change a file before it is looked at. */
      const meddle = Effect.sync(() => {
        const vanished = plan.strike("file vanished")?.pick([...world.files.keys(), "a.txt"])
        if (vanished !== undefined) {
          forget(vanished)
          world.files.delete(vanished)
        }
        const changed = plan.strike("file changed")
        if (changed === undefined) return
        const path = changed.pick(["a.txt", "b.txt"])
        forget(path)
        world.files.set(path, encoder.encode(`by hand ${changed.below(9)}\n`))
      })
      const before = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        life.alive(Effect.suspend(() =>
          dice.chance(0.97) ? Effect.andThen(meddle, effect)
            : Effect.andThen(Effect.sleep(1 + dice.below(maxMs)), life.alive(Effect.andThen(meddle, effect)))
        ))
      return Workspace.of({
        ...files,
        hash: (path) => before(files.hash(path)),
        list: (path, options) => before(files.list(path, options)),
        readBytes: (path) => before(files.readBytes(path)),
        readText: (path) => before(files.readText(path)),
        remove: (path) => before(files.remove(path)),
        stat: (path) => before(files.stat(path)),
        writeText: (path, content, encoding) =>
          before(Effect.suspend(() => {
            if (plan.strike("disk full") !== undefined)
              return Effect.fail(new FileError({ path, reason: "DiskFull", message: "The disk is full." }))
            const earlier = editsIn(text(path))
            const isWhole = wholeFile.test(content)
            return Effect.tap(files.writeText(path, content, encoding), () =>
              Effect.sync(() => {
                for (const edit of editsIn(content)) if (isWhole || !earlier.has(edit)) World.perform(world, edit)
              }))
          }))
      })
    })
  ).pipe(Layer.provide(MemoryWorkspace.layer(world.files, root)))
