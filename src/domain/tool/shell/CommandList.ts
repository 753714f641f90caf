/** Every simple command of a program: through chains, pipes, groups, loops, functions, substitutions and wrappers. */
import { assignmentHazard, isPrivateVariable } from "./Environment.ts"
import * as FoundFiles from "./FoundFiles.ts"
import type { Inspection } from "./Inspect.ts"
import { inspectValues } from "./InspectValues.ts"
import * as VariableValues from "./VariableValues.ts"
import { baseName, flatten, type Hazard, type SimpleCommand, type Touch } from "./SimpleCommand.ts"
import { maxDepth, parse } from "./Parse.ts"
import type { Assignment, Node, Program, Redirect, Word } from "./Syntax.ts"
import { mayMoveTrap } from "./Trap.ts"
import { type Inner, unwrap } from "./Unwrap.ts"
import { type Folders, type FolderState, foldersAfterCd, sameFolders, union } from "./WorkingFolders.ts"

/** A program with more simple commands than this asks; the deny walk continues up to `maxWords`. */
export const maxCommands = 500
/** More than any text within the size limit holds, unless nested wrappers multiply its words. */
const maxWords = 100_000

export interface CommandList {
  readonly parts: ReadonlyArray<SimpleCommand>
  readonly faults: ReadonlyArray<string>
  /** The words, if the program is one simple command and nothing else. */
  readonly simpleWords: ReadonlyArray<Word> | undefined
}

export const listCommands = (text: string): CommandList => {
  const walker = new Walker()
  const program = parse(text)
  const { root } = program
  const parts = walker.program(program, { folders: [""], wrappers: [], depth: 0, bindings: VariableValues.noBindings })
  if (mayMoveTrap(parts)) walker.faults.add("a trap runs commands in whatever folder is current then")
  return {
    parts,
    faults: [...walker.faults],
    simpleWords: root._tag === "Simple" && root.assignments.length === 0 && root.redirects.length === 0 ? root.words : undefined
  }
}

interface Scope {
  readonly folders: Folders
  readonly wrappers: ReadonlyArray<string>
  readonly depth: number
  readonly bindings: VariableValues.Bindings
  /** Its input comes from a redirection or a pipe around it. */
  readonly readsInput?: boolean
  /** The files that its input lists. */
  readonly input?: FoundFiles.Files | undefined
}

class Walker {
  readonly faults = new Set<string>()
  private commands = 0
  private words = 0
  private canDeclare = false
  private parts: Array<SimpleCommand> = []

  program({ faults, root }: Program, scope: Scope): ReadonlyArray<SimpleCommand> {
    faults.forEach((fault) => this.faults.add(fault))
    this.canDeclare ||= VariableValues.declares(root)
    return this.collect(() => this.node(root, scope))
  }

  /** The parts collected while `run` runs. */
  private collect(run: () => void): ReadonlyArray<SimpleCommand> {
    const outer = this.parts
    this.parts = []
    run()
    const collected = this.parts
    this.parts = outer
    return collected
  }

  private node(node: Node, scope: Scope): FolderState {
    switch (node._tag) {
      case "Simple":
        return this.simple(node, scope)
      case "List":
        return this.list(node, scope)
      case "AndOr":
        return this.andOr(node, scope)
      case "Pipeline":
        node.nodes.reduce<FoundFiles.Files | undefined>((input, next, i) => {
          this.node(next, { ...scope, input, ...(i === 0 ? {} : { readsInput: true }) })
          return FoundFiles.outputOf(next, input)
        }, undefined)
        return sameFolders(scope)
      case "Subshell":
        this.node(node.node, scope)
        return sameFolders(scope)
      case "Redirected": {
        const state = this.node(node.node, withInput(scope, node.redirects))
        this.bareRedirects(node.redirects, [], scope)
        return state
      }
      case "Branch":
        this.controlWords(node.words, scope)
        return this.any(node.nodes, scope)
      case "Loop":
        return this.loop(node, scope)
      case "Function":
        this.faults.add(`it defines the function ${node.name}`)
        this.node(node.body, { ...scope, folders: undefined })
        return sameFolders(scope)
      case "Coprocess":
        this.faults.add("it starts a coprocess")
        this.node(node.node, scope)
        return sameFolders(scope)
      case "Test":
        this.test(node, scope)
        return sameFolders(scope)
      case "Arithmetic":
        if (node.hazard !== undefined) this.faults.add(node.hazard)
        this.any(node.scripts, scope)
        return sameFolders(scope)
    }
  }

