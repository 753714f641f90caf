/** Reads the client events of a session as `serve` sends them: JSON in server-sent events. */
import type { Event } from "./Server.ts"

/** Whoever leaves the loop closes the connection. An aborted fetch would reject instead. */
export async function* read(response: Response): AsyncGenerator<Event> {
  let text = ""
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + part).split("\n\n")
    text = blocks.pop()!
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data: "))
      if (data !== undefined) yield JSON.parse(data.slice("data: ".length)) as Event
    }
  }
}
