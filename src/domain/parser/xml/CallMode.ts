/** A tool call while it is read: between its parameters, inside one, and after what may be the close of a raw one. */
import type { ToolCallPart } from "../../message/Part.ts"
import type { Callee, Param, Tag } from "./TagGrammar.ts"
import { type Call, type Context, holdTag, type State, untilTag } from "./ParserState.ts"
import * as PartWriter from "./PartWriter.ts"
import { define } from "../OwnProperty.ts"
import * as TextBuffer from "../TextBuffer.ts"
import * as TagMatcher from "./TagMatcher.ts"
import * as ParamValue from "./ParamValue.ts"
import * as Whitespace from "../Whitespace.ts"

/** A call begins. */
export const open = (state: State, callee: Callee): void => {
  PartWriter.call(state.out)
  state.call = {
    id: `call_${state.callCount++}`,
    callee,
    params: [],
    seenParams: new Set(),
    warnings: [],
    param: undefined,
    value: undefined,
    betweenText: "",
    hasChanged: true
  }
  state.previousUnit = 0
  state.mode = bodyMode
}

/** The call as it was when the stream ended inside its tag. */
export const openTruncated = (state: State, name: string): void => {
  open(state, { name, body: TagMatcher.noTags, params: new Map() })
  close(state, { partial: true })
}

/** Reports the open call so far, at the end of a push. */
export const emitProgress = (state: State): void => {
  const call = state.call
  if (call === undefined) return
  const param = call.param?.name
  const text = call.value?.delta ?? ""
  if (text === "" && !call.hasChanged) return
  call.hasChanged = false
  if (call.value !== undefined) call.value.delta = ""
  state.out.parts.push(partialCall(call, param !== undefined && text !== "" ? { param, text } : undefined))
}

/** A call with more parameters or warnings than this is copied only on access. */
const MAX_EAGER = 16

/** The state of a call that still grows: a snapshot that does not change later. */
const partialCall = (call: Call, appended: ToolCallPart["appended"]): ToolCallPart => {
  const { callee: { name }, id, params, value, warnings } = call
  const open = value && TextBuffer.text(value.text)
  const isSmall = params.length <= MAX_EAGER && warnings.length <= MAX_EAGER
  const part: ToolCallPart = {
    _tag: "ToolCall",
    id,
    name,
    params: isSmall ? record(params, params.length, open) : {},
    partial: true,
    warnings: isSmall ? warnings.slice() : [],
    ...(appended && { appended })
  }
  return isSmall ? part : lazyCall(part, params, params.length, open, warnings, warnings.length)
}

/** The lists are append-only, so their lengths determine what they contained. */
const lazyCall = (
  part: ToolCallPart,
  params: Call["params"],
  paramCount: number,
  open: string | undefined,
  warnings: ReadonlyArray<string>,
  warningCount: number
): ToolCallPart => {
  let cachedParams: ToolCallPart["params"] | undefined
  return Object.defineProperties(part, {
    params: { enumerable: true, get: () => cachedParams ??= record(params, paramCount, open) },
    warnings: { enumerable: true, get: () => warnings.slice(0, warningCount) }
  })
}

/** The first parameters by name; of the last of them, if it is open, only what had arrived. */
const record = (params: Call["params"], count: number, open?: string): Record<string, string> => {
  const values: Record<string, string> = {}
  for (let i = 0; i < count; i++) {
    const [name, { text }] = params[i]!
    define(values, name, open !== undefined && i === count - 1 ? open : TextBuffer.text(text))
  }
  return values
}

/** The call is complete: nothing about it changes any more. */
const close = (state: State, status: { readonly partial: boolean; readonly malformed?: string }): void => {
  const call = state.call!
  if (call.value !== undefined) closeValue(state, call)
  if (call.betweenText !== "") closeBetween(call)
  const { callee: { name }, id, params, warnings } = call
  state.out.parts.push({ _tag: "ToolCall", id, name, params: record(params, params.length), ...status, warnings })
  PartWriter.call(state.out)
  state.call = undefined
  state.line = ""
  state.previousUnit = 0
  state.mode = state.outerMode
}

const openValue = (call: Call, param: Param): void => {
  if (call.seenParams.has(param.name)) call.warnings.push(`Parameter "${param.name}" was given twice: the last one counts`)
  call.seenParams.add(param.name)
  call.param = param
  call.value = ParamValue.initial(param.raw)
  call.params.push([param.name, call.value])
  call.hasChanged = true
}

/** The rest of a value is emitted in a part of its own, so that each part concerns one parameter. */
const closeValue = (state: State, call: Call): void => {
  ParamValue.end(call.value!)
  emitProgress(state)
  call.param = undefined
  call.value = undefined
}

