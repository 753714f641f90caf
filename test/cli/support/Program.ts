/** A program that runs the command and talks to it on its standard streams. */
import * as Process from "./Process.ts"

export type Line = Record<string, any>

export const flags = ["--output-format", "stream-json", "--input-format", "stream-json"]

/** A running command, and its lines as they come. */
export const drive = (place: Process.Place, model: string, ...more: ReadonlyArray<string>) => {
  const running = Process.start(place, [...flags, "--model", model, ...more], "pipe")
  const lines = (): ReadonlyArray<Line> => running.said("stdout").split("\n").slice(0, -1).map((line) => JSON.parse(line))
  const write = (line: Line) => running.child.stdin!.write(`${JSON.stringify(line)}\n`)
  /** The line number `n`, from 0, of those that fit. */
  const until = async (predicate: (line: Line) => boolean, n = 0): Promise<Line> => {
    while (true) {
      const { length } = running.said("stdout")
      const line = lines().filter(predicate)[n]
      if (line !== undefined) return line
      await running.shows("stdout", new RegExp(`^[^]{${length + 1}}`))
    }
  }
  const isAsked = ({ request }: Line): boolean => request?.subtype === "can_use_tool"
  return {
    ...running,
    lines,
    until,
    write,
    say: (content: unknown, more: Line = {}) => write({ type: "user", message: { role: "user", content }, ...more }),
    request: async (id: string, request: Line): Promise<Line> => {
      write({ type: "control_request", request_id: id, request })
      return (await until(({ response, type }) => type === "control_response" && response.request_id === id))["response"]
    },
    /** The requests of one kind that it has made so far, as it sent them. */
    requests: (subtype: string) => lines().filter(({ request }) => request?.subtype === subtype),
    requested: (subtype: string, n = 0) => until(({ request }) => request?.subtype === subtype, n),
    refuse: (id: string, error: string) => write({ type: "control_response", response: { subtype: "error", request_id: id, error } }),
    respond: (id: string, response: Line) =>
      write({ type: "control_response", response: { subtype: "success", request_id: id, response } }),
    asked: (n = 0) => until(isAsked, n),
    result: (n = 0) => until(({ type }) => type === "result", n),
    end: () => {
      running.child.stdin!.end()
      return running.ended
    }
  }
}
