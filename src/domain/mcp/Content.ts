/** What servers answer, as parts that the model reads. */
import * as Schema from "effect/Schema"
import * as Printable from "../message/SafeText.ts"

/** A text, or a picture whose bytes are Base64. */
export type Said =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Picture"; readonly mediaType: string; readonly base64: string }

const Contents = Schema.Struct({ uri: Schema.String, mimeType: Schema.optionalKey(Schema.String), text: Schema.optionalKey(Schema.String), blob: Schema.optionalKey(Schema.String) })
export type Contents = typeof Contents.Type

const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["image", "audio"]), data: Schema.String, mimeType: Schema.String }),
  Schema.Struct({ type: Schema.Literal("resource_link"), uri: Schema.String, name: Schema.optionalKey(Schema.String), description: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ type: Schema.Literal("resource"), resource: Contents })
])
const isBlock = Schema.is(Block)

/** Pictures that models take. */
const pictures: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

const text = (text: string): Said => ({ _tag: "Text", text: Printable.of(text) })

const bytes = (base64: string, mediaType: string, what: string): Said =>
  pictures.has(mediaType) ? { _tag: "Picture", mediaType, base64 } : text(`[${what} of type ${mediaType}, ${Math.floor(base64.length * 3 / 4)} bytes: it can't be shown here]`)

/** Blocks of a tool's result or a prompt's message; one of a kind that is not known is told as its JSON. */
export const ofBlock = (block: unknown): Said => {
  if (!isBlock(block)) return text(JSON.stringify(block))
  switch (block.type) {
    case "text":
      return text(block.text)
    case "image":
    case "audio":
      return bytes(block.data, block.mimeType, block.type)
    case "resource_link":
      return text(`[resource ${block.uri}${block.name === undefined ? "" : `: ${block.name}`}${block.description === undefined ? "" : `, ${block.description}`}; read_resource reads it]`)
    case "resource":
      return ofResource(block.resource)
  }
}

/** One part of a resource. */
export const ofResource = ({ blob, mimeType = "text/plain", text: words, uri }: Contents): Said =>
  words !== undefined ? text(`${uri}:\n${words}`) : bytes(blob ?? "", mimeType, uri)
