/** Bash text to our own tree, through unbash: the only file that knows that parser. */
import { parse as unbash } from "unbash"
import type * as Unbash from "unbash"
import { readArithmetic } from "./Arithmetic.ts"
import { assemble, type Reader as WordReader, wordsOf } from "./Expand.ts"
import type { Arithmetic, Assignment, Expansion, Form, Node, Program, Redirect, Word } from "./Syntax.ts"
import { formOf, type Forms, variableForms } from "./VariableForms.ts"

/** Nothing deeper than this is read, and the verdict is ask. */
export const maxDepth = 64

export const parse = (text: string): Program => {
  const script = unbash(text)
  const program = read(script, new Map())
  // What the variables hold follows from all of the program.
  return text.includes("$") || text.includes("((") ? withForms(script, program) : program
}

const withForms = (script: Unbash.ParsedScript, program: Program): Program => {
  const forms = variableForms(program.root)
  return forms.size === 0 ? program : read(script, forms)
}

const read = (script: Unbash.ParsedScript, forms: Forms): Program => {
  const reader = new TreeReader(forms)
  const root = reader.script(script)
  return { root, faults: [...reader.faults] }
}

/** Collects the faults of nested scripts during conversion; used for one program. */
class TreeReader implements WordReader {
  readonly faults = new Set<string>()
  private depth = 0
  private readonly forms: Forms

  constructor(forms: Forms) {
    this.forms = forms
  }

  script(script: Unbash.ParsedScript | undefined): Node {
    if (script === undefined) return this.fault("it contains a substitution that can't be parsed")
    for (const { message } of script.errors ?? []) this.faults.add(`it can't be parsed: ${message}`)
    return this.nested(() => this.list(script.commands))
  }

  fault(reason: string): Node {
    this.faults.add(reason)
    return { _tag: "List", nodes: [] }
  }

  private nested(convert: () => Node): Node {
    if (this.depth >= maxDepth) return this.fault(`it is nested deeper than ${maxDepth} levels`)
    this.depth++
    const node = convert()
    this.depth--
    return node
  }

  private list(statements: ReadonlyArray<Unbash.Statement>): Node {
    const nodes = statements.map(({ background, command }): Node => {
      const node = this.node(command)
      return background === true ? { _tag: "Subshell", node } : node
    })
    return nodes.length === 1 ? nodes[0]! : { _tag: "List", nodes }
  }

  private body({ commands }: Unbash.CompoundList): Node {
    return this.nested(() => this.list(commands))
  }

  private node(node: Unbash.PipelineNode | Unbash.AndOr | Unbash.CompoundList): Node {
    switch (node.type) {
      case "Command":
        return this.simple(node)
      case "CompoundList":
        return this.body(node)
      case "AndOr":
        return { _tag: "AndOr", nodes: node.commands.map((command) => this.node(command)), operators: node.operators }
      case "Pipeline":
        // A list of one, since `time x` and `! x` are more than the command itself.
        return node.commands.length === 1
          ? { _tag: "List", nodes: [this.node(node.commands[0]!)] }
          : { _tag: "Pipeline", nodes: node.commands.map((command) => this.node(command)) }
      case "Redirected":
        return { _tag: "Redirected", node: this.node(node.command), redirects: node.redirects.map((redirect) => this.redirect(redirect)) }
      case "BraceGroup":
        return this.body(node.body)
      case "Subshell":
        return { _tag: "Subshell", node: this.body(node.body) }
      case "If":
        return {
          _tag: "Branch",
          words: [],
          nodes: [node, ...node.elif].flatMap(({ clause, then }) => [this.body(clause), this.body(then)])
            .concat(node.else === undefined ? [] : [this.body(node.else)])
        }
      case "Case":
        return {
          _tag: "Branch",
          words: [node.word, ...node.items.flatMap(({ pattern }) => pattern)].flatMap((word) => this.words(word)),
          nodes: node.items.map(({ body }) => this.body(body))
        }
      case "For":
      case "Select":
        return {
          _tag: "Loop",
          variable: node.name.text,
          words: (node.wordlist ?? []).flatMap((word) => this.words(word)),
          nodes: [this.body(node.body)],
          sets: [],
          hazard: node.type === "Select" ? "select waits for input" : undefined
        }
      case "While":
        return {
          _tag: "Loop",
          variable: undefined,
          words: [],
          nodes: [this.body(node.clause), this.body(node.body)],
          sets: [],
          hazard: undefined
        }
      case "ArithmeticFor": {
        const parts = [node.initialize, node.test, node.update].map((expression) => this.arithmetic(expression))
        return {
          _tag: "Loop",
          variable: undefined,
          words: [],
          nodes: [...parts.flatMap(({ scripts }) => scripts), this.body(node.body)],
          sets: parts.flatMap(({ sets }) => sets),
          hazard: parts.find(({ hazard }) => hazard !== undefined)?.hazard
        }
      }
      case "ArithmeticCommand": {
        const { hazard, scripts, sets } = this.arithmetic(node.expression)
        return { _tag: "Arithmetic", hazard, scripts, sets }
      }
      case "Function":
        return { _tag: "Function", name: node.name.value, body: this.nested(() => this.node(node.body)) }
      case "Coproc":
        return { _tag: "Coprocess", node: this.nested(() => this.node(node.body)) }
      case "TestCommand":
        return this.test(node)
    }
  }

