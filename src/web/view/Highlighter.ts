/** highlight.js with the languages that agents write most, as a tree: no HTML is made. Loaded with the first block of code. */
import bash from "highlight.js/lib/languages/bash"
import css from "highlight.js/lib/languages/css"
import diff from "highlight.js/lib/languages/diff"
import go from "highlight.js/lib/languages/go"
import java from "highlight.js/lib/languages/java"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import markdown from "highlight.js/lib/languages/markdown"
import python from "highlight.js/lib/languages/python"
import rust from "highlight.js/lib/languages/rust"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import xml from "highlight.js/lib/languages/xml"
import yaml from "highlight.js/lib/languages/yaml"
import { createLowlight } from "lowlight"

const lowlight = createLowlight({
  ...{ bash, css, diff, go, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml }
})

export type Tree = ReturnType<typeof lowlight.highlight>["children"]

/** Undefined for a language that is not among ours. */
export const highlight = (language: string, text: string): Tree | undefined =>
  lowlight.registered(language) ? lowlight.highlight(language, text).children : undefined
