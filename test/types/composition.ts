/** What the types of a composition say. Compiled with the tests, never run. */
import { Access, Agent, Approver, Composition, Live, Outcome, Shell, Tool } from "dacapo"
import { Memory, Test } from "dacapo/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

class Database extends Context.Service<Database, { readonly query: (sql: string) => Effect.Effect<string> }>()("test/Database") {}
class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {}) {}

declare const approver: Layer.Layer<Approver>
declare const shell: Layer.Layer<Shell, Unreachable, Database>
const roots: Live.Roots = ["/work"]

const Query = Tool.define({
  name: "query",
  description: "Queries the database.",
  params: Schema.Struct({ sql: Schema.String }),
  kind: "read",
  tags: [],
  access: (params) => [Access.other("query", params)],
  run: ({ sql }) => Effect.map(Effect.flatMap(Database, ({ query }) => query(sql)), Outcome.succeeded)
})

/** Compiles if these are the same. */
type Same<A, B> = [A, B] extends [B, A] ? true : false
const requires = <R>() => <L extends Layer.Any>(_: () => L, same: Same<Layer.Services<L>, R>) => same

// A complete composition requires nothing.
requires<never>()(() => Live.layer({ roots, approver }), true)
requires<never>()(() => Live.layer({ roots, approver, storage: Memory.layer }), true)
requires<never>()(() => Test.layer({ turns: [] }), true)
requires<never>()(() => Composition.layer({ ...Live.parts({ roots }), approver }), true)

// What is missing is a requirement, so that the program can't run without it.
const { shell: _, ...withoutShell } = Live.parts({ roots })
requires<Shell>()(() => Composition.layer({ ...withoutShell, approver }), true)
// @ts-expect-error: an approver has no default
Live.layer({ roots })

// The requirements of replacements and of tools are the program's, and so are their errors.
requires<Database>()(() => Live.layer({ roots, approver, shell }), true)
requires<Database>()(() => Test.layer({ shell }), true)
requires<Database>()(() => Live.layer({ roots, approver, tools: [Query] }), true)
requires<Database>()(() => Test.layer({ tools: [Query] }), true)
export const failure: Layer.Error<ReturnType<typeof failing>> = new Unreachable()
const failing = () => Live.layer({ roots, approver, shell })

// A replacement may require the services that are built before it, and provides what its part is called.
declare const overAgent: Layer.Layer<Shell, never, Agent>
requires<Agent>()(() => Live.layer({ roots, approver, shell: overAgent }), true)
// @ts-expect-error: an approver is not a shell
Live.layer({ roots, approver, shell: approver })
// @ts-expect-error: a misspelt part is not ignored
Live.layer({ roots, approver, shel: shell })
// @ts-expect-error: the same in a test
Test.layer({ turns: [], shel: shell })
// @ts-expect-error: and in a composition from parts
Composition.layer({ shel: shell })
const misspelt = { roots, approver, shel: shell }
// @ts-expect-error: and where the options have a name
Live.layer(misspelt)

// A function of the program's own can pass replacements on, of whatever types they are.
const withApprover = <R extends Partial<Composition.Parts>>(replacements: R) => Live.layer({ roots, approver, ...replacements })
requires<never>()(() => withApprover({ storage: Memory.layer }), true)
requires<Database>()(() => withApprover({ shell }), true)
const exactly = <R extends Partial<Composition.Parts>>(replacements: Composition.Exact<R, keyof Composition.Parts>) => {
  const parts: R = replacements
  return Live.layer({ roots, approver, ...parts })
}
requires<Database>()(() => exactly({ shell, storage: Memory.layer }), true)
// @ts-expect-error: a misspelt part beside another
exactly({ shell, storag: Memory.layer })
const passedOn = <const O extends Live.Options>(options: O) => Live.layer(options)
requires<Database>()(() => passedOn({ roots, approver, shell }), true)
const inTest = <P extends Partial<Composition.Parts>>(parts: P) => Test.layer({ turns: [], ...parts })
requires<Database>()(() => inTest({ shell }), true)
const fromParts = <P extends Partial<Composition.Parts>>(parts: P) => Composition.layer(parts)
requires<Database>()(() => fromParts({ shell }), true)
