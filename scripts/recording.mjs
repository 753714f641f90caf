/**
 * Writes docs/demo.svg: `dacapo demo` in a terminal of 80 columns, shown paragraph by paragraph. The demo really runs (it needs a
 * build); what differs between runs (folders, durations, the order of parallel reads) is removed, so the file changes only with the demo.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Wrap from "../src/cli/render/text/Wrap.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const terminal = { columns: 80, rows: 30 }
const cell = { width: 8.43, height: 19 }
const padding = { side: 16, top: 44, bottom: 16 }
/** How long a paragraph stays before the next one comes, and how long the last one stays. */
const pace = { paragraphMs: 900, lineMs: 90, endMs: 8000 }

/** The terminal's colours, by their SGR numbers. */
const colors = { 31: "#f47067", 32: "#57ab5a", 33: "#c69026", 34: "#539bf5", 35: "#b083f0", 36: "#39c5cf", 94: "#6cb6ff" }

/** Runs the demo and returns its output with colours. */
const runDemo = () => {
  const home = mkdtempSync(join(tmpdir(), "dacapo-recording-"))
  try {
    const { status, stderr, stdout } = spawnSync(join(root, "bin", "dacapo"), ["demo", "--color", "always"], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: home, DACAPO_HOME: join(home, "data"), TERM: "xterm-256color" }
    })
    if (status !== 0) throw new Error(`dacapo demo ended with ${status}: ${stderr}`)
    return stdout
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

const withoutVariableParts = (output) =>
  output
    .replaceAll(/\S*\/dacapo-demo-\w+/g, "/tmp/dacapo-demo")
    .replaceAll(/scripted\/\S*?\/script\.json/g, "scripted/demo")
    .replaceAll(/ \([\d.]+ms\)/g, "")
    .replaceAll(/(duration_ms) [\d.]+/g, "$1 …")
    // Reads run in parallel and finish in any order.
    .replaceAll(/(?:.*✓\S* (?:list|read) .*\n)+/g, (lines) => `${lines.trimEnd().split("\n").sort().join("\n")}\n`)

const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** A line as runs of one style each, and the style that the next line begins with. */
const runs = (line, initial) => {
  let style = initial
  const parts = line.split(/\u001b\[([\d;]*)m/).flatMap((part, i) => {
    if (i % 2 === 0) return part === "" ? [] : [{ text: part, style }]
    for (const code of part.split(";").map(Number)) style = nextStyle(style, code)
    return []
  })
  return { parts, style }
}

const defaultStyle = { color: undefined, bold: false, dim: false, italic: false }

const nextStyle = (style, code) =>
  code === 0 ? defaultStyle
  : code === 1 ? { ...style, bold: true }
  : code === 2 ? { ...style, dim: true }
  : code === 3 ? { ...style, italic: true }
  : code === 22 ? { ...style, bold: false, dim: false }
  : code === 23 ? { ...style, italic: false }
  : code === 39 ? { ...style, color: undefined }
  : code in colors ? { ...style, color: code }
  : style

const span = ({ style, text }) => {
  const classes = [style.color && `c${style.color}`, style.bold && "b", style.dim && "d", style.italic && "i"].filter(Boolean).join(" ")
  return classes === "" ? escapeXml(text) : `<tspan class="${classes}">${escapeXml(text)}</tspan>`
}

/** The text elements of all rows: one a row, since every cell has the same width. */
const textRows = (rows) => {
  let style = defaultStyle
  return rows.flatMap((row, i) => {
    const { parts, style: next } = runs(row, style)
    style = next
    return parts.length === 0 ? [] : [`<text y="${(i + 1) * cell.height - 5}">${parts.map(span).join("")}</text>`]
  })
}

/** The paragraphs: how many rows are there once each is printed, and when that is. */
const timeline = (rows) => {
  const ends = rows.flatMap((row, i) => row === "" || i === rows.length - 1 ? [i + 1] : [])
  const times = ends.reduce((times, end, i) => [...times, times[i] + pace.paragraphMs + pace.lineMs * (end - (ends[i - 1] ?? 0))], [0])
  return { frames: ends.map((rowCount, i) => ({ rowCount, time: times[i] })), totalMs: times[ends.length - 1] + pace.endMs }
}

const svg = (rows) => {
  const { frames, totalMs } = timeline(rows)
  const width = Math.ceil(terminal.columns * cell.width + 2 * padding.side)
  const height = terminal.rows * cell.height + padding.top + padding.bottom
  const offset = (rowCount) => -Math.max(0, rowCount - terminal.rows) * cell.height
  const keyframes = (name, y) =>
    `@keyframes ${name} {${
      frames.map(({ rowCount, time }) => ` ${+(100 * time / totalMs).toFixed(2)}% { transform: translateY(${y(rowCount)}px) }`).join("")
    } 100% { transform: translateY(${y(rows.length)}px) } }`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">dacapo demo: an agent with a scripted model repairs a small project, and its session is replayed exactly</title>`,
    "<style>",
    "text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace; fill: #cdd9e5; white-space: pre }",
    ".b { font-weight: 700 } .d { fill: #8b98a5 } .i { font-style: italic }",
    Object.entries(colors).map(([code, color]) => `.c${code} { fill: ${color} }`).join(" "),
    `.scroll { transform: translateY(${offset(rows.length)}px); animation: scroll ${totalMs}ms step-end infinite }`,
    `.cover { transform: translateY(${rows.length * cell.height}px); animation: cover ${totalMs}ms step-end infinite }`,
    keyframes("scroll", offset),
    keyframes("cover", (rowCount) => rowCount * cell.height),
    "@media (prefers-reduced-motion: reduce) { .scroll, .cover { animation: none } }",
    "</style>",
    `<rect width="${width}" height="${height}" rx="10" fill="#1c2128"/>`,
    ...["#f47067", "#c69026", "#57ab5a"].map((color, i) => `<circle cx="${22 + 20 * i}" cy="22" r="6" fill="${color}"/>`),
    `<svg x="${padding.side}" y="${padding.top}" width="${width - 2 * padding.side}" height="${terminal.rows * cell.height}">`,
    `<g class="scroll">`,
    ...textRows(rows),
    `<rect class="cover" width="100%" height="${rows.length * cell.height}" fill="#1c2128"/>`,
    "</g>",
    "</svg>",
    "</svg>",
    ""
  ].join("\n")
}

const prompt = "\u001b[32m$\u001b[39m dacapo demo"
const output = [prompt, ...withoutVariableParts(runDemo()).trimEnd().split("\n")]
writeFileSync(join(root, "docs", "demo.svg"), svg(output.flatMap((line) => Wrap.lines(line, terminal.columns))))
