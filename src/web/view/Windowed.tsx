/** A long list of which only the parts near the visible area exist: the others are as high as they were, and empty. */
import type { ComponentChildren } from "preact"
import { memo } from "preact/compat"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

interface Props<A extends object> {
  /** May grow in place; an item that changes is another object. */
  readonly items: ReadonlyArray<A>
  /** Items in a part. */
  readonly size: number
  /** The height of an item that was never shown, in px. */
  readonly estimate: number
  readonly render: (item: A, index: number) => ComponentChildren
  /** No item is ever replaced by another one. */
  readonly isAppendOnly?: boolean
}

export const Windowed = <A extends object>({ estimate, isAppendOnly = false, items, render, size }: Props<A>) => {
  const parts: Array<ComponentChildren> = []
  const slices = useRef<Array<ReadonlyArray<A>>>([])
  for (let from = 0; from < items.length; from += size) {
    const stored = isAppendOnly ? slices.current[from / size] : undefined
    const slice = stored?.length === size && stored[0] === items[from] ? stored : items.slice(from, from + size)
    slices.current[from / size] = slice
    parts.push(
      <Part
        key={from}
        items={slice}
        from={from}
        estimate={estimate * size}
        render={render as Props<object>["render"]}
        isLast={from + size >= items.length}
      />
    )
  }
  return <>{parts}</>
}

interface PartProps extends Pick<Props<object>, "items" | "render"> {
  readonly from: number
  readonly estimate: number
  readonly isLast: boolean
}

const listeners = new WeakMap<Element, (isNear: boolean, height: number) => void>()
let observer: IntersectionObserver | undefined

/** One observer for all lists: parts within two screens of the visible area exist. */
const observe = (): IntersectionObserver =>
  observer ??= new IntersectionObserver(
    (entries) => entries.forEach((entry) => listeners.get(entry.target)?.(entry.isIntersecting, entry.boundingClientRect.height)),
    { rootMargin: "1600px 0px" }
  )

const Part = memo(
  ({ estimate, from, isLast, items, render }: PartProps) => {
    const element = useRef<HTMLDivElement>(null)
    const height = useRef(estimate)
    const [isNear, setNear] = useState(isLast)
    useLayoutEffect(() => {
      const target = element.current!
      const near = observe()
      listeners.set(target, (isNow, measured) => {
        if (!isNow && measured > 0) height.current = measured
        setNear(isNow)
      })
      near.observe(target)
      return () => near.unobserve(target)
    }, [])
    return (
      <div ref={element} class="part" style={isNear ? undefined : { height: `${height.current}px` }}>
        {isNear ? items.map((item, i) => render(item, from + i)) : null}
      </div>
    )
  },
  (a, b) => a.render === b.render && a.isLast === b.isLast && areSame(a.items, b.items)
)

const areSame = (a: ReadonlyArray<object>, b: ReadonlyArray<object>): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]))
