import * as MarkdownLines from "../../../src/cli/render/text/MarkdownLines.ts"
import * as Theme from "../../../src/cli/render/text/Theme.ts"

export const markdown = MarkdownLines.lines
export const plain = { theme: Theme.plain, markdown }
export const color = { theme: Theme.of("always", true, {}), markdown }
