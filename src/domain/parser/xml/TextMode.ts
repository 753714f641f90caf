/**
 * The text between calls. Tags count wherever they stand, except in a code span, in a fence that began with anything
 * else, and in reasoning.
 */
import * as Call from "./CallMode.ts"
import type { Tag } from "./TagGrammar.ts"
import * as Line from "../Line.ts"
import { type Context, hold, type Marker, type Mode, type State, untilTag } from "./ParserState.ts"
import * as Output from "./PartWriter.ts"
import * as Tags from "./TagMatcher.ts"
import * as White from "../Whitespace.ts"

const GREATER = 62
const BACKTICK = 96
const TILDE = 126
const FENCE = 3

export const prose: Context = {
  read: (state, text, at) => {
    for (let i = at; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit === Tags.LESS) {
        if ((i > at ? text.charCodeAt(i - 1) : state.previous) === Tags.LESS) continue
        state.node = state.grammar.prose
        const stop = Tags.walk(state, text, i + 1)
        if (state.node === undefined) {
          i = stop - 1
          continue
        }
        say(state, text.slice(at, i))
        hold(state, prose, text.slice(i, stop))
        return stop
      }
      if (unit === BACKTICK || unit === TILDE && Line.beginsBlock(Line.append(state.line, text.slice(at, i)))) {
        say(state, text.slice(at, i))
        state.marker = { unit, length: 0 }
        state.mode = marker
        return i
      }
    }
    say(state, text.slice(at))
    return text.length
  },
  found: (state, tag) => {
    switch (tag._tag) {
      case "Tool":
        return Call.open(state, tag.callee)
      case "Invoke":
        return Call.open(state, state.grammar.invoked(Tags.quotedName(state.held)!.name))
      case "Block":
        return lead(state, state.held, tag.block)
      case "BlockEnd":
        return state.blocks.delete(tag.block) ? fresh(state) : say(state, state.held)
      case "Reasoning":
        if (state.wrapper !== undefined) return say(state, state.held)
        state.reasoningEnd = tag.inside
        state.mode = reasoning
        return
      default:
        return say(state, state.held)
    }
  },
  missed: (state) => say(state, state.held),
  cut: (state, node) => {
    const held = state.held
    const tags = held === "<" ? [] : Tags.reachable(node)
    if (tags.some((tag) => tag._tag === "Tool" || tag._tag === "Invoke")) {
      Call.truncated(state, cutName(state, tags))
    } else if (tags.some((tag) => isDropped(state, tag))) {
      state.warnings.push(`Cut-off tag dropped: ${held}`)
    } else {
      say(state, held)
    }
  },
  end: () => {}
}

/** Text for the user, and what it says about where a tag or a fence may stand. */
const say = (state: State, piece: string): void => {
  if (piece === "") return
  state.previous = piece.charCodeAt(piece.length - 1)
  state.line = Line.append(state.line, piece)
  Output.text(state.out, piece)
}

/** What follows a tag stands as if at the start of a line. */
const fresh = (state: State): void => {
  state.previous = 0
  state.line = ""
  state.mode = prose
}

/** The only tool that a cut-off tag can mean, else "". */
const cutName = (state: State, tags: ReadonlyArray<Tag>): string => {
  const quoted = Tags.quotedName(state.held)
  if (quoted?.whole) return quoted.name
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
  read: (state, text, at) => untilTag(state, reasoning, state.reasoningEnd!, text, at, think, false),
  found: fresh,
  missed: (state) => think(state, state.held),
  cut: (state) => {
    if (state.held === "<") think(state, state.held)
    else state.warnings.push(`Cut-off tag dropped: ${state.held}`)
  },
  end: () => {}
}

const think = (state: State, piece: string): void => Output.reasoning(state.out, piece)

/** A run of backticks or tildes: held until its length is known. */
const marker: Mode = {
  read: (state, text, at) => {
    const { length, unit } = state.marker
    const stop = skipRun(text, at, unit)
    state.marker = { unit, length: length + stop - at }
    if (stop < text.length) decide(state)
    return stop
  },
  end: (state) => {
    decide(state)
    state.mode.end(state)
  }
}

const skipRun = (text: string, at: number, unit: number): number => {
  let stop = at
  while (stop < text.length && text.charCodeAt(stop) === unit) stop++
  return stop
}

const written = (marker: Marker): string => String.fromCharCode(marker.unit).repeat(marker.length)

const decide = (state: State): void => {
  const { line, marker, wrapper } = state
  const isFence = marker.length >= FENCE && Line.beginsBlock(line)
  if (isFence && wrapper === undefined) {
    state.lead = written(marker)
    state.quoted = Line.isQuoted(line)
    state.mode = info
  } else if (isFence && marker.unit === wrapper!.unit && marker.length >= wrapper!.length) {
    state.lead = written(marker)
    state.mode = closing
  } else {
    say(state, written(marker))
    state.mode = inline(marker)
  }
}

