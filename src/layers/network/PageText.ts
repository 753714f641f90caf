/** A page as a model reads it: its article as Markdown, or all of it if no article is recognized. */
import type { Page } from "../../services/Web.ts"

export const of = async ({ text, type, url }: Page): Promise<string> => {
  if (type !== "text/html" && type !== "application/xhtml+xml") return text
  const [{ parseHTML }, { Readability }, { default: Turndown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("turndown")
  ])
  const { document } = parseHTML(/<html/i.test(text) ? text : `<html><body>${text}</body></html>`)
  for (const element of document.querySelectorAll("script, style, noscript, template, iframe, object, embed, svg")) element.remove()
  const title = document.title.trim()
  const html: string = document.body?.innerHTML ?? text
  const article = new Readability(document, { charThreshold: 200, maxElemsToParse: 50_000 }).parse()
  const markdown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" }).remove("img" as never)
  const body = markdown.turndown(parseHTML(`<html><body>${article?.content ?? html}</body></html>`).document.body)
  return `${title === "" ? url : `# ${title}`}\n\n${body.trim()}`
}
