/** The project's memory bank, where it keeps one; read when a session begins. */
import * as Effect from "effect/Effect"
import * as Memory from "../../../domain/context/MemoryBank.ts"
import { Bare } from "../../../services/Bare.ts"
import { define } from "../../../services/Source.ts"
import { SmallFiles } from "./SmallFile.ts"

export const memory = define({
  name: "memory",
  fixed: true,
  gather: Effect.fn("memory")(function*({ cwd }) {
    const files = yield* SmallFiles
    const names = (yield* Bare) ? [] : Memory.order([...yield* files.names(`${cwd}/${Memory.folder}`)])
    const read = yield* Effect.forEach(names, (name) =>
      Effect.map(files.read(`${cwd}/${Memory.folder}/${name}`), (found) => found._tag === "Text" ? [{ path: `${Memory.folder}/${name}`, text: found.text }] : []))
    return names.length === 0 ? {} : { memory: Memory.fit(read.flat()) }
  })
})
