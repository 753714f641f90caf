/** Expansions that evaluate the value of a variable as code, at every place of the grammar, in real bash. */
import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Risk from "../../../src/domain/approval/Risk.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import { analyse } from "../../../src/domain/tool/CommandLine.ts"
import { runAll } from "../../fuzz/bash.ts"
import { places } from "../../fuzz/substitutions.ts"

const probe = "c1"

/** With `v` set to a subscript, or to a prompt, that runs the probe. */
const forms = ["$((v))", "$[v + 1]", "\"$((v))\"", "${v@P}", "${!v}", "${w[v]}", "${PWD:v}", "${PWD:0:v}"]

const cases = Object.entries(places).flatMap(([place, program]) => forms.map((form) => ({
  place,
  form,
  program: `v='${form.includes("@P") ? `$(${probe})` : `w[$(${probe})]`}'; ${program(form)}`
})))
const runs = runAll(cases.map(({ program }) => program)).map(({ ran }) => ran.includes(probe))
const ran = cases.filter((_, i) => runs[i] === true)

it("run what the value holds at nearly every place, in each form", () => {
  assert.isAbove(new Set(ran.map(({ place }) => place)).size, Object.keys(places).length - 12)
  assert.deepStrictEqual(forms.filter((form) => !ran.some((one) => one.form === form)), [])
})

it("are never taken for reading alone", () => {
  const silent = ran.filter(({ program }) => Risk.assess(Access.command(program, "/project"), { roots: ["/project"], home: "/home/user", cwd: "/project" }).level === "low")
  assert.deepStrictEqual(silent, [])
})

it("are covered by no rule for the program that has them", () => {
  const rules = Result.getOrThrow(Rule.compile({ allow: ["Bash(*)"], deny: [`Bash(${probe}:*)`] }, { root: "/project", home: "/home/user" }))
  assert.deepStrictEqual(ran.filter(({ program }) => Rule.evaluate(rules, { tool: "Bash", command: program }).decision === "allow"), [])
})

it("leave a loop over plain words alone", () => {
  assert.deepStrictEqual(analyse("for i in 1 2 $((1 + 1)); do echo $i; done").faults, [])
})
