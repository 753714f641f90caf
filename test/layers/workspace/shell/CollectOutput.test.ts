import { expect, it } from "vitest"
import * as CollectOutput from "../../../../src/layers/workspace/shell/CollectOutput.ts"

/** What a collector has settled, shown and retained of an output that arrives in pieces. */
const collected = (secret: string, pieces: ReadonlyArray<string>) => {
  let [settled, shown] = ["", ""]
  const collector = CollectOutput.make({
    maxOutputCharacters: 1_000,
    onOutput: (text) => void (shown += text),
    onSettled: (text) => void (settled += text)
  })
  collector.hide(secret)
  for (const piece of pieces) {
    collector.take(Buffer.from(piece))
    collector.show()
  }
  return { settled, shown, retained: collector.result().output }
}

it("a secret is nowhere in an output, whatever the pieces in which it arrives", () => {
  const text = "it is s3cr3t-word, again s3cr3t-word\nand s3cr3t-\nleft s3cr3t-wor"
  for (let size = 1; size < text.length; size++) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g"))!
    const { retained, settled, shown } = collected("s3cr3t-word", pieces)
    expect([settled, shown, retained].some((part) => part.includes("s3cr3t-word")), `${size}`).toBe(false)
    expect(retained).toBe("it is [hidden input], again [hidden input]\nand s3cr3t-\nleft s3cr3t-wor")
    expect(settled).toBe("it is [hidden input], again [hidden input]\nand s3cr3t-\n")
  }
})

it("a secret that is too short to tell from other text hides nothing", () => {
  expect(collected("a", ["a banana\n"]).retained).toBe("a banana\n")
})

it("lines of standard error have a mark, also when both streams have an unfinished one", () => {
  const collector = CollectOutput.make({ maxOutputCharacters: 1_000, onOutput: () => {} })
  collector.take(Buffer.from("one\ntw"))
  collector.takeError(Buffer.from("bad\nwor"))
  collector.take(Buffer.from("o\n"))
  collector.takeError(Buffer.from("se\n"))
  collector.take(Buffer.from("end"))
  collector.takeError(Buffer.from("last"))
  expect(collector.result().output).toBe("one\nstderr | bad\ntwo\nstderr | worse\nend\nstderr | last")
})
