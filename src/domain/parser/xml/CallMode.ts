/** A tool call while it is read: between its parameters, inside one, and behind what may be the close of a raw one. */
import type { ToolCallPart } from "../../message/Part.ts"
import type { Callee, Param, Tag } from "./TagGrammar.ts"
import { type Context, hold, type State, untilTag } from "./ParserState.ts"
import * as Output from "./PartWriter.ts"
import { define } from "../OwnProperty.ts"
import * as Rope from "../TextBuffer.ts"
import * as Tags from "./TagMatcher.ts"
import * as Value from "./ParamValue.ts"
import * as White from "../Whitespace.ts"

export interface Call {
  readonly id: string
  readonly callee: Callee
  /** The parameters in the order in which they were opened; of one name, the last counts. */
  readonly params: Array<readonly [name: string, value: Value.Value]>
  readonly given: Set<string>
  readonly warnings: Array<string>
  /** The parameter being read. */
  param: Param | undefined
  value: Value.Value | undefined
  /** Text between parameters, since the last tag. */
  between: string
  /** There is something to tell. */
  changed: boolean
}

/** A call begins. */
export const open = (state: State, callee: Callee): void => {
  Output.call(state.out)
  state.call = {
    id: `call_${state.calls++}`,
    callee,
    params: [],
    given: new Set(),
    warnings: [],
    param: undefined,
    value: undefined,
    between: "",
    changed: true
  }
  state.previous = 0
  state.mode = body
}

/** The call as it was when the stream ended inside its tag. */
export const truncated = (state: State, name: string): void => {
  open(state, { name, body: Tags.none, params: new Map() })
  close(state, { partial: true })
}

/** Tells how far the open call has come, at the end of a push. */
export const tell = (state: State): void => {
  const call = state.call
  if (call === undefined) return
  const param = call.param?.name
  const text = call.value?.news ?? ""
  if (text === "" && !call.changed) return
  call.changed = false
  if (call.value !== undefined) call.value.news = ""
  state.out.parts.push(soFar(call, param !== undefined && text !== "" ? { param, text } : undefined))
}

/** A call with more than so many parameters or warnings is copied only if someone looks. */
const FEW = 16

/** The state of a call that still grows: stays as it is, whatever the call becomes. */
const soFar = (call: Call, appended: ToolCallPart["appended"]): ToolCallPart => {
  const { callee: { name }, id, params, value, warnings } = call
  const open = value && Rope.text(value.text)
  const isSmall = params.length <= FEW && warnings.length <= FEW
  const part: ToolCallPart = {
    _tag: "ToolCall",
    id,
    name,
    params: isSmall ? record(params, params.length, open) : {},
    partial: true,
    warnings: isSmall ? warnings.slice() : [],
    ...(appended && { appended })
  }
  return isSmall ? part : lazily(part, params, params.length, open, warnings, warnings.length)
}

/** The lists are only ever appended to, so that their lengths say what they held. */
const lazily = (
  part: ToolCallPart,
  params: Call["params"],
  given: number,
  open: string | undefined,
  warnings: ReadonlyArray<string>,
  warned: number
): ToolCallPart => {
  let known: ToolCallPart["params"] | undefined
  return Object.defineProperties(part, {
    params: { enumerable: true, get: () => known ??= record(params, given, open) },
    warnings: { enumerable: true, get: () => warnings.slice(0, warned) }
  })
}

/** The first parameters by name; of the last of them, if it is open, only what was there. */
const record = (params: Call["params"], given: number, open?: string): Record<string, string> => {
  const values: Record<string, string> = {}
  for (let i = 0; i < given; i++) {
    const [name, { text }] = params[i]!
    define(values, name, open !== undefined && i === given - 1 ? open : Rope.text(text))
  }
  return values
}

/** The call is over: nothing about it changes any more. */
const close = (state: State, how: { readonly partial: boolean; readonly malformed?: string }): void => {
  const call = state.call!
  if (call.value !== undefined) closeValue(state, call)
  if (call.between !== "") closeBetween(call)
  const { callee: { name }, id, params, warnings } = call
  state.out.parts.push({ _tag: "ToolCall", id, name, params: record(params, params.length), ...how, warnings })
  Output.call(state.out)
  state.call = undefined
  state.line = ""
  state.previous = 0
  state.mode = state.outside
}

const openValue = (call: Call, param: Param): void => {
  if (call.given.has(param.name)) call.warnings.push(`Parameter "${param.name}" was given twice: the last one counts`)
  call.given.add(param.name)
  call.param = param
  call.value = Value.initial(param.raw)
  call.params.push([param.name, call.value])
  call.changed = true
}

