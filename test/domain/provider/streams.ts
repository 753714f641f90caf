/** Recorded streams of real services: one decoded event a line. They are not part of this project. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Recording {
  readonly name: string
  readonly events: ReadonlyArray<Readonly<Record<string, any>>>
}

/** Recordings whose first line is of a wire; undefined where EFFERENT_FIXTURES names no folder. */
export const recordings = (isFirst: (line: string) => boolean): ReadonlyArray<Recording> | undefined => {
  const root = process.env.EFFERENT_FIXTURES
  if (root === undefined || root === "") return undefined
  const streams = join(root, "streams")
  return readdirSync(streams).flatMap((provider) =>
    readdirSync(join(streams, provider)).flatMap((file) => {
      const lines = readFileSync(join(streams, provider, file), "utf8").split("\n").filter((line) => line.startsWith("{"))
      if (lines[0] === undefined || !isFirst(lines[0])) return []
      return [{ name: `${provider}/${file.replace(".chunks.txt", "")}`, events: lines.map((line) => JSON.parse(line) as Record<string, any>) }]
    })
  )
}
