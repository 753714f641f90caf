/** Markdown of a model as elements: text is text, links lead to the web alone, and images are never loaded. */
import type { MarkedToken, Token, Tokens } from "marked"
import type { VNode } from "preact"
import { memo } from "preact/compat"
import { useRef } from "preact/hooks"
import { emptyStream, pushText, type TextStream } from "../../cli/render/view/DisplayText.ts"
import * as MarkdownBlocks from "../model/MarkdownBlocks.ts"
import { Windowed } from "./Windowed.tsx"
import { Code } from "./Code.tsx"

/** What is parsed of a text: only what was added to it is made safe and parsed again. */
interface Parsed {
  readonly blocks: MarkdownBlocks.MarkdownBlocks
  safe: TextStream
  raw: string
}

const start = (): Parsed => ({ blocks: MarkdownBlocks.make(), safe: emptyStream, raw: "" })

/** How many characters at the end of the text before are compared to see that it only grew. */
const overlap = 64

const grows = (raw: string, text: string): boolean =>
  text.length >= raw.length && text.slice(Math.max(0, raw.length - overlap), raw.length) === raw.slice(-overlap)

/** A growing or complete text. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const state = useRef<Parsed>(undefined)
  if (state.current === undefined || !grows(state.current.raw, text)) state.current = start()
  const parsed = state.current
  if (text.length > parsed.raw.length) {
    parsed.safe = pushText(parsed.safe, text.slice(parsed.raw.length))
    parsed.raw = text
    MarkdownBlocks.update(parsed.blocks, parsed.safe.safe)
  }
  const { open, settled } = parsed.blocks
  return (
    <div class="markdown">
      <Windowed items={settled} size={24} estimate={40} render={settledBlock} isAppendOnly />
      {open.map((token, i) => <Block key={i} token={token} />)}
    </div>
  )
}

const settledBlock = (token: Token, index: number): VNode => <Block key={index} token={token} />

const Block = memo(({ token }: { readonly token: Token }): VNode | null => block(token as MarkedToken), (a, b) => a.token === b.token)

const block = (token: MarkedToken): VNode | null => {
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading": {
      // Headings of the page stand above those of an answer.
      const Heading = (["h3", "h4", "h5"] as const)[Math.min(token.depth, 3) - 1]!
      return <Heading>{inline(token.tokens)}</Heading>
    }
    case "paragraph":
      return <p>{inline(token.tokens)}</p>
    case "text":
      return token.tokens === undefined ? <p>{MarkdownBlocks.decodeEntities(token.text)}</p> : <p class="tight">{inline(token.tokens)}</p>
    case "code":
      return (
        <Code text={token.text} language={token.lang ?? ""} isContinuation={"isContinuation" in token && token.isContinuation === true} />
      )
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>
    case "list": {
      const items = token.items.map((item: Tokens.ListItem, i: number) => (
        <li key={i}>
          {item.task
            ? <input type="checkbox" checked={item.checked === true} disabled aria-label={item.checked === true ? "done" : "open"} />
            : null}
          {blocks(item.tokens)}
        </li>
      ))
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>
    }
    case "table":
      return (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {token.header.map((cell: Tokens.TableCell, i: number) => <th key={i} class={cell.align ?? ""}>{inline(cell.tokens)}</th>)}
              </tr>
            </thead>
            <tbody>
              {token.rows.map((row: Array<Tokens.TableCell>, i: number) => (
                <tr key={i}>{row.map((cell, j) => <td key={j} class={cell.align ?? ""}>{inline(cell.tokens)}</td>)}</tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case "hr":
      return <hr />
    default:
      return "raw" in token ? <p>{token.raw}</p> : null
  }
}

const blocks = (tokens: ReadonlyArray<Token>) => tokens.map((token, i) => <Block key={i} token={token} />)

const inline = (tokens: ReadonlyArray<Token> | undefined): ReadonlyArray<VNode | string> =>
  (tokens ?? []).map((token, i) => inlineOne(token as MarkedToken, i))

const inlineOne = (token: MarkedToken, key: number): VNode | string => {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token.tokens)}</strong>
    case "em":
      return <em key={key}>{inline(token.tokens)}</em>
    case "del":
      return <del key={key}>{inline(token.tokens)}</del>
    case "codespan":
      return <code key={key}>{token.text}</code>
    case "br":
      return <br key={key} />
    case "link": {
      const url = MarkdownBlocks.safeUrl(token.href)
      return url === undefined
        ? <span key={key}>{inline(token.tokens)} ({token.href})</span>
        : <a key={key} href={url} target="_blank" rel="noopener noreferrer" title={url}>{inline(token.tokens)}</a>
    }
    case "image":
      return <span key={key} class="muted">[image: {token.text === "" ? token.href : token.text}]</span>
    case "text":
      return token.tokens === undefined ? MarkdownBlocks.decodeEntities(token.text) : <span key={key}>{inline(token.tokens)}</span>
    case "escape":
      return token.text
    default:
      return "raw" in token ? token.raw : ""
  }
}
