/** A block of code, coloured once the highlighter is loaded; while it arrives and when it is long it stays plain. */
import type { ComponentChildren, VNode } from "preact"
import { memo } from "preact/compat"
import { useEffect, useState } from "preact/hooks"

type Tree = import("./Highlighter.ts").Tree
type Highlight = typeof import("./Highlighter.ts").highlight

/** Longer code is not coloured, in characters. */
const maxCharacters = 20_000

let highlight: Highlight | undefined

interface Props {
  readonly text: string
  readonly language: string
  /** It follows another piece of the same block. */
  readonly isContinuation?: boolean
}

export const Code = memo(({ isContinuation = false, language, text }: Props) => {
  const [isLoaded, setLoaded] = useState(highlight !== undefined)
  const canColour = language !== "" && text.length <= maxCharacters
  useEffect(() => {
    if (!canColour || isLoaded) return
    void import("./Highlighter.ts").then((module) => {
      highlight = module.highlight
      setLoaded(true)
    })
  }, [canColour])
  const tree = canColour && isLoaded ? highlight?.(language, text) : undefined
  return (
    <pre
      class={isContinuation ? "code continuation" : "code"}
      tabIndex={0}
      aria-label={language === "" ? "Code" : `Code, ${language}`}
    >
      <code>{tree === undefined ? text : elements(tree)}</code>
    </pre>
  )
}, (a, b) => a.text === b.text && a.language === b.language)

const elements = (tree: Tree): ReadonlyArray<ComponentChildren> =>
  tree.map((node, i): VNode | string =>
    node.type === "text" ? node.value
      : node.type === "element" ?
      <span key={i} class={String(node.properties["className"] ?? "").replaceAll(",", " ")}>{elements(node.children)}</span>
      : ""
  )
