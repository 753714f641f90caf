import { describe, expect, it } from "@effect/vitest"
import * as MarkdownTree from "../../src/domain/message/MarkdownTree.ts"
import * as MarkdownHtml from "../../src/cli/render/text/MarkdownHtml.ts"
import * as MarkdownLines from "../../src/cli/render/text/MarkdownLines.ts"
import * as StreamingResponse from "../../src/cli/render/view/StreamingResponse.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"
import { text } from "../../src/cli/render/view/DisplayText.ts"

const theme = Theme.of("always", true, {})
const names: Readonly<Record<string, string>> = { 1: "b", 2: "dim", 3: "i", 4: "u", 9: "s", 33: "code", 36: "accent" }
/** Styles as tags: `<b>bold</>`. */
const tagged = (line: string) => line.replace(/\u001b\[(\d+)m/g, (_, code: string) => names[code] === undefined ? "</>" : `<${names[code]}>`)
const colored = (markdown: string, options?: MarkdownLines.Options) => MarkdownLines.lines(text(markdown), theme, options).map(tagged)
const plain = (markdown: string, options?: MarkdownLines.Options) => MarkdownLines.lines(text(markdown), Theme.plain, options)

describe("Markdown in the terminal", () => {
  const table = "| name | price |\n|:-----|------:|\n| tea | 3.50 |\n| *cake* | 12 |"
  const cases: ReadonlyArray<readonly [name: string, markdown: string, color: ReadonlyArray<string>, plain?: ReadonlyArray<string>]> = [
    ["a table", table, ["<b>name</> <dim>│</> <b>price</>", "<dim>─────┼──────</>", "tea  <dim>│</>  3.50", "<i>cake</> <dim>│</>    12"], [
      "| name   | price |",
      "| ------ | ----- |",
      "| tea    |  3.50 |",
      "| *cake* |    12 |"
    ]],
    ["bold with underscores", "a __b__ c", ["a <b>b</> c"], ["a **b** c"]],
    ["strikethrough", "~~old~~ new", ["<s>old</> new"], ["~~old~~ new"]],
    ["headings with a line below", "One\n===\nTwo\n---", ["<b>One</>", "<b>Two</>"], ["# One", "## Two"]],
    ["bold around code", "**use `x` here**", ["<b>use </><b><code>x</></><b> here</>"], ["**use `x` here**"]],
    ["escaped stars", "2 \\* 3 \\* 4", ["2 * 3 * 4"]],
    ["names with underscores", "the snake_case_name of a__b__c", ["the snake_case_name of a__b__c"]],
    ["stars of arithmetic", "2 * 3 * 4", ["2 * 3 * 4"]],
    ["several lines in bold", "**a\nb**", ["<b>a</>", "<b>b</>"]],
    ["a link", "[rule](https://x.example)", ["<u>rule</><dim> (https://x.example)</>"], ["[rule](https://x.example)"]],
    ["a link in bold", "**[rule](https://x.example) it**", ["<b><u>rule</></><b><dim> (https://x.example)</></><b> it</>"]],
    ["tasks", "- [x] done\n- [ ] open", ["<accent>•</> ☑ done", "<accent>•</> ☐ open"], ["• [x] done", "• [ ] open"]],
    ["nested lists", "1. a\n   - b\n\n     c\n2. d", ["<accent>1.</> a", "   <accent>•</> b", "", "     c", "<accent>2.</> d"]],
    ["a quotation with code", "> said\n> ```\n> x\n> ```", ["<dim>│</> <i>said</>", "<dim>│</>   <code>x</>"]],
    ["code in an item", "- a\n  ```js\n  const\n  ```\n- b", ["<accent>•</> a", "    <accent>const</>", "<accent>•</> b"], [
      "• a",
      "  ```js",
      "  const",
      "  ```",
      "• b"
    ]],
    ["longer fences", "````md\n```\n````", ["  <code>```</>"], ["````md", "```", "````"]],
    ["empty lines", "\na\n\n\nb\n# c\nd\n", ["", "a", "", "", "b", "<b>c</>", "d", ""]],
    ["HTML, comments and definitions, which are text", "<b>a</b>\n\n<!-- b -->\n\n[c]: https://x.example", ["<b>a</b>", "", "<!-- b -->", "", "[c]: https://x.example"]],
    ["entities", "a &lt;b&gt; &amp; &#27;[31m", ["a <b> & &#27;[31m"]]
  ]
  for (const [name, markdown, color, withoutColor] of cases) {
    it(`shows ${name}`, () => {
      expect(colored(markdown)).toEqual(color)
      if (withoutColor !== undefined) expect(plain(markdown)).toEqual(withoutColor)
    })
  }

  it("fits a table into the terminal, and shows it row by row where its columns would be too narrow", () => {
    const wide = `| id | text |\n|-|-|\n| 1 | ${"word ".repeat(12)}|`
    expect(plain(wide, { columns: 40 })).toEqual([
      `| id  | text${" ".repeat(26)} |`,
      `| --- | ${"-".repeat(30)} |`,
      `| 1   | ${"word ".repeat(6)} |`,
      `|     | ${"word ".repeat(6)} |`
    ])
    expect(plain(wide, { columns: 12 })).toEqual(["id: 1", `text: ${"word ".repeat(12).trim()}`])
    expect(colored(wide, { columns: 40 }).every((line) => line.replace(/<.*?>/g, "").length <= 40)).toBe(true)
  })

  it("does not make a heading of the line above an item that begins", () => {
    for (const [streamed, last] of [["Items:\n-", "-"], ["Items:\n---", "---"], ["Items:\n=", "="]] as const) {
      expect(colored(streamed, { isStreaming: true })).toEqual(["Items:", last])
    }
    expect(colored("Items:\n- a", { isStreaming: true })).toEqual(["Items:", "<accent>•</> a"])
  })
})

describe("Markdown printed in parts", () => {
  /** What is printed of a response that streams in pieces of `size`. */
  const printed = (markdown: string, size: number): ReadonlyArray<string> => {
    let state = StreamingResponse.empty
    const fragments: Array<StreamingResponse.Fragment> = []
    for (const delta of markdown.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []) {
      const [next, fragment] = StreamingResponse.push(state, delta)
      state = next
      if (fragment !== undefined) fragments.push(fragment)
    }
    fragments.push(...StreamingResponse.remainder(state, [{ _tag: "Text", text: markdown }]))
    expect(fragments.length).toBeGreaterThan(1)
    return fragments.flatMap(({ context, text }) => MarkdownLines.lines(text, theme, { context }).map(tagged))
  }
  const repeated = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join("\n")
  const texts: Readonly<Record<string, string>> = {
    "a long code block": `Here:\n\n\`\`\`ts\n${repeated(60, (i) => i % 7 === 0 ? "" : `const a${i} = ${i} // # *x*`)}\n\`\`\`\nDone.`,
    "a long table": `| number | text |\n|--:|---|\n${repeated(60, (i) => `| ${100 + i} | ~~row~~ |`)}\n\nDone.`,
    "a long list": repeated(60, (i) => `${i + 1}. **item** ${i}`),
    "a list with code and nested lists": repeated(20, (i) => `- item ${i}\n  - nested\n    \`\`\`js\n    const x = ${i}\n\n    let y\n    \`\`\`\n  and more`),
    "a code block in an item": `1. Run:\n   \`\`\`sh\n${repeated(50, (i) => `   echo ${i}`)}\n   \`\`\`\n2. Then:\n\n   text\n\nEnd.`,
    "paragraphs, headings and quotations": repeated(30, (i) => `## Part ${i}\n\nSome *words*\nin lines\n\n> quoted **${i}**\n`)
  }
  for (const [name, markdown] of Object.entries(texts)) {
    it(`is the same as at once: ${name}`, () => {
      const whole = colored(markdown.trimEnd())
      for (const size of [1, 7, 200, 100_000]) if (size < markdown.length) expect(printed(markdown, size)).toEqual(whole)
    })
  }

  it("keeps a table together with what introduces it", () => {
    const markdown = `${"word ".repeat(290)}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${"end\n".repeat(40)}`
    expect(printed(markdown, 3).filter((line) => line.includes("│"))).toEqual(["<b>a</>   <dim>│</> <b>b</>", "1   <dim>│</> 2"])
  })
})

describe("Markdown in a page", () => {
  it("becomes HTML without anything active", () => {
    expect(MarkdownHtml.html("# A & b\n\n- [x] `<i>`\n- two\n\n| a |\n|-:|\n| 1 |\n\n```js\nif (a < b)\n```\n> **q**\n\n---")).toBe(
      `<h3>A &amp; b</h3>
<ul>
<li>☑ <p><code>&lt;i&gt;</code></p></li>
<li><p>two</p></li>
</ul>
<table><thead><tr><th style="text-align: right">a</th></tr></thead><tbody><tr><td style="text-align: right">1</td></tr></tbody></table>
<pre><code>if (a &lt; b)</code></pre>
<blockquote><p><strong>q</strong></p></blockquote>
<hr>`
    )
  })

  it("links to web pages only, loads nothing, and shows HTML as text", () => {
    expect(MarkdownHtml.html("[a](https://x.example/?q=\"&b) [b](javascript:alert(1)) ![c](https://x.example/i.png) <img src=x onerror=alert(1)>")).toBe(
      `<p><a href="https://x.example/?q=&quot;&amp;b" rel="noopener noreferrer">a</a> b (javascript:alert(1)) ` +
        `<a href="https://x.example/i.png" rel="noopener noreferrer">c</a> &lt;img src=x onerror=alert(1)&gt;</p>`
    )
    for (const hostile of ["</p><script>x</script>", "```</pre><script>\nx</script>\n```", "| <script> |\n|-|\n| <script> |", "# <script>", "- <script>", "[<script>](https://a\"onmouseover=x)"]) {
      expect(MarkdownHtml.html(hostile)).not.toMatch(/<script|"onmouseover/)
    }
  })
})

describe("hostile Markdown", () => {
  const adversaries: Readonly<Record<string, (length: number) => string>> = {
    "stars and letters": (n) => "a*".repeat(n / 2),
    "opening bold": (n) => "**a".repeat(n / 3),
    "dots before an address": (n) => `${"a.".repeat(n / 2)}@`,
    brackets: (n) => "[".repeat(n / 2) + "](".repeat(n / 4),
    quotations: (n) => ">".repeat(n),
    "items in items": (n) => "- ".repeat(n / 2) + "a",
    "deeper and deeper items": (n) => Array.from({ length: Math.sqrt(n) }, (_, i) => `${" ".repeat(i * 2)}- a`).join("\n"),
    backticks: (n) => "`a ``".repeat(n / 5),
    "cells of a table": (n) => `${"|a".repeat(n / 4)}|\n${"|-".repeat(n / 4)}|`,
    tags: (n) => "<a ".repeat(n / 3)
  }
  /** Calls of the lexer's expressions, weighted by the text behind their position: what a growing text costs. */
  const work = (markdown: string): number => {
    const { exec } = RegExp.prototype
    let sum = 0
    RegExp.prototype.exec = function(subject) {
      sum += subject.length
      return exec.call(this, subject)
    }
    try {
      MarkdownTree.parse(markdown)
    } finally {
      RegExp.prototype.exec = exec
    }
    return sum
  }
  for (const [name, make] of Object.entries(adversaries)) {
    it(`takes linear time: ${name}`, () => {
      const small = work(make(24_000))
      expect(work(make(96_000))).toBeLessThan(small * 6 + 1_000_000)
    })
  }

  it("is shown in full and stays safe", () => {
    for (const make of Object.values(adversaries)) {
      const markdown = make(4_000)
      const shown = MarkdownLines.lines(text(markdown), theme).join("\n")
      expect(shown.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
      expect(shown.match(/[a-z]/g)?.length ?? 0).toBeGreaterThanOrEqual(markdown.match(/a/g)?.length ?? 0)
    }
  })
})