const closeBetween = (call: Call): void => {
  const text = call.betweenText.trim()
  call.betweenText = ""
  if (text !== "") call.warnings.push(`Text between parameters: ${text}`)
}

/** Between the parameters. */
const bodyMode: Context = {
  read: (state, text, at) => untilTag(state, bodyMode, state.call!.callee.body, text, at, addBetween, true),
  onTag: (state, tag) => {
    const call = state.call!
    const param = openedParam(state, call, tag)
    if (param !== undefined) {
      closeBetween(call)
      openValue(call, param)
      state.mode = valueMode
    } else if (tag._tag === "ToolEnd") {
      close(state, { partial: false })
    } else if (tag._tag === "BlockEnd" && !state.blocks.has(tag.block)) {
      addBetween(state, state.pending)
    } else {
      close(state, { partial: false, malformed: "its closing tag is missing" })
      state.outerMode.onTag(state, tag)
    }
  },
  onNoTag: (state) => addBetween(state, state.pending),
  onCut: (state) => close(state, { partial: true }),
  end: (state) => close(state, { partial: true })
}

const addBetween = (state: State, piece: string): void => {
  if (piece === "") return
  state.call!.betweenText += piece
  state.previousUnit = piece.charCodeAt(piece.length - 1)
}

/** The parameter that a tag opens. */
const openedParam = (state: State, call: Call, tag: Tag): Param | undefined => {
  if (tag._tag === "Param") return tag.param
  if (tag._tag !== "Parameter") return undefined
  return state.grammar.parameter(call.callee, TagMatcher.quotedName(state.pending)!.name)
}

/** Inside a parameter only its own close counts. */
const valueMode: Context = {
  read: (state, text, at) => untilTag(state, valueMode, state.call!.param!.inside, text, at, appendValue, false),
  onTag: (state) => {
    const call = state.call!
    if (call.param!.raw) {
      state.lead = state.pending
      state.mode = closeMode
    } else {
      closeValue(state, call)
      toBody(state)
    }
  },
  onNoTag: (state) => appendValue(state, state.pending),
  onCut: (state) => close(state, { partial: true }),
  end: (state) => close(state, { partial: true })
}

const appendValue = (state: State, piece: string): void => ParamValue.push(state.call!.value!, piece)

const toBody = (state: State): void => {
  state.previousUnit = 0
  state.mode = bodyMode
}

/**
 * After what may be the close of a raw parameter: it is one if the close of the tool, the open of a parameter that was
 * not given yet or the end of the stream follows. `state.lead` holds it, and the white space after it.
 */
const closeMode: Context = {
  read: (state, text, at) => {
    const stop = Whitespace.skip(text, at)
    state.lead += text.slice(at, stop)
    if (stop === text.length) return stop
    if (text.charCodeAt(stop) !== TagMatcher.LESS) {
      resumeValue(state, "")
      return stop
    }
    state.node = state.call!.param!.after
    const end = TagMatcher.walk(state, text, stop + 1)
    if (state.node === undefined) resumeValue(state, text.slice(stop, end))
    else holdTag(state, closeMode, text.slice(stop, end))
    return end
  },
  onTag: (state, tag) => {
    if (tag._tag === "ParamEnd") {
      appendValue(state, state.lead)
      state.lead = state.pending
    } else if (canFollow(state, tag)) {
      closeValue(state, state.call!)
      toBody(state)
      bodyMode.onTag(state, tag)
    } else {
      resumeValue(state, state.pending)
    }
  },
  onNoTag: (state) => resumeValue(state, state.pending),
  onCut: (state, node) => {
    const tags = TagMatcher.reachable(node)
    if (!tags.some((tag) => tag._tag !== "ParamEnd" && canCutTagFollow(state, tag))) appendValue(state, state.lead)
    close(state, { partial: true })
  },
  end: (state) => close(state, { partial: true })
}

const resumeValue = (state: State, piece: string): void => {
  appendValue(state, state.lead)
  appendValue(state, piece)
  state.lead = ""
  state.mode = valueMode
}

const canFollow = (state: State, tag: Tag): boolean => {
  const call = state.call!
  if (tag._tag === "ToolEnd") return true
  const param = openedParam(state, call, tag)
  return param !== undefined && call.callee.params.has(param.name) && !call.seenParams.has(param.name)
}

/** Like `canFollow`, for a tag that is cut off: any parameter's name may still come. */
const canCutTagFollow = (state: State, tag: Tag): boolean => tag._tag === "Parameter" || canFollow(state, tag)
