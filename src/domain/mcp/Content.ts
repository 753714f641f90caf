/** MCP content as parts that the model reads. */
import * as Schema from "effect/Schema"
import * as SafeText from "../message/SafeText.ts"
import * as Normalize from "../tool/Normalize.ts"

/** A text, or an image whose bytes are Base64. */
export type ContentPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Image"; readonly mediaType: string; readonly base64: string }

const Contents = Schema.Struct({
  uri: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  blob: Schema.optionalKey(Schema.String)
})
export type Contents = typeof Contents.Type

const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["image", "audio"]), data: Schema.String, mimeType: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("resource_link"),
    uri: Schema.String,
    name: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("resource"), resource: Contents })
])
const isBlock = Schema.is(Block)

/** Image types that models accept. */
const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

const text = (text: string): ContentPart => ({ _tag: "Text", text: SafeText.of(text) })

const bytes = (base64: string, mediaType: string, label: string): ContentPart =>
  imageTypes.has(mediaType) ? { _tag: "Image", mediaType, base64 }
    : text(`[${label} of type ${mediaType}, ${Math.floor(base64.length * 3 / 4)} bytes: cannot be shown here]`)

/** A value as JSON for the model, within the limits of structured results. */
export const ofValue = (value: unknown): ContentPart => text(JSON.stringify(Normalize.toSize(value, Normalize.limits.result)))

/** Blocks of a tool's result or a prompt's message; an unknown kind is shown as its JSON. */
export const ofBlock = (block: unknown): ContentPart => {
  if (!isBlock(block)) return ofValue(block)
  switch (block.type) {
    case "text":
      return text(block.text)
    case "image":
    case "audio":
      return bytes(block.data, block.mimeType, block.type)
    case "resource_link":
      return text(
        `[resource ${block.uri}${block.name === undefined ? "" : `: ${block.name}`}${
          block.description === undefined ? "" : `, ${block.description}`
        }; use read_resource to read it]`
      )
    case "resource":
      return ofResource(block.resource)
  }
}

/** One part of a resource. */
export const ofResource = ({ blob, mimeType = "text/plain", text: content, uri }: Contents): ContentPart =>
  content !== undefined ? text(`${uri}:\n${content}`) : bytes(blob ?? "", mimeType, uri)