  private simple(command: Unbash.Command): Node {
    const assignments = command.prefix.filter((part) => part.type === "Assignment").map((part) => this.assignment(part))
    const name = command.name === undefined ? [] : this.words(command.name)
    const rest = command.args.flatMap((argument) => argument.type === "Assignment" ? [this.assignmentWord(argument)] : this.words(argument))
    return {
      _tag: "Simple",
      source: [...command.prefix, command.name, ...command.suffix].map(sourceOf).join(" ").trim(),
      assignments,
      words: [...name, ...rest],
      redirects: command.redirects.map((redirect) => this.redirect(redirect))
    }
  }

  words(word: Unbash.Word): ReadonlyArray<Word> {
    return wordsOf(word, this)
  }

  word(word: Unbash.Word): Word {
    const words = this.words(word)
    return words.length === 1
      ? words[0]!
      : {
        source: word.text,
        kind: "dynamic",
        text: "",
        splits: true,
        scripts: words.flatMap(({ scripts }) => scripts),
        hazards: words.flatMap(({ hazards }) => hazards)
      }
  }

  private assignment({ append, index, name, value }: Unbash.Assignment): Assignment {
    const words = value.type === "ArrayValue" ? value.elements.flatMap((word) => this.words(word)) : [this.word(value)]
    const subscript = index === undefined ? [] : [this.word(index)]
    return {
      name,
      value: value.type === "ArrayValue" || index !== undefined || append === true ? undefined : words[0],
      words: [...words, ...subscript]
    }
  }

  /** `export a=b`: an argument that reads as an assignment is one word of the command. */
  private assignmentWord(assignment: Unbash.Assignment): Word {
    const { value, words } = this.assignment(assignment)
    const isLiteral = value !== undefined && (value.kind === "literal" || value.kind === "tilde")
    return {
      source: assignment.text,
      kind: isLiteral ? value.kind : "dynamic",
      text: `${assignment.name}=${isLiteral ? value.text : ""}`,
      splits: false,
      scripts: words.flatMap(({ scripts }) => scripts),
      hazards: words.flatMap(({ hazards }) => hazards)
    }
  }