  private list({ nodes }: Extract<Node, { _tag: "List" }>, scope: Scope): FolderState {
    const bindings = this.bindingsIn({ nodes }, scope)
    let state = sameFolders(scope)
    nodes.forEach((node, i) => state = this.node(node, { ...scope, folders: state.any, bindings: bindings[i]! }))
    return state
  }

  private andOr(chain: Extract<Node, { _tag: "AndOr" }>, scope: Scope): FolderState {
    const { nodes, operators } = chain
    const bindings = this.bindingsIn(chain, scope)
    let state = this.node(nodes[0]!, { ...scope, bindings: bindings[0]! })
    operators.forEach((operator, i) => {
      const folders = operator === "&&" ? state.success : state.any
      const next = this.node(nodes[i + 1]!, { ...scope, folders, bindings: bindings[i + 1]! })
      state = {
        success: operator === "&&" ? next.success : union(state.success, next.success),
        any: union(state.any, next.any)
      }
    })
    return state
  }

  private bindingsIn(
    sequence: Parameters<typeof VariableValues.inSequence>[0],
    { bindings }: Scope
  ): ReadonlyArray<VariableValues.Bindings> {
    return this.canDeclare ? sequence.nodes.map(() => bindings) : VariableValues.inSequence(sequence, bindings)
  }

  /** Each node may or may not run. */
  private any(nodes: ReadonlyArray<Node>, scope: Scope): FolderState {
    let { folders } = scope
    for (const node of nodes) folders = union(folders, this.node(node, { ...scope, folders }).any)
    return { success: folders, any: folders }
  }

  private loop(loop: Extract<Node, { _tag: "Loop" }>, scope: Scope): FolderState {
    const { hazard, nodes, variable, words } = loop
    if (hazard !== undefined) this.faults.add(hazard)
    if (variable !== undefined && !isPrivateVariable(variable)) this.faults.add(`its loop sets ${variable}, which programs read`)
    this.controlWords(words, scope)
    const listedWords = words.flatMap((word) => FoundFiles.ofSubstitution(word) ?? [word])
    const bindings = VariableValues.loopBindings({ ...loop, words: listedWords }, scope.bindings)
    const readVariable = scope.input === undefined ? undefined : VariableValues.readVariable(loop)
    const state = this.any(nodes, {
      ...scope,
      bindings: readVariable === undefined ? bindings : new Map(bindings).set(readVariable, scope.input!)
    })
    if (state.any?.join() !== scope.folders?.join()) this.faults.add("a loop changes the working directory")
    return state
  }

  private test({ operators, source, words }: Extract<Node, { _tag: "Test" }>, scope: Scope): void {
    this.substitutions(words, scope)
    const hazards = operators
      .filter((operator) => /^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(operator))
      .map((operator): Hazard => ({ reason: `[[ ${operator} ]] evaluates its operands as code`, word: undefined, opaque: true }))
    this.add({
      ...emptyCommand(scope, source),
      words: [bracket, ...words],
      core: [bracket, ...words],
      name: "[[",
      hazards: [...hazards, ...expansionHazards(words)],
      readOnly: hazards.length === 0,
      editsFiles: hazards.length === 0
    })
  }

