/**
 * Builds a prompt from sections within a token budget. Required sections go in first, in shorter forms if necessary; the
 * others follow by priority, each in the richest form that still fits. The same input gives the same bytes.
 */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import type { PromptInput, Section } from "./Section.ts"

/** What became of a section; `alternative` counts from 1. */
export interface SectionReport {
  readonly section: string
  readonly form: "full" | "alternative" | "summary" | "omitted"
  readonly alternative?: number
  readonly tokens: number
}

export interface Prompt {
  readonly text: string
  readonly tokens: number
  readonly report: ReadonlyArray<SectionReport>
}

/** The required sections don't fit, even in their shortest forms: each with its tokens, largest first. */
export interface PromptTooLarge {
  readonly budget: number
  readonly needed: number
  readonly sections: ReadonlyArray<{ readonly section: string; readonly tokens: number }>
}

export interface Options {
  readonly budget: number
  readonly count: (text: string) => number
}

/** One way to render a section. */
interface Form {
  readonly text: string
  readonly tokens: number
  readonly form: "full" | "alternative" | "summary"
  readonly alternative?: number
}

interface Candidate {
  readonly section: Section
  /** Richest first. */
  readonly forms: ReadonlyArray<Form>
}

const separator = "\n\n"

/** The sections in the order of the list. O(text of all forms); never more than `budget` by `count`. */
export const assemble = (
  sections: ReadonlyArray<Section>,
  input: PromptInput,
  { budget, count }: Options
): Result.Result<Prompt, PromptTooLarge> => {
  const candidates = sections.flatMap((section) => candidate(section, input, count))
  const byPriority = candidates.toSorted((a, b) => a.section.priority - b.section.priority)
  const required = byPriority.filter(({ section }) => section.required === true)
  const optional = byPriority.filter(({ section }) => section.required !== true)
  const chosen = new Map<Candidate, Form>()
  let remainingTokens = budget

  let reserved = required.reduce((sum, { forms }) => sum + shortest(forms).tokens, 0)
  if (reserved > remainingTokens) return Result.fail(tooLarge(required, budget, reserved))
  for (const each of required) {
    reserved -= shortest(each.forms).tokens
    const form = each.forms.find(({ tokens }) => tokens + reserved <= remainingTokens) ?? shortest(each.forms)
    chosen.set(each, form)
    remainingTokens -= form.tokens
  }
  for (const each of optional) {
    const form = each.forms.find(({ tokens }) => tokens <= remainingTokens)
    if (form === undefined) continue
    chosen.set(each, form)
    remainingTokens -= form.tokens
  }
  return Result.succeed(join(candidates, chosen))
}

/** A prompt that was assembled before, from its text alone. */
export const recorded = (text: string, count: Options["count"]): Prompt => ({ text, tokens: count(text), report: [] })

const candidate = (section: Section, input: PromptInput, count: Options["count"]): ReadonlyArray<Candidate> => {
  if (section.when?.(input) === false) return []
  const { alternatives = [], render, summary } = section
  const renders = [
    { render, form: "full" as const },
    ...alternatives.map((render, i) => ({ render, form: "alternative" as const, alternative: i + 1 })),
    ...(summary === undefined ? [] : [{ render: summary, form: "summary" as const }])
  ]
  const forms = renders.flatMap(({ render, ...form }): ReadonlyArray<Form> => {
    const text = render(input)?.trim() ?? ""
    return text === "" ? [] : [{ ...form, text, tokens: count(text + separator) }]
  })
  return forms.length === 0 ? [] : [{ section, forms }]
}

/** The smallest form: a later one can happen to be longer. */
const shortest = (forms: ReadonlyArray<Form>): Form => forms.reduce((smallest, form) => form.tokens <= smallest.tokens ? form : smallest)

const join = (candidates: ReadonlyArray<Candidate>, chosen: ReadonlyMap<Candidate, Form>): Prompt => {
  const forms = candidates.flatMap((each) => chosen.get(each) ?? [])
  return {
    text: forms.map(({ text }) => text).join(separator),
    tokens: forms.reduce((sum, { tokens }) => sum + tokens, 0),
    report: candidates.map((each) => report(each, chosen.get(each)))
  }
}

const report = ({ forms, section }: Candidate, form: Form | undefined): SectionReport =>
  form === undefined
    ? { section: section.name, form: "omitted", tokens: shortest(forms).tokens }
    : {
      section: section.name,
      form: form.form,
      ...optional({ alternative: form.alternative }),
      tokens: form.tokens
    }

const tooLarge = (required: ReadonlyArray<Candidate>, budget: number, needed: number): PromptTooLarge => ({
  budget,
  needed,
  sections: required
    .map(({ forms, section }) => ({ section: section.name, tokens: shortest(forms).tokens }))
    .sort((a, b) => b.tokens - a.tokens)
})
