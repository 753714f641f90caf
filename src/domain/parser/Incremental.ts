/**
 * The common interface of every parser here: `initial` makes a state, `push` adds the next piece of input and returns
 * what is certain by now, `end` returns the rest. Where the input was split never shows in the result.
 *
 * A state belongs to the step that receives it: `push` may reuse it, callers keep none. The shape is that of
 * `Stream.mapAccum(() => initial(options), push, { onHalt: end })`.
 */
export interface Incremental<Options, State, In, Out> {
  readonly initial: (options: Options) => State
  readonly push: (state: State, input: In) => readonly [State, ReadonlyArray<Out>]
  readonly end: (state: State) => ReadonlyArray<Out>
}

/** Everything that a parser returns for some input, piece after piece. */
export const run = <Options, State, In, Out>(
  parser: Incremental<Options, State, In, Out>,
  options: Options,
  input: Iterable<In>
): ReadonlyArray<Out> => {
  const output: Array<Out> = []
  let state = parser.initial(options)
  for (const piece of input) {
    const [next, out] = parser.push(state, piece)
    state = next
    for (const one of out) output.push(one)
  }
  for (const one of parser.end(state)) output.push(one)
  return output
}
