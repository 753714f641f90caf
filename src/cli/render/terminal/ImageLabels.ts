/** Images attached to a message: a label in brackets in the input line, a mention of the stored blob in the message. */
import * as UserMessage from "../../../domain/message/UserMessage.ts"
import { text, type SafeText } from "../view/DisplayText.ts"

/** Blobs by label. */
export type Images = ReadonlyMap<string, string>

/** An image, stored under the digest `blob`. */
export interface Image {
  readonly name: string
  readonly blob: string
}

/** Adds an image and returns its label; a second image of the same name gets a number. */
export const add = (images: Images, { blob, name }: Image): readonly [Images, string] => {
  const plain = text(name).replace(/[[\]\n]/g, "_")
  let label = `[${plain}]`
  for (let n = 2; images.has(label) && images.get(label) !== blob; n++) label = `[${plain} ${n}]`
  return [new Map(images).set(label, blob), label]
}

/** The input with labels replaced by mentions of their images. */
export const expandLabels = (input: string, images: Images): string =>
  [...images].reduce(
    (text, [label, blob]) =>
      text.split(label).reduce((before, after) =>
        `${before}${/(^|\s)$/.test(before) ? "" : " "}@${UserMessage.path(blob)}${/^\w/.test(after) ? " " : ""}${after}`
      ),
    input
  )

/** A message as people see it. */
export const shortenAttachments = (message: SafeText): SafeText =>
  message.replace(/@attachment:([0-9a-f]{8})[0-9a-f]{56}/g, "[image $1]") as SafeText
