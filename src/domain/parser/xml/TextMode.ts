/** The text between calls. Tags count anywhere, except in a code span, in a fence that began with anything else, and in reasoning. */
import * as CallMode from "./CallMode.ts"
import type { Tag } from "./TagGrammar.ts"
import { type Context, holdTag, type Marker, type Mode, type State, untilTag } from "./ParserState.ts"
import * as PartWriter from "./PartWriter.ts"
import * as TagMatcher from "./TagMatcher.ts"
import * as Whitespace from "../Whitespace.ts"

const GREATER = 62
const BACKTICK = 96
const TILDE = 126
const FENCE = 3

export const textMode: Context = {
  read: (state, text, at) => {
    for (let i = at; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit === TagMatcher.LESS) {
        if ((i > at ? text.charCodeAt(i - 1) : state.previousUnit) === TagMatcher.LESS) continue
        state.node = state.grammar.prose
        const stop = TagMatcher.walk(state, text, i + 1)
        if (state.node === undefined) {
          i = stop - 1
          continue
        }
        emitText(state, text.slice(at, i))
        holdTag(state, textMode, text.slice(i, stop))
        return stop
      }
      if (unit === BACKTICK || unit === TILDE && Whitespace.isBlockStart(Whitespace.append(state.line, text.slice(at, i)))) {
        emitText(state, text.slice(at, i))
        state.marker = { unit, length: 0 }
        state.mode = marker
        return i
      }
    }
    emitText(state, text.slice(at))
    return text.length
  },
  onTag: (state, tag) => {
    switch (tag._tag) {
      case "Tool":
        return CallMode.open(state, tag.callee)
      case "Invoke":
        return CallMode.open(state, state.grammar.calleeByName(TagMatcher.quotedName(state.pending)!.name))
      case "Block":
        return startLead(state, state.pending, tag.block)
      case "BlockEnd":
        return state.blocks.delete(tag.block) ? restart(state) : emitText(state, state.pending)
      case "Reasoning":
        if (state.wrapper !== undefined) return emitText(state, state.pending)
        state.reasoningEnd = tag.inside
        state.mode = reasoning
        return
      default:
        return emitText(state, state.pending)
    }
  },
  onNoTag: (state) => emitText(state, state.pending),
  onCut: (state, node) => {
    const pending = state.pending
    const tags = pending === "<" ? [] : TagMatcher.reachable(node)
    if (tags.some((tag) => tag._tag === "Tool" || tag._tag === "Invoke")) {
      CallMode.openTruncated(state, truncatedName(state, tags))
    } else if (tags.some((tag) => isDropped(state, tag))) {
      state.warnings.push(`Cut-off tag dropped: ${pending}`)
    } else {
      emitText(state, pending)
    }
  },
  end: () => {}
}

/** Text for the user, and what it implies about where a tag or a fence may occur. */
const emitText = (state: State, piece: string): void => {
  if (piece === "") return
  state.previousUnit = piece.charCodeAt(piece.length - 1)
  state.line = Whitespace.append(state.line, piece)
  PartWriter.text(state.out, piece)
}

/** What follows a tag counts as the start of a line. */
const restart = (state: State): void => {
  state.previousUnit = 0
  state.line = ""
  state.mode = textMode
}

/** The only tool that a cut-off tag can mean, else "". */
const truncatedName = (state: State, tags: ReadonlyArray<Tag>): string => {
  const quoted = TagMatcher.quotedName(state.pending)
  if (quoted?.isComplete) return quoted.name
  const names = quoted === undefined
    ? tags.flatMap((tag) => tag._tag === "Tool" ? [tag.callee.name] : tag._tag === "Invoke" ? ["", ""] : [])
    : state.grammar.names.filter((name) => name.startsWith(quoted.name))
  return names.length === 1 ? names[0]! : ""
}

const isDropped = (state: State, tag: Tag): boolean =>
  tag._tag === "Block" || tag._tag === "Reasoning" && state.wrapper === undefined ||
  tag._tag === "BlockEnd" && state.blocks.has(tag.block)

/** Reasoning is opaque: only its own close counts. */
const reasoning: Context = {
  read: (state, text, at) => untilTag(state, reasoning, state.reasoningEnd!, text, at, emitReasoning, false),
  onTag: restart,
  onNoTag: (state) => emitReasoning(state, state.pending),
  onCut: (state) => {
    if (state.pending === "<") emitReasoning(state, state.pending)
    else state.warnings.push(`Cut-off tag dropped: ${state.pending}`)
  },
  end: () => {}
}

const emitReasoning = (state: State, piece: string): void => PartWriter.reasoning(state.out, piece)

/** A run of backticks or tildes: held back until its length is known. */
const marker: Mode = {
  read: (state, text, at) => {
    const { length, unit } = state.marker
    const stop = skipRun(text, at, unit)
    state.marker = { unit, length: length + stop - at }
    if (stop < text.length) resolveMarker(state)
    return stop
  },
  end: (state) => {
    resolveMarker(state)
    state.mode.end(state)
  }
}

const skipRun = (text: string, at: number, unit: number): number => {
  let stop = at
  while (stop < text.length && text.charCodeAt(stop) === unit) stop++
  return stop
}

const markerText = (marker: Marker): string => String.fromCharCode(marker.unit).repeat(marker.length)

const resolveMarker = (state: State): void => {
  const { line, marker, wrapper } = state
  const isFence = marker.length >= FENCE && Whitespace.isBlockStart(line)
  if (isFence && wrapper === undefined) {
    state.lead = markerText(marker)
    state.isQuoted = Whitespace.isQuoted(line)
    state.mode = info
  } else if (isFence && marker.unit === wrapper!.unit && marker.length >= wrapper!.length) {
    state.lead = markerText(marker)
    state.mode = fenceEnd
  } else {
    emitText(state, markerText(marker))
    state.mode = inline(marker)
  }
}