  private redirect(redirect: Unbash.Redirection): Redirect {
    const descriptor = redirect.descriptor?.type === "FileDescriptorVariable" ? redirect.descriptor.name : undefined
    // A subscript within `{name[…]}` is evaluated as code.
    if (descriptor !== undefined && !/^\w+$/.test(descriptor)) this.fault("it redirects to a file descriptor with a computed name")
    if (redirect.type === "HereDoc") return { _tag: "Here", body: this.hereBody(redirect) }
    if (redirect.target === undefined) {
      this.fault("a redirection has no target")
      return { _tag: "Duplicate" }
    }
    const target = this.word(redirect.target)
    if (redirect.type === "HereString") return { _tag: "Here", body: target }
    const source = `${redirect.operator}${target.source}`
    const isCopy = redirect.operator === ">&" || redirect.operator === "<&"
    if (isCopy && target.kind === "literal" && /^(?:\d+-?|-)$/.test(target.text)) return { _tag: "Duplicate" }
    return {
      _tag: redirect.operator === "<" || redirect.operator === "<&" ? "Read" : "Write",
      target,
      source,
      named: descriptor !== undefined
    }
  }

  private hereBody({ body, closing, delimiter }: Unbash.HereDoc): Word {
    if (closing === undefined) this.fault("a here-document is not terminated")
    const isQuoted = delimiter?.quoted === true
    const word = isQuoted ? undefined : assemble(body.text, body.parts ?? [], this, true)
    const isLiteral = isQuoted || (word!.kind === "literal" && !body.text.includes("\\"))
    return {
      source: body.text,
      kind: isLiteral ? "literal" : "dynamic",
      text: isLiteral ? body.text : "",
      splits: false,
      scripts: word?.scripts ?? [],
      hazards: [
        ...word?.hazards ?? [],
        ...(!isQuoted && hasQuotedDefault(body) ? ["quotes within ${…} of a here-document quote nothing"] : [])
      ]
    }
  }

  private test({ expression }: Unbash.TestCommand): Node {
    const words: Array<Word> = []
    const operators: Array<string> = []
    const visit = (expression: Unbash.TestExpression): void => {
      switch (expression.type) {
        case "TestUnary":
          operators.push(expression.operator)
          words.push(this.word(expression.operand))
          return
        case "TestBinary": {
          const operands = [this.word(expression.left), this.word(expression.right)]
          const compares = /^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)
          if (!(compares && operands.every((word) => this.isNumber(word)))) operators.push(expression.operator)
          words.push(...operands)
          return
        }
        case "TestLogical":
          return expression.operands.forEach(visit)
        case "TestNot":
          return visit(expression.operand)
        case "TestGroup":
          return visit(expression.expression)
      }
    }
    visit(expression)
    return { _tag: "Test", source: "[[ … ]]", words, operators }
  }

  private isNumber({ expansion, kind, text }: Word): boolean {
    const form = expansion && this.form(expansion)
    return kind === "literal" && /^-?\d+$/.test(text) || form === "count" || form === "number"
  }

  /** Numbers are harmless, and variables that hold nothing else: any other value is evaluated, and may hold `a[$(command)]`. */
  arithmetic(expression: Unbash.ArithmeticExpression | undefined): Arithmetic {
    return readArithmetic(expression, this)
  }

  form(expansion: Expansion): Form | undefined {
    return formOf(expansion, this.forms)
  }
}

/** Bash runs a command between such quotes, which the parser takes for text. */
const hasQuotedDefault = ({ parts = [] }: Unbash.HereDocBody): boolean =>
  parts.some(({ text, type }) => type === "ParameterExpansion" && text.includes("'"))

const sourceOf = (part: Unbash.Word | Unbash.Assignment | Unbash.Redirection | undefined): string => {
  if (part === undefined) return ""
  switch (part.type) {
    case "Word":
    case "Assignment":
      return part.text
    case "HereDoc":
      return `${part.operator}${part.delimiter?.text ?? ""}`
    default:
      return `${descriptorOf(part.descriptor)}${part.operator}${part.target?.text ?? ""}`
  }
}

const descriptorOf = (descriptor: Unbash.RedirectDescriptor | undefined): string =>
  descriptor === undefined ? "" : descriptor.type === "FileDescriptor" ? String(descriptor.value) : `{${descriptor.name}}`
