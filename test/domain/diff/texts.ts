/** What the property tests of the edit engine draw from: texts that are all edges, and how they are cut. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** Text made of these pieces in any order. */
export const textOf = (pieces: ReadonlyArray<string>, maxLength = 40): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), { maxLength }), (drawn) => drawn.join(""))

export const linesOf = (lines: ReadonlyArray<string>, maxLength = 12): Arbitrary.Arbitrary<Array<string>> =>
  Arbitrary.array(Arbitrary.schema(Schema.Literals(lines)), { maxLength })

/** Lengths of the pieces that a text arrives in. */
export const lengths = Arbitrary.array(Arbitrary.schema(Schema.Literals([1, 2, 3, 5, 8, 30])), { minLength: 1, maxLength: 8 })

export const words = ["a", "b", "c", "  a", "\ta", "a  ", "", "}", "“a”", "\\\"a", "// x y z", "=======", "-", "+", "-- a", "++ a", "@@", "…"]

/** A file: lines of few kinds, so that they repeat, with every kind of ending. */
export const file = textOf([
  ...words.map((word) => `${word}\n`), ...words.map((word) => `${word}\r\n`), "a", "\ufeff", "end"
], 14)

export const markers = [
  "------- SEARCH\n", "<<<<<<< SEARCH\r\n", ":start_line:2\n", "-------\n", "=======\n", "=====\n", "+++++++ REPLACE\n", ">>>>>>> REPLACE\n",
  "+++++", "  ------- SEARCH\n", "  =======\n", "  +++++++ REPLACE\n", "\\=======\n",
  "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "--- /dev/null\n", "+++ /dev/null\n", "@@ -1,2 +1,2 @@\n", "@@\n", "@@ a\n",
  "\\ No newline at end of file\n", "rename from x\n", "rename to y\n", "new file mode 100644\n",
  "*** Begin Patch\n", "*** End Patch\n", "*** Update File: x\n", "*** Add File: y\n", "*** Delete File: z\n", "*** Move to: w\n",
  "*** End of File\n", "```\n", "EOF\n", "<<EOF\n", "+a\n", "-a\n", " a\n", "a\n", "b\r\n", "\n", " ", "a", "+", "-", "x"
]

/** Anything that begins like an edit. */
export const garbage = textOf(markers, 24)

export const runs = (runs: number) => ({ arbitrary: { runs } })
