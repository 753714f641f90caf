/** The content of an ACP prompt as a message: texts, mentions of linked files, embedded context, and images. */
import type { ContentBlock } from "@agentclientprotocol/sdk"
import type { Image } from "../../domain/control/Operation.ts"

export interface PromptContent {
  readonly text: string
  readonly images: ReadonlyArray<Image>
}

/** A linked file is mentioned; any other link is named. */
const link = (uri: string): string => {
  if (!uri.startsWith("file://")) return uri
  const path = decodeURIComponent(new URL(uri).pathname)
  return `@"${path}"`
}

export const of = (blocks: ReadonlyArray<ContentBlock>): PromptContent => {
  const images: Array<Image> = []
  const texts = blocks.map((block): string => {
    switch (block.type) {
      case "text":
        return block.text
      case "image":
        images.push({ mediaType: block.mimeType, data: block.data })
        return ""
      case "resource_link":
        return link(block.uri)
      case "resource":
        return "text" in block.resource
          ? `\n<context uri="${block.resource.uri}">\n${block.resource.text}\n</context>\n`
          : `[${block.resource.uri} is not text and was left out]`
      default:
        return "[audio was left out]"
    }
  })
  return { text: texts.join(""), images }
}
