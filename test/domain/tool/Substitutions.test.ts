import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Risk from "../../../src/domain/approval/Risk.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import { analyse, flatten } from "../../../src/domain/tool/CommandLine.ts"
import { runAll } from "../../fuzz/bash.ts"
import { forms, places } from "../../fuzz/substitutions.ts"

const probe = "c1"
const cases = Object.entries(places).flatMap(([place, program]) => forms.map((form) => ({ place, program: program(form(probe)) })))
const runs = runAll(cases.map(({ program }) => program)).map(({ ran }) => ran.includes(probe))

const everything = Result.getOrThrow(Rule.compile({ allow: ["Bash(*)"] }, { root: "/project", home: "/home/user" }))
const without = Result.getOrThrow(Rule.compile({ allow: ["Bash(*)"], deny: [`Bash(${probe}:*)`] }, { root: "/project", home: "/home/user" }))

const ran = cases.filter((_, i) => runs[i] === true)

it("is run by bash at nearly every place", () => {
  const reached = new Set(ran.map(({ place }) => place))
  assert.deepStrictEqual(Object.keys(places).filter((place) => !reached.has(place)), [])
  assert.isAbove(ran.length, cases.length / 2)
})

it("is never taken for reading alone", () => {
  const silent = ran.filter(({ program }) => Risk.assess(Access.command(program, "/project"), { roots: ["/project"], home: "/home/user", cwd: "/project" }).level === "low")
  assert.deepStrictEqual(silent, [])
})

it("is named by the analysis, or the command asks under any rule", () => {
  const unnamed = ran.filter(({ program }) =>
    !flatten(analyse(program).parts).some(({ name }) => name === probe) && Rule.evaluate(everything, { tool: "Bash", command: program }).decision === "allow"
  )
  assert.deepStrictEqual(unnamed, [])
})

it("is never allowed past a deny of what it runs", () => {
  const passed = ran.filter(({ program }) => Rule.evaluate(without, { tool: "Bash", command: program }).decision === "allow")
  assert.deepStrictEqual(passed, [])
})
