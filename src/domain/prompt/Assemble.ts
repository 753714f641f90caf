/**
 * A prompt from sections within a budget. Required sections go in first, in poorer forms if they must; then the others
 * by priority, each in the richest form that still fits. The same input gives the same bytes.
 */
import * as Result from "effect/Result"
import type { About, Section } from "./Section.ts"

/** What became of a section; `alternative` counts from 1. */
export interface Entry {
  readonly section: string
  readonly how: "whole" | "alternative" | "summary" | "left"
  readonly alternative?: number
  readonly tokens: number
}

export interface Assembled {
  readonly text: string
  readonly tokens: number
  readonly report: ReadonlyArray<Entry>
}

/** The required sections do not fit, even in their poorest forms: each with its tokens, largest first. */
export interface TooLarge {
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
  readonly how: "whole" | "alternative" | "summary"
  readonly alternative?: number
}

interface Candidate {
  readonly section: Section
  /** Richest first. */
  readonly forms: ReadonlyArray<Form>
}

const between = "\n\n"

/** O(text of all forms). Never more than `budget` by `count`. */
export const assemble = (
  sections: ReadonlyArray<Section>,
  about: About,
  { budget, count }: Options
): Result.Result<Assembled, TooLarge> => {
  const candidates = sections.flatMap((section) => candidate(section, about, count)).sort(byPriority)
  const required = candidates.filter(({ section }) => section.required === true)
  const chosen = new Map<Candidate, Form>()
  let room = budget

  let owed = required.reduce((sum, { forms }) => sum + poorest(forms).tokens, 0)
  if (owed > room) return Result.fail(tooLarge(required, budget, owed))
  for (const one of required) {
    owed -= poorest(one.forms).tokens
    const form = one.forms.find(({ tokens }) => tokens + owed <= room) ?? poorest(one.forms)
    chosen.set(one, form)
    room -= form.tokens
  }
  for (const one of candidates) {
    const form = one.section.required === true ? undefined : one.forms.find(({ tokens }) => tokens <= room)
    if (form === undefined) continue
    chosen.set(one, form)
    room -= form.tokens
  }
  return Result.succeed(join(candidates, chosen))
}

const candidate = (section: Section, about: About, count: Options["count"]): ReadonlyArray<Candidate> => {
  if (section.when?.(about) === false) return []
  const { alternatives = [], render, summary } = section
  const renders = [
    { render, how: "whole" as const },
    ...alternatives.map((render, i) => ({ render, how: "alternative" as const, alternative: i + 1 })),
    ...(summary === undefined ? [] : [{ render: summary, how: "summary" as const }])
  ]
  const forms = renders.flatMap(({ render, ...form }): ReadonlyArray<Form> => {
    const text = render(about)?.trim() ?? ""
    return text === "" ? [] : [{ ...form, text, tokens: count(text + between) }]
  })
  return forms.length === 0 ? [] : [{ section, forms }]
}

const byPriority = (a: Candidate, b: Candidate): number =>
  a.section.priority - b.section.priority || byOrder(a.section, b.section)

/** Ties break by name, so that the order of the list never matters. */
const byOrder = (a: Section, b: Section): number =>
  a.order - b.order || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** The smallest form; a poorer one can happen to be longer. */
const poorest = (forms: ReadonlyArray<Form>): Form =>
  forms.reduce((least, form) => form.tokens <= least.tokens ? form : least)

const join = (candidates: ReadonlyArray<Candidate>, chosen: ReadonlyMap<Candidate, Form>): Assembled => {
  const inOrder = [...candidates].sort((a, b) => byOrder(a.section, b.section))
  const forms = inOrder.flatMap((one) => chosen.get(one) ?? [])
  return {
    text: forms.map(({ text }) => text).join(between),
    tokens: forms.reduce((sum, { tokens }) => sum + tokens, 0),
    report: inOrder.map((one) => entry(one, chosen.get(one)))
  }
}

const entry = ({ forms, section }: Candidate, form: Form | undefined): Entry =>
  form === undefined
    ? { section: section.name, how: "left", tokens: poorest(forms).tokens }
    : {
      section: section.name,
      how: form.how,
      ...(form.alternative === undefined ? {} : { alternative: form.alternative }),
      tokens: form.tokens
    }

const tooLarge = (required: ReadonlyArray<Candidate>, budget: number, needed: number): TooLarge => ({
  budget,
  needed,
  sections: required
    .map(({ forms, section }) => ({ section: section.name, tokens: poorest(forms).tokens }))
    .sort((a, b) => b.tokens - a.tokens)
})
