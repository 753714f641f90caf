/** Arithmetic of the shell: what it reads, runs and sets, and whether it can evaluate text as code. */
import type * as Unbash from "unbash"
import { assemble, type Reader } from "./Expand.ts"
import type { Arithmetic, Expansion, Node } from "./Syntax.ts"
import { arithmeticHazard } from "./VariableForms.ts"

export const readArithmetic = (expression: Unbash.ArithmeticExpression | undefined, reader: Reader): Arithmetic => {
  const scripts: Array<Node> = []
  const outputs: Array<Node> = []
  const names: Array<string> = []
  const assigned: Array<string> = []
  let hasMinus = false
  let isPlain = expression !== undefined
  const visit = (expression: Unbash.ArithmeticExpression): void => {
    switch (expression.type) {
      case "ArithmeticBinary": {
        hasMinus ||= /^-=?$/.test(expression.operator)
        if (/^(?:[-+*/%&^|]|<<|>>)?=$/.test(expression.operator)) target(expression.left)
        if (expression.operator !== "=") visit(expression.left)
        return visit(expression.right)
      }
      case "ArithmeticUnary":
        hasMinus ||= /[-~]/.test(expression.operator)
        if (/^(?:\+\+|--)$/.test(expression.operator)) target(expression.operand)
        return visit(expression.operand)
      case "ArithmeticTernary":
        return [expression.test, expression.consequent, expression.alternate].forEach(visit)
      case "ArithmeticGroup":
        return visit(expression.expression)
      case "ArithmeticCommandExpansion": {
        const script = reader.script(expression.script)
        scripts.push(script)
        outputs.push(script)
        return
      }
      case "ArithmeticWord": {
        scripts.push(...assemble(expression.value, expression.parts ?? [], reader).scripts)
        const { value } = expression
        const [, plainName, bracedName] = /^(?:\$?([a-z_]\w*)|\$\{([a-z_]\w*)\})$/i.exec(value) ?? []
        const name = plainName ?? bracedName ?? (/^\$[?#]$/.test(value) ? value.slice(1) : undefined)
        if (name !== undefined) names.push(name)
        else isPlain &&= /^(?:\d+|0x[\da-f]+)$/i.test(value)
      }
    }
  }
  const target = (expression: Unbash.ArithmeticExpression): void => {
    if (expression.type === "ArithmeticWord" && /^[a-z_]\w*$/i.test(expression.value)) assigned.push(expression.value)
    else isPlain = false
  }
  if (expression !== undefined) visit(expression)
  if (!isPlain) {
    const hazard = expression === undefined ? "it contains arithmetic that can't be parsed" : "arithmetic evaluates its words as code"
    return { hazard, scripts, sets: [] }
  }
  const expansion: Expansion = { _tag: "Arithmetic", names, outputs, hasMinus }
  const isKnown = [expansion, ...assigned.map((name) => ({ _tag: "Variable", name }) as const)].every((one) =>
    reader.form(one) !== undefined
  )
  return {
    hazard: isKnown ? undefined : arithmeticHazard,
    scripts,
    sets: assigned.map((name) => ({ name, value: expansion })),
    expansion
  }
}