/** The rest of a value is told in a part of its own, so that each part tells of one parameter. */
const closeValue = (state: State, call: Call): void => {
  Value.end(call.value!)
  tell(state)
  call.param = undefined
  call.value = undefined
}

const closeBetween = (call: Call): void => {
  const text = call.between.trim()
  call.between = ""
  if (text !== "") call.warnings.push(`Text between parameters: ${text}`)
}

/** Between the parameters. */
const body: Context = {
  read: (state, text, at) => untilTag(state, body, state.call!.callee.body, text, at, keepBetween, true),
  found: (state, tag) => {
    const call = state.call!
    const param = opened(state, call, tag)
    if (param !== undefined) {
      closeBetween(call)
      openValue(call, param)
      state.mode = value
    } else if (tag._tag === "ToolEnd") {
      close(state, { partial: false })
    } else if (tag._tag === "BlockEnd" && !state.blocks.has(tag.block)) {
      keepBetween(state, state.held)
    } else {
      close(state, { partial: false, malformed: "missing close" })
      state.outside.found(state, tag)
    }
  },
  missed: (state) => keepBetween(state, state.held),
  cut: (state) => close(state, { partial: true }),
  end: (state) => close(state, { partial: true })
}

const keepBetween = (state: State, piece: string): void => {
  if (piece === "") return
  state.call!.between += piece
  state.previous = piece.charCodeAt(piece.length - 1)
}

/** The parameter that a tag opens. */
const opened = (state: State, call: Call, tag: Tag): Param | undefined => {
  if (tag._tag === "Param") return tag.param
  if (tag._tag !== "Parameter") return undefined
  return state.grammar.parameter(call.callee, Tags.quotedName(state.held)!.name)
}

/** Inside a parameter only its own close counts. */
const value: Context = {
  read: (state, text, at) => untilTag(state, value, state.call!.param!.inside, text, at, keep, false),
  found: (state) => {
    const call = state.call!
    if (call.param!.raw) {
      state.lead = state.held
      state.mode = behind
    } else {
      closeValue(state, call)
      toBody(state)
    }
  },
  missed: (state) => keep(state, state.held),
  cut: (state) => close(state, { partial: true }),
  end: (state) => close(state, { partial: true })
}

const keep = (state: State, piece: string): void => Value.push(state.call!.value!, piece)

const toBody = (state: State): void => {
  state.previous = 0
  state.mode = body
}

/**
 * Behind what may be the close of a raw parameter: it is one if the close of the tool, the open of a parameter that
 * was not given yet or the end of the stream follows. `state.lead` holds it, and the white space behind it.
 */
const behind: Context = {
  read: (state, text, at) => {
    const stop = White.skip(text, at)
    state.lead += text.slice(at, stop)
    if (stop === text.length) return stop
    if (text.charCodeAt(stop) !== Tags.LESS) {
      notClosed(state, "")
      return stop
    }
    state.node = state.call!.param!.after
    const end = Tags.walk(state, text, stop + 1)
    if (state.node === undefined) notClosed(state, text.slice(stop, end))
    else hold(state, behind, text.slice(stop, end))
    return end
  },
  found: (state, tag) => {
    if (tag._tag === "ParamEnd") {
      keep(state, state.lead)
      state.lead = state.held
    } else if (follows(state, tag)) {
      closeValue(state, state.call!)
      toBody(state)
      body.found(state, tag)
    } else {
      notClosed(state, state.held)
    }
  },
  missed: (state) => notClosed(state, state.held),
  cut: (state, node) => {
    const tags = Tags.reachable(node)
    if (!tags.some((tag) => tag._tag !== "ParamEnd" && couldFollow(state, tag))) keep(state, state.lead)
    close(state, { partial: true })
  },
  end: (state) => close(state, { partial: true })
}

const notClosed = (state: State, piece: string): void => {
  keep(state, state.lead)
  keep(state, piece)
  state.lead = ""
  state.mode = value
}

const follows = (state: State, tag: Tag): boolean => {
  const call = state.call!
  if (tag._tag === "ToolEnd") return true
  const param = opened(state, call, tag)
  return param !== undefined && call.callee.params.has(param.name) && !call.given.has(param.name)
}

/** As `follows`, of a tag that is cut off: any parameter's name may still come. */
const couldFollow = (state: State, tag: Tag): boolean => tag._tag === "Parameter" || follows(state, tag)
