/** Every simple command of a program: through chains, pipes, groups, loops, functions, substitutions and wrappers. */
import { isOwnVariable } from "./Environment.ts"
import { inspect } from "./Inspect.ts"
import { baseName, type Hazard, type Part, type Touch } from "./SimpleCommand.ts"
import { maxDepth, parse } from "./Parse.ts"
import type { Assignment, Node, Program, Redirect, Word } from "./Syntax.ts"
import { type Inner, unwrap } from "./Unwrap.ts"

/** A program of more simple commands than this asks; the deny walk goes on until it has read `maxWords`. */
export const maxCommands = 500
/** More than any text within the size limit holds, unless wrappers within wrappers multiply its words. */
const maxWords = 100_000

export interface Walked {
  readonly parts: ReadonlyArray<Part>
  readonly faults: ReadonlyArray<string>
  /** The words, when the program is one simple command and nothing else. */
  readonly plain: ReadonlyArray<Word> | undefined
}

export const walk = (text: string): Walked => {
  const walker = new Walker()
  const program = parse(text)
  const { root } = program
  return {
    parts: walker.program(program, { folders: [""], via: [], depth: 0 }),
    faults: [...walker.faults],
    plain: root._tag === "Simple" && root.assignments.length === 0 && root.redirects.length === 0 ? root.words : undefined
  }
}

/** Folders as paths from where the program starts; undefined when they cannot be told. */
type Folders = ReadonlyArray<string> | undefined

/** Where the shell may be after a node: when it succeeded, and in any case. */
interface After {
  readonly success: Folders
  readonly any: Folders
}

interface Scope {
  readonly folders: Folders
  readonly via: ReadonlyArray<string>
  readonly depth: number
}

class Walker {
  readonly faults = new Set<string>()
  private commands = 0
  private words = 0
  private parts: Array<Part> = []

  program({ faults, root }: Program, scope: Scope): ReadonlyArray<Part> {
    faults.forEach((fault) => this.faults.add(fault))
    return this.collect(() => this.node(root, scope))
  }

  /** The parts that are found while `run` runs. */
  private collect(run: () => void): ReadonlyArray<Part> {
    const outer = this.parts
    this.parts = []
    run()
    const found = this.parts
    this.parts = outer
    return found
  }

  private node(node: Node, scope: Scope): After {
    switch (node._tag) {
      case "Simple":
        return this.simple(node, scope)
      case "List":
        return node.nodes.reduce<After>((after, next) => this.node(next, { ...scope, folders: after.any }), still(scope))
      case "AndOr":
        return this.andOr(node, scope)
      case "Pipeline":
        node.nodes.forEach((next) => this.node(next, scope))
        return still(scope)
      case "Subshell":
        this.node(node.node, scope)
        return still(scope)
      case "Redirected": {
        const after = this.node(node.node, scope)
        this.bare(node.redirects, [], scope)
        return after
      }
      case "Branch":
        this.substitutions(node.words, scope)
        return this.any(node.nodes, scope)
      case "Loop":
        return this.loop(node, scope)
      case "Function":
        this.faults.add(`it defines a function, ${node.name}`)
        this.node(node.body, { ...scope, folders: undefined })
        return still(scope)
      case "Coprocess":
        this.faults.add("it starts a coprocess")
        this.node(node.node, scope)
        return still(scope)
      case "Test":
        this.test(node, scope)
        return still(scope)
      case "Arithmetic":
        if (node.hazard !== undefined) this.faults.add(node.hazard)
        this.any(node.scripts, scope)
        return still(scope)
    }
  }

  private andOr({ nodes, operators }: Extract<Node, { _tag: "AndOr" }>, scope: Scope): After {
    let after = this.node(nodes[0]!, scope)
    operators.forEach((operator, i) => {
      const next = this.node(nodes[i + 1]!, { ...scope, folders: operator === "&&" ? after.success : after.any })
      after = {
        success: operator === "&&" ? next.success : union(after.success, next.success),
        any: union(after.any, next.any)
      }
    })
    return after
  }

  /** Each node may run, or not. */
  private any(nodes: ReadonlyArray<Node>, scope: Scope): After {
    let { folders } = scope
    for (const node of nodes) folders = union(folders, this.node(node, { ...scope, folders }).any)
    return { success: folders, any: folders }
  }

  private loop({ hazard, nodes, variable, words }: Extract<Node, { _tag: "Loop" }>, scope: Scope): After {
    if (hazard !== undefined) this.faults.add(hazard)
    if (variable !== undefined && !isOwnVariable(variable)) this.faults.add(`its loop sets ${variable}, which programs read`)
    this.substitutions(words, scope)
    const after = this.any(nodes, scope)
    if (after.any?.join() !== scope.folders?.join()) this.faults.add("a loop changes the folder")
    return after
  }

  private test({ operators, source, words }: Extract<Node, { _tag: "Test" }>, scope: Scope): void {
    this.substitutions(words, scope)
    const hazards = operators
      .filter((operator) => /^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(operator))
      .map((operator): Hazard => ({ why: `[[ ${operator} ]] evaluates its operands as code`, word: undefined, opaque: true }))
    this.add({ ...empty(scope, source), words: [bracket, ...words], core: [bracket, ...words], name: "[[", hazards: [...hazards, ...expansionHazards(words)], readOnly: hazards.length === 0 })
  }

