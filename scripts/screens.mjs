/**
 * Takes the images of every state of the page at three widths, dark and light, into test/web/screens: `npm run screens`, or
 * `node scripts/screens.mjs <state> …` for some of them. A person looks at each of them after a change of the page; serious faults of
 * accessibility are found here, and end it with exit code 1.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import sharp from "sharp"
import * as Process from "../test/cli/support/Process.ts"
import * as Scenes from "../test/web/support/Scenes.ts"
import * as Served from "../test/web/support/Served.ts"
import { seriousFaults } from "../test/web/support/Accessibility.ts"

if (Served.program === undefined) {
  console.error("Chromium is needed: apt-get install -y --no-install-recommends chromium")
  process.exit(1)
}
const folder = join(import.meta.dirname, "..", "test", "web", "screens")
const names = process.argv.slice(2)
if (names.length === 0) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const browser = await Served.launch()
using place = Process.place()
const stage = await Scenes.prepare(place)
try {
  for (const [width, height] of [[390, 844], [1024, 768], [1600, 900]]) {
    for (const colorScheme of ["light", "dark"]) {
      const { context, page } = await Served.openPage(browser, { viewport: { width, height }, colorScheme, reducedMotion: "reduce", timezoneId: "UTC" })
      await page.goto(stage.server.address)
      await page.locator(".row").first().waitFor()
      for (const [name, show] of Object.entries(stage.scenes)) {
        if (names.length > 0 && !names.includes(name)) continue
        await show(page)
        await page.waitForTimeout(350)
        for (const fault of await seriousFaults(page)) {
          console.error(`${name} at ${width} pixels, ${colorScheme}: ${fault}`)
          process.exitCode = 1
        }
        // A palette of 32 colours is enough for text on plain ground.
        await sharp(await page.screenshot()).png({ palette: true, colours: 32, compressionLevel: 9, effort: 10 }).toFile(join(folder, `${name}-${width}-${colorScheme}.png`))
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
  await stage.server.stop()
}
