/**
 * Folds over a conversation, which grows at its end with every request: what was computed for a list is continued for the
 * longer one. Lists are compared item by item, by identity, so a changed conversation is folded from its beginning.
 */

/**
 * - `empty`: the state before the first item.
 * - `add`: the state with one more item; it may reuse the state.
 * - `fork`: a copy that `add` can change without changing the state.
 */
export interface Fold<Item, State> {
  readonly empty: () => State
  readonly add: (state: State, item: Item) => State
  readonly fork: (state: State) => State
}

interface Progress<Item, State> {
  readonly seen: Array<Item>
  state: State
}

/** For states that `add` never changes. */
export const immutable = <State>(state: State): State => state

/**
 * The fold of a list. The last item is not remembered: the message that ends a request is made again once it was sent. Memory is
 * held for as long as the first item is in use.
 */
export const make = <Item extends object, State>({ add, empty, fork }: Fold<Item, State>): (items: ReadonlyArray<Item>) => State => {
  const progress = new WeakMap<Item, Progress<Item, State>>()
  return (items) => {
    const [first] = items
    if (first === undefined) return empty()
    const previous = progress.get(first)
    const continues = previous !== undefined && previous.seen.length < items.length && previous.seen.every((item, i) => item === items[i])
    const current = continues ? previous : { seen: [], state: empty() }
    for (const item of items.slice(current.seen.length, -1)) {
      current.state = add(current.state, item)
      current.seen.push(item)
    }
    progress.set(first, current)
    return add(fork(current.state), items.at(-1)!)
  }
}
