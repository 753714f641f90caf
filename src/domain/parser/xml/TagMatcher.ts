/**
 * Recognizes tags one unit at a time: a small automaton built from the tags that may occur in a place.
 *
 * A tag is `<`, a name, white space, `>`, or `<`, a word, white space, `name="…"`, white space, `>`. Text that can't be
 * a tag is recognized at the first differing unit, and what was held until then contains no second `<`, so nothing is
 * ever read twice.
 */
import { isWhitespace, NEWLINE } from "../Whitespace.ts"

export const LESS = 60
const GREATER = 62
const QUOTE = 34
const BACKTICK = 96

/** A state within a tag. With `tag`, the tag is complete. */
export interface Node<Tag> {
  /** Where the first known unit leads, and where others do: most states have only one. */
  unit: number
  next: Node<Tag> | undefined
  others: Array<Node<Tag>> | undefined
  /** Where white space leads. */
  whitespace: Node<Tag> | undefined
  /** Where any other unit of a quoted name leads. */
  nameCharacter: Node<Tag> | undefined
  readonly tag: Tag | undefined
}

/** How a tag is written: a bare name (`/name` for a close), or a word that carries a quoted name. */
export type Form = { readonly name: string } | { readonly word: string }

const node = <Tag>(tag?: Tag): Node<Tag> => ({
  unit: -1,
  next: undefined,
  others: undefined,
  whitespace: undefined,
  nameCharacter: undefined,
  tag
})

const edge = <Tag>(from: Node<Tag>, unit: number): Node<Tag> | undefined => from.unit === unit ? from.next : from.others?.[unit]

const link = <Tag>(from: Node<Tag>, unit: number, to: Node<Tag>): Node<Tag> => {
  if (from.next === undefined) {
    from.unit = unit
    from.next = to
  } else {
    from.others ??= []
    from.others[unit] = to
  }
  return to
}

/** The automaton without any tags. */
export const noTags: Node<never> = node()

/** The automaton of some tags. If two are written alike, the first counts. */
export const table = <Tag>(tags: Iterable<readonly [Form, Tag]>): Node<Tag> => {
  const root = node<Tag>()
  for (const [form, tag] of tags) {
    if ("name" in form) {
      if (form.name !== "") close(extend(root, form.name), tag)
    } else {
      const word = extend(root, form.word)
      if (word.whitespace !== undefined) continue
      const gap = node<Tag>()
      word.whitespace = gap.whitespace = gap
      const nameNode = extend(gap, "name=\"")
      nameNode.nameCharacter = nameNode
      close(link(nameNode, QUOTE, node()), tag)
    }
  }
  return root
}

const extend = <Tag>(from: Node<Tag>, text: string): Node<Tag> => {
  let at = from
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    at = edge(at, unit) ?? link(at, unit, node())
  }
  return at
}

const close = <Tag>(from: Node<Tag>, tag: Tag): void => {
  if (edge(from, GREATER) !== undefined) return
  const closing = link(from, GREATER, node(tag))
  const gap = node<Tag>()
  link(gap, GREATER, closing)
  from.whitespace = gap.whitespace = gap
}

const step = <Tag>(from: Node<Tag>, unit: number): Node<Tag> | undefined =>
  edge(from, unit) ?? (
    from.whitespace !== undefined && isWhitespace(unit) ? from.whitespace : isNameUnit(unit) ? from.nameCharacter : undefined
  )

const isNameUnit = (unit: number): boolean => unit !== LESS && unit !== GREATER && unit !== NEWLINE && unit !== BACKTICK

/** What is being matched: `undefined` can't be a tag, a node with a tag is that tag, any other needs more text. */
export interface Cursor<Tag> {
  node: Node<Tag> | undefined
}

/** Moves the cursor along `text` from `at`, and returns where it stopped: after the last unit that fitted. */
export const walk = <Tag>(cursor: Cursor<Tag>, text: string, at: number): number => {
  let current = cursor.node
  let stop = at
  while (stop < text.length && current !== undefined && current.tag === undefined) {
    current = step(current, text.charCodeAt(stop))
    if (current !== undefined) stop++
  }
  cursor.node = current
  return stop
}

/** The tags that a cut-off tag could have become. */
export const reachable = <Tag>(from: Node<Tag>): ReadonlyArray<Tag> => {
  const tags = new Set<Tag>()
  const seen = new Set<Node<Tag>>()
  const visit = (at: Node<Tag> | undefined): void => {
    if (at === undefined || seen.has(at)) return
    seen.add(at)
    if (at.tag !== undefined) tags.add(at.tag)
    visit(at.next)
    at.others?.forEach(visit)
    visit(at.whitespace)
  }
  visit(from)
  return [...tags]
}

/** The quoted name of a tag as written, and whether its end was there. */
export const quotedName = (tag: string): { readonly name: string; readonly isComplete: boolean } | undefined => {
  const from = tag.indexOf("\"")
  if (from === -1) return undefined
  const to = tag.indexOf("\"", from + 1)
  return { name: tag.slice(from + 1, to === -1 ? undefined : to), isComplete: to !== -1 }
}