  private simple(node: Extract<Node, { _tag: "Simple" }>, scope: Scope): FolderState {
    const { assignments, redirects, source, words } = node
    this.words += words.length
    if (this.words > maxWords) {
      this.faults.add("it is too large to analyse")
      return sameFolders(scope)
    }
    if (words.length === 0) {
      this.bareRedirects(redirects, assignments, scope, source)
      return sameFolders(scope)
    }
    this.substitutions([...words, ...assignments.flatMap(({ words }) => words)], scope)
    const [program] = words
    const name = program!.kind === "literal" || program!.kind === "tilde" ? baseName(program!.text) : undefined
    const hereDocument = redirects.find((redirect) => redirect._tag === "Here")
    const { input, readsInput = false } = withInput(scope, redirects)
    const inner = name === undefined ? undefined : unwrap(name, words, hereDocument?.body, input)
    const inspection = inspectValues(name, words, scope.bindings)
    if (name === "cd" && (scope.input !== undefined || [...scope.bindings.values()].flat().some(({ tree }) => tree !== undefined)))
      this.faults.add("it changes the folder between finding files and reading them")
    const { core, hazards, touches } = inspection
    const files = this.redirections(redirects, scope)
    const innerParts = inner === undefined ? []
      : this.innerCommands(inner, {
        ...scope,
        wrappers: [...scope.wrappers, name!],
        depth: scope.depth + 1,
        bindings: VariableValues.noBindings,
        input,
        readsInput
      })
    if (name !== undefined && sameShell.has(name) && flatten(innerParts).some(({ name }) => name === "cd"))
      this.faults.add(`${name} changes the folder`)
    const isSink = files.touches.every(writesNothing)
    const isKnown = isInstalled(program!.text) &&
      assignments.every(({ name: variable, value }) => assignmentHazard(variable, value, name) === undefined)
    const onlyReads = inspection.readOnly || name === "tee" && inspection.editsFiles && touches.length > 0 && touches.every(writesNothing)
    const reads = inner === undefined ? onlyReads && hazards.length === 0 : readsThrough(inspection, inner, innerParts)
    const nameHazards: ReadonlyArray<Hazard> = name === undefined
      ? [{ reason: "the program's name is known only at run time", word: undefined, opaque: true }]
      : []
    this.add({
      source,
      words,
      core,
      name,
      wrappers: scope.wrappers,
      inner: innerParts,
      transparent: inner !== undefined && inner.transparent && isSink,
      folders: scope.folders,
      assignments,
      touches: [...touches, ...files.touches],
      hazards: [
        ...nameHazards,
        ...hazards,
        ...(inner?.hazards ?? []),
        ...files.hazards,
        ...expansionHazards([...words, ...assignments.flatMap(({ words }) => words)])
      ],
      readsInput,
      readOnly: reads && isKnown && isSink && files.hazards.length === 0,
      editsFiles: isKnown && files.hazards.length === 0 && (reads || inner === undefined && inspection.editsFiles)
    })
    return name === "cd" ? foldersAfterCd(words, scope) : sameFolders(scope)
  }

  /** The commands that a wrapper runs. */
  private innerCommands(inner: Inner, scope: Scope): ReadonlyArray<SimpleCommand> {
    if (scope.depth > maxDepth) {
      this.faults.add(`it is nested deeper than ${maxDepth} levels`)
      return []
    }
    return this.collect(() => {
      for (const words of inner.commands) {
        this.node({
          _tag: "Simple",
          source: words.map(({ source }) => source).join(" "),
          assignments: [],
          words: words.map(withoutExpansions),
          redirects: []
        }, scope)
      }
      for (const script of inner.scripts) this.parts.push(...this.program(parse(script), scope))
    })
  }

  /** A redirection or an assignment that belongs to no simple command. */
  private bareRedirects(redirects: ReadonlyArray<Redirect>, assignments: ReadonlyArray<Assignment>, scope: Scope, source?: string): void {
    const words = assignments.flatMap(({ words }) => words)
    this.substitutions(words, scope)
    const { hazards, touches } = this.redirections(redirects, scope)
    const text = source ?? redirects.map((redirect) => "source" in redirect ? redirect.source : "").join(" ").trim()
    if (assignments.length === 0 && touches.length === 0 && hazards.length === 0) return
    const allHazards = [...hazards, ...expansionHazards(words)]
    const isHarmless = allHazards.length === 0 &&
      assignments.every(({ name, value }) => value !== undefined && isPrivateVariable(name) && source !== undefined)
    this.add({
      ...emptyCommand(scope, text),
      assignments,
      touches,
      hazards: allHazards,
      readOnly: isHarmless && touches.every(writesNothing),
      editsFiles: isHarmless
    })
  }

