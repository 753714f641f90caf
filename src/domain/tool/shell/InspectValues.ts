/** Inspects a command once for each of the values that the text shows of its variables, and by examples of those of a known form. */
import * as FoundFiles from "./FoundFiles.ts"
import type { Inspection } from "./Inspect.ts"
import type { Word } from "./Syntax.ts"
import * as VariableValues from "./VariableValues.ts"

export const inspectValues = (name: string | undefined, words: ReadonlyArray<Word>, bindings: VariableValues.Bindings): Inspection => {
  const [first, ...others] = VariableValues.variants(words, bindings).map((words) => inspectExamples(name, words))
  if (others.length === 0 && bindings.size === 0) return first!
  return { ...all([first!, ...others]), core: FoundFiles.inspectCommand(name, words).core }
}

const all = (inspections: readonly [Inspection, ...ReadonlyArray<Inspection>]): Inspection => ({
  core: inspections[0].core,
  touches: inspections.flatMap(({ touches }) => touches),
  hazards: inspections.flatMap(({ hazards }) => hazards),
  readOnly: inspections.every(({ readOnly }) => readOnly),
  editsFiles: inspections.every(({ editsFiles }) => editsFiles)
})

/** Examples count only where every one of them only reads, and none may be a file: of its name nothing is known. */
const inspectExamples = (name: string | undefined, words: ReadonlyArray<Word>): Inspection => {
  const inspection = FoundFiles.inspectCommand(name, words)
  const commands = isHarmless(inspection) ? undefined : exampleCommands(words)
  if (commands === undefined) return inspection
  const examples = commands.filter((words) => !(name === "sed" && words.some(isRefusedBySed))).map((words) => ({
    isSafe: ({ exampleOf }: Word) => exampleOf === undefined || name === "git" && exampleOf === "object" && areRevisions(words),
    ...FoundFiles.inspectCommand(name, words)
  }))
  const [first, ...others] = examples
  return first !== undefined && examples.every((one) => isHarmless(one) && one.touches.every(({ word }) => one.isSafe(word)))
    ? { ...all([first, ...others]), core: inspection.core } : inspection
}

const isHarmless = ({ hazards, readOnly }: Inspection): boolean => readOnly && hazards.length === 0

/** Git reads the name of an object as a file only after `--`. */
const areRevisions = (words: ReadonlyArray<Word>): boolean => {
  const separator = words.findIndex(({ text }) => text === "--")
  return separator < 0 || words.slice(separator).every(({ exampleOf }) => exampleOf === undefined)
}

/** Options that are digits and addresses without a number: `sed` ends with an error. */
const isRefusedBySed = ({ exampleOf, text }: Word): boolean => exampleOf !== undefined && /^-\d|^,|^\d+,[a-z=]/i.test(text)

const maxCommands = 32

/** The command with every combination of examples; undefined if there are none, or too many. An empty unquoted value is no word. */
const exampleCommands = (words: ReadonlyArray<Word>): ReadonlyArray<ReadonlyArray<Word>> | undefined => {
  if (!words.some(({ examples }) => examples !== undefined)) return undefined
  let commands: ReadonlyArray<ReadonlyArray<Word>> = [[]]
  for (const word of words) {
    const next: ReadonlyArray<ReadonlyArray<Word>> = word.kind !== "dynamic" || word.examples === undefined ? [[word]]
      : word.examples.map(({ form, text }) =>
        text === "" && word.splits ? [] : [{ ...word, kind: "literal", text, splits: false, exampleOf: form } as const]
      )
    commands = commands.flatMap((command) => next.map((words) => [...command, ...words]))
    if (commands.length > maxCommands) return undefined
  }
  return commands
}
