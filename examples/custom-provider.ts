/** A custom provider: a route whose connection encodes a request and streams chunks. `node examples/custom-provider.ts` */
import { Agent, Approver, Live, type Route } from "dacapo"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Repeats the request in capitals. */
const echo: Route = {
  name: "echo",
  title: "An echo",
  wire: "echo",
  keys: [],
  baseUrl: "",
  local: true,
  connect: () => ({
    encode: ({ messages }) => ({ prompt: messages.at(-1)?.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join(" ") ?? "" }),
    send: (body) =>
      Stream.make(
        { _tag: "TextDelta", text: JSON.stringify(body).toUpperCase() },
        { _tag: "Finish", reason: "stop", raw: "stop" }
      )
  })
}

const nobody = Layer.succeed(Approver, {
  ask: () => Effect.succeed({ decision: "deny", scope: "once", by: "nobody" }),
  question: () => Effect.succeed({ by: "nobody" })
})

const program = (folder: string) =>
  Effect.gen(function*() {
    const agent = yield* Agent
    const session = yield* agent.start({ cwd: folder, model: "echo/echo" })
    yield* agent.say(session, "Is anyone there?")
    const { task } = yield* agent.settled(session)
    console.log(task.result)
  })

const folder = mkdtempSync(join(tmpdir(), "dacapo-echo-"))
await Effect.runPromise(Effect.provide(program(folder), Live.layer({ roots: [folder], approver: nobody, routes: [echo] })))
rmSync(folder, { recursive: true })
