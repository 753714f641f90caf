/**
 * The peer of bench/parser.ts: what the field does. After each piece the whole message so far is parsed anew, looking
 * at each character whether a known tag ends there.
 */
import type { Options } from "../src/domain/parser/xml/XmlTools.ts"

interface Block {
  name: string
  params: Record<string, string>
  partial: boolean
}

export const reparse = (pieces: ReadonlyArray<string>, options: Options): ReadonlyArray<Block | string> => {
  let message = ""
  let blocks: ReadonlyArray<Block | string> = []
  for (const piece of pieces) {
    message += piece
    blocks = parse(message, options)
  }
  return blocks
}

const parse = (message: string, { tools }: Options): ReadonlyArray<Block | string> => {
  const opens = new Map(tools.map(({ name }) => [`<${name}>`, name]))
  const params = new Map(tools.flatMap(({ params }) => params.map(({ name }) => [`<${name}>`, name])))
  const blocks: Array<Block | string> = []
  let block: Block | undefined
  let param: string | undefined
  let start = 0
  let read = ""
  for (const character of message) {
    read += character
    if (block !== undefined && param !== undefined) {
      const value = read.slice(start)
      if (value.endsWith(`</${param}>`)) {
        block.params[param] = value.slice(0, -`</${param}>`.length).trim()
        param = undefined
      } else {
        block.params[param] = value
      }
    } else if (block !== undefined) {
      if (read.endsWith(`</${block.name}>`)) {
        block.partial = false
        block = undefined
        start = read.length
      } else {
        for (const [open, name] of params) {
          if (read.endsWith(open)) {
            param = name
            start = read.length
          }
        }
      }
    } else {
      for (const [open, name] of opens) {
        if (read.endsWith(open)) {
          blocks.push(read.slice(start, -open.length).trim())
          block = { name, params: {}, partial: true }
          blocks.push(block)
        }
      }
    }
  }
  if (block === undefined) blocks.push(read.slice(start).trim())
  return blocks
}
