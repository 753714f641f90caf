/** Kills the built command at many points and tells what came of it: `node test/faults/kill.ts [points] [seed] [kind]`. */
import * as Kills from "./Kills.ts"

const [points = "200", seed = "1", only] = process.argv.slice(2)
const names = Object.keys(Kills.kinds).filter((kind) => only === undefined || kind.includes(only))
let broken = 0
let met = 0

/** So many kinds at once: most of a run is waiting. */
const together = 3

const tell = (told: Kills.Tally): void => {
  broken += told.broken.length
  met += told.points
  const lost = told.mostLostMs > 0 ? `, at most ${told.mostLostMs} ms of streamed text lost` : ""
  console.log(`${String(told.points).padStart(4)} killed ${told.kind} (of ${told.tried} tries)${lost}, ${told.broken.length} promises broken`)
  told.broken.forEach((what) => console.log(what))
}

const left = [...names]
await Promise.all(Array.from({ length: together }, async () => {
  for (let kind = left.shift(); kind !== undefined; kind = left.shift()) {
    tell(await Kills.tally(kind, Math.ceil(Number(points) / names.length), seed))
  }
}))
console.log(`${met} kills with seed ${seed}, ${broken} promises broken.`)
process.exitCode = broken === 0 && met >= Number(points) ? 0 : 1
