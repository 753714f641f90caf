/** Every type that a public signature reaches can be imported by a name, so that a program can declare what it gets and gives. */
import { expect, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { reader } from "./types/PublicTypes.ts"

const { isExported, names, reach } = reader(fileURLToPath(new URL("../dist", import.meta.url)))

/** Entries by the module that they are made of, each with the entries whose names count too. */
const entries: Readonly<Record<string, ReadonlyArray<string>>> = {
  "index": ["layers/Composition"],
  "ai": ["index"],
  "testing": ["index", "layers/Composition"],
  "layers/Composition": ["index"]
}

/** A type, and not a value that a type mentions by `typeof`. */
const isType = (type: string): boolean => /#[A-Z]/.test(type)

it.each(Object.entries(entries))("the types that %s reaches have names in the package", (entry, others) => {
  const named = new Set([entry, ...others].flatMap((module) => [...names(module)]))
  const reached = reach(names(entry))
  expect(reached.size).toBeGreaterThan(30)
  // Every module of the domain is a subpath (`dacapo/domain/session/Session`).
  const nameless = [...reached].filter((type) => isType(type) && isExported(type) && !named.has(type) && !type.startsWith("domain/"))
  expect(nameless).toEqual([])
})

it("a type that has no name is found, however deep it is mentioned", () => {
  const reached = reach(["services/Approver#Question"])
  expect(reached).toContain("services/Approval#EditScope")
  expect(reached).toContain("domain/tool/Access#Access")
  expect(names("services/Approver")).not.toContain("services/Approval#EditScope")
  expect(names("index")).toContain("services/Approval#EditScope")
  expect(isExported("layers/control/Controller#Start")).toBe(false)
})