/** Backticks that open no fence open a code span; tildes are text. */
const inline = (marker: Marker): Mode => marker.unit === BACKTICK ? span : prose

/** A code span, until the same run or the end of the line. */
const span: Mode = {
  read: (state, text, at) => {
    let i = at
    for (; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit === BACKTICK) state.run++
      else if (state.run === state.marker.length || unit === White.NEWLINE) break
      else state.run = 0
    }
    say(state, text.slice(at, i))
    if (i < text.length) {
      state.run = 0
      state.mode = prose
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
        say(state, state.lead + text.slice(at, i))
        state.mode = span
        return i
      }
      if (unit === White.NEWLINE) {
        lead(state, state.lead + text.slice(at, i + 1))
        state.fenced = true
        if (!state.wrappers || state.quoted) letGo(state)
        return i + 1
      }
    }
    state.lead += text.slice(at)
    return text.length
  },
  end: (state) => say(state, state.lead)
}

/** What may be the last line of a wrapping fence: dropped, if nothing else is on it. */
const closing: Mode = {
  read: (state, text, at) => {
    for (let i = at; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (White.isWhite(unit) && unit !== White.NEWLINE) continue
      if (unit === White.NEWLINE) {
        state.wrapper = undefined
        fresh(state)
      } else {
        say(state, state.lead + text.slice(at, i))
        state.mode = inline(state.marker)
      }
      return i
    }
    state.lead += text.slice(at)
    return text.length
  },
  end: () => {}
}

/** What may be the wrapping of a call begins, or goes on. */
const lead = (state: State, text: string, block?: "function_calls" | "tool_call"): void => {
  state.lead = text
  state.leadBlocks.clear()
  if (block !== undefined) state.leadBlocks.add(block)
  state.fenced = false
  state.mode = leading
}

/** The wrapping so far was text. */
const letGo = (state: State): void => {
  if (state.fenced) {
    state.run = state.lead.slice(state.lead.lastIndexOf("\n") + 1).trim() === "" ? 0 : OTHER
    state.due = state.quoted
    Output.text(state.out, state.lead)
    state.mode = fence
  } else {
    say(state, state.lead)
    state.mode = prose
  }
}

/** A fence's first line and openings of blocks, held until a call follows: then they wrap it and are dropped. */
const leading: Context = {
  read: (state, text, at) => {
    const stop = White.skip(text, at)
    state.lead += text.slice(at, stop)
    if (stop === text.length) return stop
    if (text.charCodeAt(stop) === Tags.LESS) {
      state.node = state.grammar.prose
      const end = Tags.walk(state, text, stop + 1)
      if (state.node !== undefined) {
        hold(state, leading, text.slice(stop, end))
        return end
      }
    }
    letGo(state)
    return stop
  },
  found: (state, tag) => {
    if (tag._tag === "Block") {
      state.lead += state.held
      state.leadBlocks.add(tag.block)
    } else if (tag._tag === "Tool" || tag._tag === "Invoke") {
      for (const block of state.leadBlocks) state.blocks.add(block)
      if (state.fenced) state.wrapper = state.marker
      prose.found(state, tag)
    } else if (state.fenced) {
      state.lead += state.held
      letGo(state)
    } else {
      letGo(state)
      prose.found(state, tag)
    }
  },
  missed: (state) => {
    state.lead += state.held
    letGo(state)
  },
  cut: (state, node) => {
    leading.end(state)
    if (state.fenced) Output.text(state.out, state.held)
    else prose.cut(state, node)
  },
  end: (state) => {
    if (state.fenced) Output.text(state.out, state.lead)
    else state.warnings.push(`Cut-off block dropped: ${state.lead.trim()}`)
  }
}

/** In a fence: how much of the line may be its last line. */
const OTHER = -1
const CLOSED = -2

/** A fence of other content: text, until a line of its own marker alone, or the end of the block quote around it. */
const fence: Mode = {
  read: (state, text, at) => {
    const { length, unit: mark } = state.marker
    let i = at
    while (i < text.length) {
      const unit = text.charCodeAt(i)
      if (state.due && (unit === White.NEWLINE || unit !== GREATER && !White.isWhite(unit))) break
      if (unit === White.NEWLINE) {
        if (state.run === CLOSED || state.run >= length) break
        state.run = 0
        state.due = state.quoted
      } else if (unit === GREATER && state.quoted && state.run === 0) {
        state.due = false
      } else if (unit === mark && state.run >= 0) {
        state.run++
      } else if (!White.isWhite(unit) || state.run > 0 && state.run < length) {
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
    Output.text(state.out, text.slice(at, i))
    if (i < text.length) {
      state.run = 0
      fresh(state)
    }
    return i
  },
  end: () => {}
}
