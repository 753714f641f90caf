/** What axe-core finds on a page. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** The serious and critical faults of the page as it is shown, each with the elements that have it. */
export const seriousFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  const { violations } = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })") as { readonly violations: ReadonlyArray<Violation> }
  return violations.flatMap(({ id, impact, nodes }) =>
    impact === "serious" || impact === "critical" ? [`${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`] : []
  )
}
