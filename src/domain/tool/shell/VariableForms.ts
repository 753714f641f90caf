/** The variables of a program that always hold a value of a known form: whatever sets one of them, sets it to such a value. */
import { isSequence, outputForm } from "./OutputForms.ts"
import type { Expansion, Form, Node, Redirect, Word } from "./Syntax.ts"
import { countFormat, declares, setters } from "./VariableValues.ts"

export type Forms = ReadonlyMap<string, Form>

/** What arithmetic does with variables of unknown values. */
export const arithmeticHazard = "arithmetic evaluates its variables as code"

/** The form of what an expansion becomes; undefined if it may be anything. */
export const formOf = (expansion: Expansion, forms: Forms): Form | undefined => {
  switch (expansion._tag) {
    case "Variable":
      return forms.get(expansion.name)
    case "Output":
      return outputForm(expansion.node)
    case "Arithmetic": {
      const { hasMinus, names, outputs } = expansion
      const operands = [...names.map((name) => forms.get(name)), ...outputs.map(outputForm)]
      return operands.every((form) => form === "count" || form === "number")
        ? hasMinus || operands.includes("number") ? "number" : "count" : undefined
    }
  }
}

/** Numbers that the shell itself provides, unless the program sets them. */
const shellNumbers = ["?", "#", "EPOCHSECONDS", "RANDOM", "SECONDS"]

/** In a program with more variables, none has a known form. */
const maxVariables = 200

/** The forms of a program's variables; none if it may set variables that its text does not name. */
export const variableForms = (root: Node): Forms => {
  const assignments = new Assignments()
  assignments.node(root)
  if (assignments.isUnclear || declares(root)) return new Map()
  const { values } = assignments
  if (values.size > maxVariables) return new Map()
  const forms = new Map<string, Form>(shellNumbers.filter((name) => !values.has(name)).map((name) => [name, "count"]))
  for (const name of values.keys()) forms.set(name, "count")
  // Each round takes back what the last one assumed of a variable too much: at first all are numbers.
  for (let isStable = false; !isStable;) {
    isStable = true
    for (const [name, all] of values) {
      const current = forms.get(name)
      if (current === undefined) continue
      const form = all.some((value) => !mentions(value, name)) ? commonForm(all.map((value) => valueForm(value, forms))) : undefined
      if (form === current) continue
      isStable = false
      if (form === undefined || current === "object") forms.delete(name)
      else forms.set(name, form)
    }
  }
  return forms
}

/** What a variable is set to; undefined is any text. */
type Value = Expansion | Form | undefined

const valueForm = (value: Value, forms: Forms): Form | undefined => typeof value === "object" ? formOf(value, forms) : value

const mentions = (value: Value, name: string): boolean =>
  typeof value === "object" &&
  (value._tag === "Variable" && value.name === name || value._tag === "Arithmetic" && value.names.includes(name))

const commonForm = (forms: ReadonlyArray<Form | undefined>): Form | undefined =>
  forms.every((form) => form === forms[0]) ? forms[0]
    : forms.every((form) => form === "count" || form === "number") ? "number"
    : undefined

const valueOf = ({ expansion, kind, text }: Word): Value =>
  expansion !== undefined ? expansion
    : kind !== "literal" ? undefined : /^\d*$/.test(text) ? "count" : /^-\d+$/.test(text) ? "number" : undefined

/** Everything that a program sets. */
class Assignments {
  readonly values = new Map<string, Array<Value>>()
  isUnclear = false

  private set(name: string, ...values: ReadonlyArray<Value>): void {
    this.values.set(name, [...this.values.get(name) ?? [], ...values])
  }

  node(node: Node): void {
    switch (node._tag) {
      case "Simple":
        return this.simple(node)
      case "List":
      case "AndOr":
      case "Pipeline":
        return node.nodes.forEach((child) => this.node(child))
      case "Branch":
        this.words(node.words)
        return node.nodes.forEach((child) => this.node(child))
      case "Loop":
        this.words(node.words)
        if (node.variable !== undefined) this.set(node.variable, ...node.words.map(loopValue))
        if (node.hazard !== undefined && node.hazard !== arithmeticHazard) this.isUnclear = true
        for (const { name, value } of node.sets) this.set(name, value)
        return node.nodes.forEach((child) => this.node(child))
      case "Subshell":
        return this.node(node.node)
      case "Redirected":
        this.redirects(node.redirects)
        return this.node(node.node)
      case "Test":
        return this.words(node.words)
      case "Arithmetic":
        if (node.hazard !== undefined && node.hazard !== arithmeticHazard) this.isUnclear = true
        for (const { name, value } of node.sets) this.set(name, value)
        return node.scripts.forEach((script) => this.node(script))
      case "Function":
      case "Coprocess":
        this.isUnclear = true
    }
  }

  private simple({ assignments, redirects, words }: Extract<Node, { _tag: "Simple" }>): void {
    for (const { name, value, words } of assignments) {
      this.words(words)
      this.set(name, value === undefined ? undefined : valueOf(value))
    }
    this.words(words)
    this.redirects(redirects)
    const [program, ...operands] = words
    if (program === undefined) return
    const [first] = operands
    const names = operands.map(({ text }) => text)
    const areLiteral = operands.every(({ kind }) => kind === "literal")
    if (program.kind !== "literal") this.isUnclear = true
    else if (program.text === "printf") {
      if (first?.kind !== "literal" || first.text.startsWith("-") || countFormat.test(first.text)) this.isUnclear = true
    } else if (program.text === "read" || program.text === "unset") {
      if (!areLiteral) this.isUnclear = true
      names.forEach((name) => this.set(name, undefined))
      this.set("REPLY", undefined)
    } else if (program.text === "set") {
      if (!areLiteral || !names.every((name) => /^[-+][eux]+$|^[-+][eux]*o$|^pipefail$|^errexit$|^nounset$/.test(name)))
        this.isUnclear = true
    } else if (program.text === "command" ? !/^-[vV]$/.test(first?.text ?? "") : setters.has(program.text)) this.isUnclear = true
  }

  private words(words: ReadonlyArray<Word>): void {
    for (const { hazards, scripts } of words) {
      if (hazards.some((hazard) => hazard !== arithmeticHazard)) this.isUnclear = true
      scripts.forEach((script) => this.node(script))
    }
  }

  private redirects(redirects: ReadonlyArray<Redirect>): void {
    for (const redirect of redirects) {
      if (redirect._tag === "Duplicate") continue
      this.words([redirect._tag === "Here" ? redirect.body : redirect.target])
      if (redirect._tag !== "Here" && redirect.named) this.isUnclear = true
    }
  }
}

/** What a loop over this word sets its variable to. */
const loopValue = (word: Word): Value => word.expansion?._tag === "Output" && isSequence(word.expansion.node) ? "count" : valueOf(word)
