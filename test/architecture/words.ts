/** The words that the project avoids: names that say nothing, and phrases that no native speaker would write. */

/** Participles, pronouns and moods that must not be declared as names. */
export const names: ReadonlySet<string> = new Set([
  "found", "told", "known", "kept", "whole", "said", "given", "meant", "taken", "shown", "asked", "wanted", "behind", "own", "aside", "together",
  "offspring", "children", "kid", "kids", "patience", "setback", "most", "least", "apart", "asks", "begun", "beside", "crowded", "deed", "deeds",
  "gone", "heard", "held", "made", "neighbour", "need", "needs", "story", "theirs", "wants", "wanting", "worded"
])

/** Names that stay: fields of recorded events and of files that people write, and values that such fields are copied from. */
export const allowedNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  // The option is named like the field of a script that it fills in.
  "src/layers/Test.ts": ["children"],
  // The name that JSX gives to what stands between two tags.
  "src/web/view/Text.tsx": ["children"]
}

/** Phrases, with what to write instead. */
export const phrases: ReadonlyArray<readonly [pattern: string, instead: string]> = [
  ["(?<!there )(?<!there already )is none", "is not a valid …"],
  ["go(?:es)? on", "continue, continues"],
  ["tak(?:es?|en|ing) up a session", "resume a session"],
  ["take[ns]? up again", "resume, reuse"],
  ["(?:those|all) that there are", "the available …"],
  ["what there is", "available, existing"],
  ["what is kept", "stored"],
  ["(?:key|session|sessions|login|token|tokens|name|names) (?:is|are) kept", "is saved, is stored"],
  ["kept keys", "saved keys"],
  ["hears of it", "is not reported"],
  ["nobody hears", "is not reported"],
  ["harms? nobody", "has no effect on …"],
  ["the first whole", "initial release"],
  ["(?:nobody|no one|without anyone|anyone) watching", "headless"],
  ["given away", "delegated"],
  ["gives? (?:work|a task) away", "delegate"],
  ["pages? of the web", "web page"],
  ["tools? of a server", "MCP tool"],
  ["limit of turns", "turn limit"],
  ["used up", "exhausted, exceeded"],
  ["to be had", "available"],
  ["that there (?:is|are) not", "does not exist, unknown"],
  ["that (?:is|are) none", "is not a valid …"],
  ["what it is to be", "what it should be"],
  ["which one is to answer", "which model do you want to use"],
  ["begin a file of rules", "create a rules file"],
  ["machine at rest", "idle machine"],
  ["asks nothing", "never prompts"],
  ["says? what is found", "reports"],
  ["where nothing is said", "by default"],
  ["unless told", "by default"],
  ["unless said", "by default"],
  ["child sessions?", "subagent"],
  ["(?<!control )pictures?", "image"]
]

/** Files in which a phrase stands for a reason. */
export const allowedPhrases: Readonly<Record<string, ReadonlyArray<string>>> = {
  // A tool's description, which recorded sessions hold word for word.
}

/** A space in a phrase may be a line break within a comment. */
const pattern = (phrase: string): RegExp => new RegExp(`\\b${phrase.replaceAll(" ", "(?:[ \\t]*\\n[ \\t]*(?:\\*|//)?[ \\t]*| +)")}\\b`, "gi")

const compiled = phrases.map(([phrase, instead]) => ({ phrase, instead, regex: pattern(phrase) }))

/** Every phrase of the list in a text, with its line. */
export const phrasesIn = (path: string, text: string): ReadonlyArray<string> =>
  compiled.flatMap(({ phrase, instead, regex }) =>
    allowedPhrases[path]?.includes(phrase) === true
      ? []
      : [...text.matchAll(regex)].map(({ 0: match, index }) =>
        `${path}:${text.slice(0, index).split("\n").length} says "${match.replace(/\s+(?:\*|\/\/)?\s*/g, " ")}"; write ${instead}`
      )
  )

const declaration = /\b(?:const|let|var|function\*?|class|type|interface)\s+([A-Za-z_$][\w$]*)/g
const property = /\breadonly\s+([A-Za-z_$][\w$]*)\??\s*:/g
const annotated = /[(,]\s*([A-Za-z_$][\w$]*)\??\s*:(?!:)/g
const arrow = /(?:\(([\w$\s,]*)\)|\b([A-Za-z_$][\w$]*))\s*=>/g

/** Names that code declares: bindings, functions, types, properties of types, parameters. Property keys of values are not among them. */
export const declaredNames = (code: string): ReadonlyArray<{ readonly name: string; readonly index: number }> => [
  ...[...code.matchAll(declaration), ...code.matchAll(property)].map((match) => ({ name: match[1]!, index: match.index })),
  ...[...code.matchAll(annotated)].flatMap((match) => enclosing(code, match.index + 1) === "(" ? [{ name: match[1]!, index: match.index }] : []),
  ...[...code.matchAll(arrow)].flatMap((match) => (match[1] ?? match[2] ?? "").split(",").map((name) => ({ name: name.trim(), index: match.index })))
]

/** The bracket that is open at a place. */
const enclosing = (code: string, index: number): string | undefined => {
  let depth = 0
  for (let at = index - 1; at >= 0; at--) {
    const char = code[at]!
    if (char === ")" || char === "]" || char === "}") depth++
    else if (char === "(" || char === "[" || char === "{") {
      if (depth === 0) return char
      depth--
    }
  }
  return undefined
}
