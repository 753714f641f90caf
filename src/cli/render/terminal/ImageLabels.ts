/** Pictures that go with what is typed: a name in brackets in the input line, a mention of the kept bytes in what is said. */
import * as Saying from "../../../domain/message/UserMessage.ts"
import { text, type Shown } from "../view/DisplayText.ts"

/** Blobs by the name that stands for them. */
export type Pictures = ReadonlyMap<string, string>

/** A picture, its bytes kept under the digest `blob`. */
export interface Picture {
  readonly name: string
  readonly blob: string
}

/** With one more, and what stands for it; the same name for another picture gets a number. */
export const added = (known: Pictures, { blob, name }: Picture): readonly [Pictures, string] => {
  const plain = text(name).replace(/[[\]\n]/g, "_")
  let label = `[${plain}]`
  for (let n = 2; known.has(label) && known.get(label) !== blob; n++) label = `[${plain} ${n}]`
  return [new Map(known).set(label, blob), label]
}

/** What was typed, its pictures as mentions. */
export const said = (typed: string, pictures: Pictures): string =>
  [...pictures].reduce((text, [label, blob]) =>
    text.split(label).reduce((before, after) =>
      `${before}${/(^|\s)$/.test(before) ? "" : " "}@${Saying.path(blob)}${/^\w/.test(after) ? " " : ""}${after}`), typed)

/** What was said, as people see it. */
export const told = (said: Shown): Shown => said.replace(/@attachment:([0-9a-f]{8})[0-9a-f]{56}/g, "[picture $1]") as Shown