  private redirections(
    redirects: ReadonlyArray<Redirect>,
    scope: Scope
  ): { touches: ReadonlyArray<Touch>; hazards: ReadonlyArray<Hazard> } {
    const touches: Array<Touch> = []
    const hazards: Array<Hazard> = []
    for (const redirect of redirects) {
      if (redirect._tag === "Duplicate") continue
      const word = redirect._tag === "Here" ? redirect.body : redirect.target
      this.substitutions([word], scope)
      hazards.push(...expansionHazards([word]))
      if (redirect._tag === "Here") continue
      if (redirect.named) hazards.push({ reason: "a named file descriptor stays open after the command", word: undefined, opaque: false })
      if (word.kind !== "process") {
        const values = VariableValues.variants([word], scope.bindings).map(([value]) => value!)
        // Of found files, some may be read; which one is written must be certain.
        const targets = redirect._tag === "Read" ? values.flatMap((value) => value.files ?? [value])
          : values.every(({ files, kind }) => kind === "literal" && files === undefined) ? values
          : [word]
        for (const target of targets) {
          touches.push({
            access: redirect._tag === "Read" ? "read" : "write",
            word: target,
            path: target.text,
            tree: target.tree,
            redirect: true,
            isCertain: true
          })
        }
      }
    }
    return { touches, hazards }
  }

  private substitutions(words: ReadonlyArray<Word>, scope: Scope): void {
    for (const { scripts } of words) for (const script of scripts) this.node(script, scope)
  }

  /** Words of the shell's own syntax, which belong to no simple command: the list of a loop, the patterns of `case`. */
  private controlWords(words: ReadonlyArray<Word>, scope: Scope): void {
    this.substitutions(words, scope)
    for (const { hazards } of words) hazards.forEach((hazard) => this.faults.add(hazard))
  }

  private add(part: SimpleCommand): void {
    this.commands++
    if (this.commands === maxCommands + 1) this.faults.add(`it contains more than ${maxCommands} commands`)
    this.parts.push(part)
  }
}

/** It reads, or writes to the streams that the command has anyway. */
const writesNothing = ({ access, path, word }: Touch): boolean =>
  access === "read" || word.kind === "literal" && /^\/dev\/(?:null|stderr|stdout)$/.test(path)

/** What runs its commands in the shell itself, so that they change its folder. */
const sameShell = new Set(["builtin", "command", "eval", "time"])

/** Whether a command that runs others only reads, as they do. */
const readsThrough = ({ hazards, readOnly }: Inspection, inner: Inner, parts: ReadonlyArray<SimpleCommand>): boolean =>
  (readOnly || inner.transparent || inner.isNeutral === true) &&
  [...hazards, ...inner.hazards].every(({ inner }) => inner === true) &&
  flatten(parts).every(({ readOnly }) => readOnly) &&
  (parts.length > 0 || inner.transparent)

/** Found on PATH, or a system file: another file of the same name is another program. */
const isInstalled = (program: string): boolean =>
  !program.includes("/") || /^\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?s?bin\/[^/]+$/.test(program)

const bracket: Word = { source: "[[", kind: "literal", text: "[[", splits: false, scripts: [], hazards: [] }

/** A wrapper's words were examined already; inside, only their text counts. */
const withoutExpansions = (word: Word): Word =>
  word.scripts.length === 0 && word.hazards.length === 0 ? word : { ...word, scripts: [], hazards: [] }

const emptyCommand = ({ folders, wrappers }: Scope, source: string): SimpleCommand => ({
  source,
  words: [],
  core: [],
  name: undefined,
  wrappers,
  inner: [],
  transparent: false,
  folders,
  assignments: [],
  touches: [],
  hazards: [],
  readsInput: false,
  readOnly: false,
  editsFiles: false
})

const withInput = (scope: Scope, redirects: ReadonlyArray<Redirect>): Scope =>
  redirects.some(({ _tag }) => _tag === "Here" || _tag === "Read") ? { ...scope, readsInput: true, input: undefined } : scope

const expansionHazards = (words: ReadonlyArray<Word>): ReadonlyArray<Hazard> =>
  words.flatMap((word) => [
    ...word.hazards.map((reason): Hazard => ({ reason, word: undefined, opaque: true })),
    // As a whole word, `=name` is a program's path to zsh.
    ...(/^=[\w./-]/.test(word.source) ? [{ reason: `other shells read ${word.source} differently`, word, opaque: false }] : [])
  ])