/** Backticks that open no fence open a code span; tildes are text. */
const inline = (marker: Marker): Mode => marker.unit === BACKTICK ? span : textMode

/** A code span, until the same run or the end of the line. */
const span: Mode = {
  read: (state, text, at) => {
    let i = at
    for (; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit === BACKTICK) state.run++
      else if (state.run === state.marker.length || unit === Whitespace.NEWLINE) break
      else state.run = 0
    }
    emitText(state, text.slice(at, i))
    if (i < text.length) {
      state.run = 0
      state.mode = textMode
    }
    return i
  },
  end: () => {}
}

/** The rest of a fence's first line. A further backtick makes it a code span. */
const info: Mode = {
  read: (state, text, at) => {
    for (let i = at; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit === BACKTICK && state.marker.unit === BACKTICK) {
        emitText(state, state.lead + text.slice(at, i))
        state.mode = span
        return i
      }
      if (unit === Whitespace.NEWLINE) {
        startLead(state, state.lead + text.slice(at, i + 1))
        state.isFenced = true
        if (!state.hasWrappers || state.isQuoted) releaseLead(state)
        return i + 1
      }
    }
    state.lead += text.slice(at)
    return text.length
  },
  end: (state) => emitText(state, state.lead)
}

/** What may be the last line of a wrapping fence: dropped, if nothing else is on it. */
const fenceEnd: Mode = {
  read: (state, text, at) => {
    for (let i = at; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (Whitespace.isWhitespace(unit) && unit !== Whitespace.NEWLINE) continue
      if (unit === Whitespace.NEWLINE) {
        state.wrapper = undefined
        restart(state)
      } else {
        emitText(state, state.lead + text.slice(at, i))
        state.mode = inline(state.marker)
      }
      return i
    }
    state.lead += text.slice(at)
    return text.length
  },
  end: () => {}
}

/** What may be the wrapping of a call begins, or continues. */
const startLead = (state: State, text: string, block?: "function_calls" | "tool_call"): void => {
  state.lead = text
  state.leadBlocks.clear()
  if (block !== undefined) state.leadBlocks.add(block)
  state.isFenced = false
  state.mode = leadMode
}

/** The wrapping so far was text. */
const releaseLead = (state: State): void => {
  if (state.isFenced) {
    state.run = state.lead.slice(state.lead.lastIndexOf("\n") + 1).trim() === "" ? 0 : OTHER
    state.isQuoteMarkDue = state.isQuoted
    PartWriter.text(state.out, state.lead)
    state.mode = fence
  } else {
    emitText(state, state.lead)
    state.mode = textMode
  }
}

/** A fence's first line and opening blocks, held back until a call follows: then they wrap it and are dropped. */
const leadMode: Context = {
  read: (state, text, at) => {
    const stop = Whitespace.skip(text, at)
    state.lead += text.slice(at, stop)
    if (stop === text.length) return stop
    if (text.charCodeAt(stop) === TagMatcher.LESS) {
      state.node = state.grammar.prose
      const end = TagMatcher.walk(state, text, stop + 1)
      if (state.node !== undefined) {
        holdTag(state, leadMode, text.slice(stop, end))
        return end
      }
    }
    releaseLead(state)
    return stop
  },
  onTag: (state, tag) => {
    if (tag._tag === "Block") {
      state.lead += state.pending
      state.leadBlocks.add(tag.block)
    } else if (tag._tag === "Tool" || tag._tag === "Invoke") {
      for (const block of state.leadBlocks) state.blocks.add(block)
      if (state.isFenced) state.wrapper = state.marker
      textMode.onTag(state, tag)
    } else if (state.isFenced) {
      state.lead += state.pending
      releaseLead(state)
    } else {
      releaseLead(state)
      textMode.onTag(state, tag)
    }
  },
  onNoTag: (state) => {
    state.lead += state.pending
    releaseLead(state)
  },
  onCut: (state, node) => {
    leadMode.end(state)
    if (state.isFenced) PartWriter.text(state.out, state.pending)
    else textMode.onCut(state, node)
  },
  end: (state) => {
    if (state.isFenced) PartWriter.text(state.out, state.lead)
    else state.warnings.push(`Cut-off block dropped: ${state.lead.trim()}`)
  }
}

/** In a fence: how much of the line may be its last line. */
const OTHER = -1
const CLOSED = -2

/** A fence with other content: text, until a line with only its own marker, or the end of the block quote around it. */
const fence: Mode = {
  read: (state, text, at) => {
    const { length, unit: mark } = state.marker
    let i = at
    while (i < text.length) {
      const unit = text.charCodeAt(i)
      if (state.isQuoteMarkDue && (unit === Whitespace.NEWLINE || unit !== GREATER && !Whitespace.isWhitespace(unit))) break
      if (unit === Whitespace.NEWLINE) {
        if (state.run === CLOSED || state.run >= length) break
        state.run = 0
        state.isQuoteMarkDue = state.isQuoted
      } else if (unit === GREATER && state.isQuoted && state.run === 0) {
        state.isQuoteMarkDue = false
      } else if (unit === mark && state.run >= 0) {
        state.run++
      } else if (!Whitespace.isWhitespace(unit) || state.run > 0 && state.run < length) {
        state.run = OTHER
      } else if (state.run > 0) {
        state.run = CLOSED
      }
      i++
      if (state.run === OTHER) {
        const newline = text.indexOf("\n", i)
        i = newline === -1 ? text.length : newline
      }
    }
    PartWriter.text(state.out, text.slice(at, i))
    if (i < text.length) {
      state.run = 0
      restart(state)
    }
    return i
  },
  end: () => {}
}