  private simple(node: Extract<Node, { _tag: "Simple" }>, scope: Scope): After {
    const { assignments, redirects, source, words } = node
    this.words += words.length
    if (this.words > maxWords) {
      this.faults.add("it takes too long to read")
      return still(scope)
    }
    if (words.length === 0) {
      this.bare(redirects, assignments, scope, source)
      return still(scope)
    }
    this.substitutions([...words, ...assignments.flatMap(({ words }) => words)], scope)
    const [program] = words
    const name = program!.kind === "literal" || program!.kind === "tilde" ? baseName(program!.text) : undefined
    const here = redirects.find((redirect) => redirect._tag === "Here")
    const inner = name === undefined ? undefined : unwrap(name, words, here?.body)
    const { core, hazards, readOnly, touches } = inspect(name, words)
    const files = this.redirections(redirects, scope)
    const unnamed: ReadonlyArray<Hazard> = name === undefined
      ? [{ why: "the name of the program is known only at run time", word: undefined, opaque: true }]
      : []
    this.add({
      source,
      words,
      core,
      name,
      via: scope.via,
      inner: inner === undefined ? [] : this.inside(inner, { ...scope, via: [...scope.via, name!], depth: scope.depth + 1 }),
      transparent: inner !== undefined && inner.transparent && files.touches.length === 0,
      folders: scope.folders,
      assignments,
      touches: [...touches, ...files.touches],
      hazards: [...unnamed, ...hazards, ...(inner?.hazards ?? []), ...files.hazards, ...expansionHazards([...words, ...assignments.flatMap(({ words }) => words)])],
      readOnly: readOnly && files.touches.every(({ access }) => access === "read") && assignments.length === 0
    })
    return name === "cd" ? changed(words, scope) : still(scope)
  }

  /** The commands that a wrapper runs. */
  private inside(inner: Inner, scope: Scope): ReadonlyArray<Part> {
    if (scope.depth > maxDepth) {
      this.faults.add(`it is nested deeper than ${maxDepth} levels`)
      return []
    }
    return this.collect(() => {
      for (const words of inner.commands) {
        this.node({ _tag: "Simple", source: words.map(({ source }) => source).join(" "), assignments: [], words: words.map(bare), redirects: [] }, scope)
      }
      for (const script of inner.scripts) this.parts.push(...this.program(parse(script), scope))
    })
  }

  /** A redirection or an assignment that belongs to no simple command. */
  private bare(redirects: ReadonlyArray<Redirect>, assignments: ReadonlyArray<Assignment>, scope: Scope, source?: string): void {
    const words = assignments.flatMap(({ words }) => words)
    this.substitutions(words, scope)
    const { hazards, touches } = this.redirections(redirects, scope)
    const written = source ?? redirects.map((redirect) => "source" in redirect ? redirect.source : "").join(" ").trim()
    if (assignments.length === 0 && touches.length === 0 && hazards.length === 0) return
    this.add({ ...empty(scope, written), assignments, touches, hazards: [...hazards, ...expansionHazards(words)] })
  }

  private redirections(redirects: ReadonlyArray<Redirect>, scope: Scope): { touches: ReadonlyArray<Touch>; hazards: ReadonlyArray<Hazard> } {
    const touches: Array<Touch> = []
    const hazards: Array<Hazard> = []
    for (const redirect of redirects) {
      if (redirect._tag === "Duplicate") continue
      const word = redirect._tag === "Here" ? redirect.body : redirect.target
      this.substitutions([word], scope)
      hazards.push(...expansionHazards([word]))
      if (redirect._tag === "Here") continue
      if (redirect.named) hazards.push({ why: "a named descriptor outlives its command", word: undefined, opaque: false })
      if (word.kind !== "process") {
        touches.push({ access: redirect._tag === "Read" ? "read" : "write", word, path: word.text, tree: false, redirect: true, sure: true })
      }
    }
    return { touches, hazards }
  }

  private substitutions(words: ReadonlyArray<Word>, scope: Scope): void {
    for (const { scripts } of words) for (const script of scripts) this.node(script, scope)
  }

  private add(part: Part): void {
    this.commands++
    if (this.commands === maxCommands + 1) this.faults.add(`it holds more than ${maxCommands} commands`)
    this.parts.push(part)
  }
}

const bracket: Word = { source: "[[", kind: "literal", text: "[[", splits: false, scripts: [], hazards: [] }

/** A wrapper's words were looked into where they stand; inside, only their text counts. */
const bare = (word: Word): Word => word.scripts.length === 0 && word.hazards.length === 0 ? word : { ...word, scripts: [], hazards: [] }

const empty = ({ folders, via }: Scope, source: string): Part => ({
  source,
  words: [],
  core: [],
  name: undefined,
  via,
  inner: [],
  transparent: false,
  folders,
  assignments: [],
  touches: [],
  hazards: [],
  readOnly: false
})

const expansionHazards = (words: ReadonlyArray<Word>): ReadonlyArray<Hazard> =>
  words.flatMap((word) => [
    ...word.hazards.map((why): Hazard => ({ why, word: undefined, opaque: true })),
    // As a whole word, `=name` is a program's path to zsh.
    ...(/^=[\w./-]/.test(word.source) ? [{ why: `${word.source} is another word to other shells`, word, opaque: false }] : [])
  ])

const still = ({ folders }: Scope): After => ({ success: folders, any: folders })

const union = (a: Folders, b: Folders): Folders => {
  if (a === undefined || b === undefined) return undefined
  if (a === b) return a
  const all = [...new Set([...a, ...b])]
  return all.length > 16 ? undefined : all
}

/** After `cd folder`. */
const changed = (words: ReadonlyArray<Word>, { folders }: Scope): After => {
  const target = words.slice(1).find(({ text }) => !/^-[LPe@]+$|^--$/.test(text))
  const path = target?.kind === "literal" || target?.kind === "tilde" ? target.text : undefined
  if (path === undefined || path === "-" || path === "" || folders === undefined) return { success: undefined, any: undefined }
  const success = /^[/~]/.test(path) ? [path] : folders.map((folder) => folder === "" ? path : `${folder}/${path}`)
  return { success, any: union(folders, success) }
}
